// SPDX-License-Identifier: MIT
// The recorder as QEMU loads it, without QEMU: this program has the functions that a plugin finds
// in QEMU, by whichever version of the interface, and executes a guest of a few instructions. QEMU
// 9 and later, which take the second of the plugins, are not at hand everywhere.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "lab/path/trace.hpp"
#include "lab/target/memory_file.hpp"
#include "recorder/qemu_api.hpp"

struct qemu_plugin_insn {
    std::uint64_t address = 0;
    std::string bytes;
    std::string text;
    std::uint64_t loads_from = 0;  ///< 0: nothing
    // What the plugin asked for.
    qemu_plugin_vcpu_udata_cb_t executed = nullptr;
    void* executed_data = nullptr;
    qemu_plugin_vcpu_mem_cb_t accessed = nullptr;
};

struct qemu_plugin_tb {
    std::deque<qemu_plugin_insn> instructions;
};

namespace {

/// What QEMU knows of the one plugin that it loaded.
struct Loaded {
    int interface = 0;
    qemu_plugin_vcpu_tb_trans_cb_t translated = nullptr;
    qemu_plugin_simple_cb_t reset_done = nullptr;
    bool finishes_at_exit = false;
};
Loaded loaded;

}  // namespace

extern "C" {
void qemu_plugin_reset(qemu_plugin_id_t /*id*/, qemu_plugin_simple_cb_t done) {
    loaded.reset_done = done;
}
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t /*id*/,
                                           qemu_plugin_vcpu_tb_trans_cb_t cb) {
    loaded.translated = cb;
}
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t /*id*/, qemu_plugin_udata_cb_t /*cb*/,
                                    void* /*userdata*/) {
    loaded.finishes_at_exit = true;
}
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* tb) {
    return tb->instructions.size();
}
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb* tb, std::size_t index) {
    return const_cast<qemu_plugin_insn*>(&tb->instructions[index]);
}
/// Versions 1 and 2 take one argument and return where the bytes are.
std::size_t qemu_plugin_insn_data(const qemu_plugin_insn* insn, void* to, std::size_t size) {
    if (loaded.interface < 3) {
        return reinterpret_cast<std::size_t>(insn->bytes.data());
    }
    return insn->bytes.copy(static_cast<char*>(to), size);
}
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn* insn) {
    return insn->bytes.size();
}
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn* insn) {
    return insn->address;
}
char* qemu_plugin_insn_disas(const qemu_plugin_insn* insn) {
    return strdup(insn->text.c_str());
}
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn* insn, qemu_plugin_vcpu_udata_cb_t cb,
                                            qemu_plugin_cb_flags /*flags*/, void* userdata) {
    insn->executed = cb;
    insn->executed_data = userdata;
}
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn* insn, qemu_plugin_vcpu_mem_cb_t cb,
                                      qemu_plugin_cb_flags /*flags*/, qemu_plugin_mem_rw rw,
                                      void* /*userdata*/) {
    insn->accessed = rw == QEMU_PLUGIN_MEM_RW ? cb : nullptr;
}
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info) {
    return info;
}
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t /*info*/) {
    return false;
}
void qemu_plugin_outs(const char* text) {
    std::fputs(text, stderr);
}
}

namespace kerntoll::lab::path {
namespace {

constexpr qemu_plugin_meminfo_t eight_bytes = 3;

struct Interface {
    int plugin;   ///< which of the two objects
    int current;  ///< QEMU's version of the interface
    int least;    ///< the oldest plugins that it takes
};

/// A loop of the user with one call; the kernel's part is two instructions.
qemu_plugin_tb code() {
    return {{{.address = 0x1000, .bytes = "\x73", .text = "ecall"},
             {.address = 0xffff0000, .bytes = "ab", .text = "ld", .loads_from = 0xffff8000},
             {.address = 0xffff0002, .bytes = "cd", .text = "sret"},
             {.address = 0x1004, .bytes = "e", .text = "j"}}};
}

/// Loads the plugin and executes the guest until the plugin ends it, which it does with 0.
int run_guest(const Interface& interface, int trace) {
    const std::string file = std::string(KERNTOLL_TEST_RECORDERS "/kerntoll-recorder-v") +
                             std::to_string(interface.plugin) + ".so";
    void* const plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
        std::fputs(dlerror(), stderr);
        return 2;
    }
    const auto* const version = static_cast<const int*>(dlsym(plugin, "qemu_plugin_version"));
    using Install = int (*)(qemu_plugin_id_t, const qemu_info_t*, int, char**);
    const auto install = reinterpret_cast<Install>(dlsym(plugin, "qemu_plugin_install"));
    if (version == nullptr || *version < interface.least || *version > interface.current ||
        install == nullptr) {
        return 3;
    }
    loaded.interface = interface.current;
    const qemu_info_t info{"riscv64", {interface.least, interface.current}};
    std::vector<std::string> words{"loop=0x1000-0x1008", "text=0x1000-0x2000", "warm_up=2",
                                   "rounds=3", "fd=" + std::to_string(trace)};
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    if (install(7, &info, static_cast<int>(arguments.size()), arguments.data()) != 0) {
        return 4;
    }
    std::deque<qemu_plugin_tb> translated{code()};
    loaded.translated(7, &translated.back());
    for (int op = 0; op < 20; ++op) {
        for (qemu_plugin_insn& insn : translated.back().instructions) {
            if (insn.executed != nullptr) {
                insn.executed(0, insn.executed_data);
            }
            if (insn.accessed != nullptr && insn.loads_from != 0) {
                insn.accessed(0, eight_bytes, insn.loads_from, nullptr);
            }
        }
        if (loaded.reset_done != nullptr) {
            loaded.finishes_at_exit = false;
            std::exchange(loaded.reset_done, nullptr)(7);
            translated.push_back(code());
            loaded.translated(7, &translated.back());
            if (!loaded.finishes_at_exit) {
                return 5;
            }
        }
    }
    return 6;
}

class Plugin : public testing::TestWithParam<Interface> {};

TEST_P(Plugin, RecordsWhereverItsVersionIsTaken) {
    const auto file = MemoryFile::create("trace");
    ASSERT_TRUE(file);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        _exit(run_guest(GetParam(), file->fd()));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
    std::array<char, 4096> bytes{};
    const ssize_t size = pread(file->fd(), bytes.data(), bytes.size(), 0);
    const auto trace = read_trace({bytes.data(), static_cast<std::size_t>(size)});
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->target, "riscv64");
    EXPECT_EQ(trace->end, trace_format::End::complete);
    ASSERT_EQ(trace->variants.size(), 1U);
    const Variant& variant = trace->variants.front();
    EXPECT_EQ(variant.rounds, 3U);
    std::vector<std::string> executed;
    for (const std::uint32_t step : variant.path.steps) {
        executed.push_back(trace->instructions[step].bytes);
    }
    EXPECT_EQ(executed, (std::vector<std::string>{"\x73", "ab", "cd"}));
    ASSERT_EQ(variant.path.accesses.size(), 1U);
    EXPECT_EQ(variant.path.accesses.front().address, 0xffff8000U);
    EXPECT_EQ(variant.path.accesses.front().size, 8U);
    EXPECT_FALSE(variant.path.accesses.front().store);
}

INSTANTIATE_TEST_SUITE_P(Interfaces, Plugin,
                         testing::Values(Interface{1, 1, 0}, Interface{2, 2, 2}, Interface{2, 3, 2},
                                         Interface{2, 4, 2}, Interface{2, 5, 2}),
                         [](const auto& info) {
                             return "V" + std::to_string(info.param.plugin) + "UnderVersion" +
                                    std::to_string(info.param.current);
                         });

}  // namespace
}  // namespace kerntoll::lab::path
