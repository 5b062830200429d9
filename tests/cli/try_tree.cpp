// SPDX-License-Identifier: MIT
#include "tests/cli/try_tree.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/target/images.hpp"

namespace kerntoll::test {

namespace fs = std::filesystem;
using nlohmann::json;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

void add_unless_given(std::vector<std::string>& words, const std::string& option,
                      const std::string& value) {
    if (std::ranges::find(words, option) == words.end()) {
        words.insert(words.end(), {option, value});
    }
}

Try::Try() {
    fs::copy(KERNTOLL_TINY_TREE, tree(), fs::copy_options::recursive);
    write("config", "CONFIG_TINY=y\n");
    write("one.patch", header_patch);
}

void Try::write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name, std::ios::binary) << text;
}

std::string Try::text_of(const std::string& name) const {
    std::ifstream stream(scratch_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> Try::arguments(const std::vector<std::string>& more,
                                        const std::string& archs) const {
    std::vector<std::string> all{"try", "--no-time"};
    all.insert(all.end(), more.begin(), more.end());
    add_unless_given(all, "--tree", tree());
    add_unless_given(all, "--arch", archs);
    add_unless_given(all, "--config", file("config"));
    add_unless_given(all, "--db", file("results.db"));
    return all;
}

json Try::sides_of(const std::vector<std::string>& more) const {
    std::vector<std::string> all = more;
    all.insert(all.end(), {"--format", "json"});
    const Finished finished = try_it(all);
    const json answer = json::parse(finished.output, nullptr, false);
    const json sides = answer.is_object() ? answer["ports"][0]["sides"] : json::array();
    if (sides.size() >= 2) {
        return sides;
    }
    ADD_FAILURE() << finished.errors << finished.output;
    const json none{{"name", ""},
                    {"target", ""},
                    {"image", ""},
                    {"cached", ""},
                    {"image_sha256", ""},
                    {"config_sha256", ""},
                    {"remarks", json::array()}};
    return json::array({none, none});
}

std::vector<std::string> Try::names_of(const json& sides) {
    std::vector<std::string> names;
    for (const json& side : sides) {
        names.push_back(side["name"]);
    }
    return names;
}

void Try::shell(const std::string& command) const {
    const std::string all = "cd '" + file("") + "' && { " + command + "; } >shell.log 2>&1";
    ASSERT_EQ(std::system(all.c_str()), 0) << command << '\n' << text_of("shell.log");
}

void Try::commit(const std::string& message) const {
    shell(
        "cd tree && git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit "
        "--no-gpg-sign -qm '" +
        message + "'");
}

void Try::set_price(int instructions) const {
    constexpr const char* begin = "/* cost ";
    std::string source = text_of("tree/kernel/sys.c");
    if (!source.contains(begin)) {
        namespace images = lab::images;
        write("tree/boot.img", images::x86_bzimage(images::kernel_content(), images::banner));
        write("tree/Makefile",
              replaced(text_of("tree/Makefile"), "\t@$(CROSS_COMPILE)objcopy -O binary $< $@",
                       "\t@cp $(src)/boot.img $@; "
                       "sed -n 's/.*cost \\([0-9]*\\).*/\\ncost=\\1/p' $(src)/kernel/sys.c >>$@; "
                       "$(CROSS_COMPILE)objcopy -O binary $< $@.bin; cat $@.bin >>$@"));
        source += std::string(begin) + "0 */\n";
    }
    const auto at = source.find(begin);
    source.replace(at, source.find('\n', at) - at,
                   begin + std::to_string(instructions) +
                       " */ const int price = " + std::to_string(instructions) + ";");
    write("tree/kernel/sys.c", source);
}

std::vector<std::string> Try::priced(std::vector<std::string> words) {
    words.insert(words.end(), {"--qemu", "x86_64=" KERNTOLL_PRICED_QEMU});
    return words;
}

void Try::compile_slowly(const std::string& seconds) const {
    write("seconds", seconds);
    const std::string makefile = text_of("tree/Makefile");
    if (!makefile.contains("sleep")) {
        write("tree/Makefile", replaced(makefile, "\t@echo '  CC      $@'",
                                        "\t@echo '  CC      $@'; touch $@.begun; sleep `cat " +
                                            file("seconds") + "`"));
    }
}

std::string Try::at_work() const {
    using namespace std::chrono_literals;
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (std::chrono::steady_clock::now() < deadline) {
        std::error_code gone;  // what is built comes and goes meanwhile
        for (std::filesystem::recursive_directory_iterator found(file("cache"), gone), end;
             !gone && found != end; found.increment(gone)) {
            const std::string path = found->path();
            if (path.ends_with(".begun")) {
                return path.substr(0, path.find("/objects/"));
            }
        }
        std::this_thread::sleep_for(10ms);
    }
    ADD_FAILURE() << "nothing was built in 30 s";
    return {};
}

}  // namespace kerntoll::test
