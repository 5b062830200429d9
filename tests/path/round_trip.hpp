// SPDX-License-Identifier: MIT
// Round trips made by hand, for the tests of their comparison and of what is printed of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/explain.hpp"

namespace kerntoll::lab::path {

using Texts = std::vector<std::string>;

/// The class of the riscv64 instructions that occur here.
inline Class kind_of(std::string_view text) {
    const std::string_view mnemonic = text.substr(0, text.find(' '));
    Class kind;
    kind.barrier = mnemonic == "fence";
    kind.indirect = mnemonic == "jalr" || mnemonic == "jr";
    if (mnemonic.starts_with("jal")) {
        kind.flow = Flow::call;
    } else if (mnemonic == "ret") {
        kind.flow = Flow::ret;
    } else if (mnemonic.starts_with('j')) {
        kind.flow = Flow::jump;
    } else if (mnemonic.starts_with('b')) {
        kind.flow = Flow::branch;
    } else if (mnemonic == "sret") {
        kind.flow = Flow::trap_return;
        kind.special = mnemonic;
    } else if (mnemonic.starts_with("csr")) {
        kind.special = mnemonic;
        for (const char* reg : {"sstatus", "sscratch", "scause", "sepc", "stval"}) {
            kind.special += text.contains(reg) ? fmt::format(" {}", reg) : "";
        }
    }
    return kind;
}

inline Counts count(std::span<const Step> steps, auto chosen) {
    Counts counts;
    std::set<std::uint64_t> code_lines;
    std::set<std::uint64_t> data_lines;
    std::set<std::uint64_t> addresses;
    for (const Step& step : steps) {
        if (!chosen(step)) {
            continue;
        }
        ++counts.instructions;
        counts.calls += step.kind.flow == Flow::call ? 1U : 0U;
        counts.returns += step.kind.flow == Flow::ret ? 1U : 0U;
        counts.branches += step.kind.flow == Flow::branch ? 1U : 0U;
        counts.indirect += step.kind.indirect ? 1U : 0U;
        counts.barriers += step.kind.barrier ? 1U : 0U;
        if (!step.kind.special.empty()) {
            ++counts.specials[step.kind.special];
        }
        for (const Access& access : step.accesses) {
            ++(access.store ? counts.stores : counts.loads);
            data_lines.insert(access.address / 64);
        }
        code_lines.insert(step.instruction->address / 64);
        addresses.insert(step.instruction->address);
    }
    counts.code_lines = code_lines.size();
    counts.data_lines = data_lines.size();
    counts.code_bytes = 4 * addresses.size();
    return counts;
}

/// Writes a path down step by step. Functions lie 4 KiB apart from `text` on, in the order in which
/// the path reaches them.
class PathWriter {
public:
    explicit PathWriter(std::uint64_t text = 0xffffffff80001000) : next_(text) {}

    PathWriter& phase(Phase phase) {
        phase_ = phase;
        return *this;
    }
    /// Goes on in another function without a call, as at the very beginning.
    PathWriter& enter(const std::string& function) {
        leave();
        open(function);
        return *this;
    }
    PathWriter& call(const std::string& function) {
        const std::uint64_t target = part(function_of(function)).start;
        step(fmt::format("jal             ra,{}                # 0x{:x}",
                         static_cast<std::int64_t>(target - next_address()), target));
        open(function);
        return *this;
    }
    /// Through a pointer, as system calls are.
    PathWriter& call_indirect(const std::string& function) {
        step("jalr            ra,a5,0");
        open(function);
        return *this;
    }
    PathWriter& ret() {
        step("ret");
        leave();
        return *this;
    }
    PathWriter& inlined(const std::string& function) {
        push({.name = function, .inlined = true});
        return *this;
    }
    PathWriter& end_inlined() {
        levels_.pop_back();
        return *this;
    }
    PathWriter& step(const std::string& text) {
        // Steps point at their instructions: these live as long as the program.
        static std::deque<Instruction> code;
        code.push_back({.address = next_address(), .bytes = "1234", .text = text});
        level().next_address += 4;
        Step step;
        step.instruction = &code.back();
        step.kind = kind_of(text);
        step.phase = phase_;
        step.function = level().function;
        step.taken = step.kind.flow != Flow::next && step.kind.flow != Flow::branch;
        std::vector<Frame>* frames = &anatomy_.tree;
        for (const Level& each : levels_) {
            if (each.inlined) {
                step.inlined.push_back(each.name);
            } else {
                step.inlined.clear();
                step.depth += &each == levels_.data() ? 0U : 1U;
            }
            Frame& frame = frames->back();
            ++frame.total;
            frame.own += &each == &levels_.back() ? 1U : 0U;
            frames = &frame.children;
        }
        if (text.starts_with("ld ") || text.starts_with("sd ")) {
            step.accesses.push_back({.step = static_cast<std::uint32_t>(anatomy_.steps.size()),
                                     .size = 8,
                                     .store = text.starts_with("sd "),
                                     .address = 0xff20000000013e00 + 8 * levels_.size()});
        }
        anatomy_.steps.push_back(std::move(step));
        return *this;
    }
    PathWriter& steps(const Texts& texts) {
        for (const std::string& text : texts) {
            step(text);
        }
        return *this;
    }

    /// The path, counted.
    [[nodiscard]] Anatomy anatomy() {
        const std::span<const Step> steps = anatomy_.steps;
        anatomy_.total = count(steps, [](const Step&) { return true; });
        for (std::uint32_t at = 0; at < anatomy_.functions.size(); ++at) {
            FunctionPart& part = anatomy_.functions[at];
            part.counts = count(steps, [&](const Step& step) { return step.function == at; });
            part.size = part.counts.code_bytes;
        }
        for (std::size_t at = 0; at < phase_count; ++at) {
            anatomy_.phases[at] = count(
                steps, [&](const Step& step) { return step.phase == static_cast<Phase>(at); });
        }
        anatomy_.stack_bytes = 464;
        return std::move(anatomy_);
    }

private:
    /// A frame that is open.
    struct Level {
        std::string name;
        bool inlined = false;
        std::uint32_t function = 0;
        std::uint64_t next_address = 0;
    };

    FunctionPart& part(std::uint32_t function) { return anatomy_.functions[function]; }
    /// The innermost frame that is a function.
    Level& level() {
        return *std::find_if(levels_.rbegin(), levels_.rend(),
                             [](const Level& each) { return !each.inlined; });
    }
    std::uint64_t next_address() { return level().next_address; }

    std::uint32_t function_of(const std::string& name) {
        const auto found = std::ranges::find(anatomy_.functions, name, &FunctionPart::name);
        const auto index = static_cast<std::uint32_t>(found - anatomy_.functions.begin());
        if (found == anatomy_.functions.end()) {
            FunctionPart& added = anatomy_.functions.emplace_back();
            added.name = name;
            added.start = next_;
            next_ += 0x1000;
        }
        return index;
    }
    void push(const Level& level) {
        std::vector<Frame>* frames = &anatomy_.tree;
        for (std::size_t at = 0; at < levels_.size(); ++at) {
            frames = &frames->back().children;
        }
        frames->push_back({.name = level.name,
                           .inlined = level.inlined,
                           .first_step = anatomy_.steps.size(),
                           .children = {}});
        levels_.push_back(level);
    }
    void open(const std::string& name) {
        const std::uint32_t function = function_of(name);
        ++part(function).visits;
        push({.name = name, .function = function, .next_address = part(function).start});
    }
    void leave() {
        while (!levels_.empty() && levels_.back().inlined) {
            levels_.pop_back();
        }
        if (!levels_.empty()) {
            levels_.pop_back();
        }
    }

    Anatomy anatomy_;
    std::uint64_t next_;
    Phase phase_ = Phase::stub;
    std::vector<Level> levels_;
};

// A getpid of riscv64 Linux 6.12 with and without the change that inlines the way out: 210 and 197
// instructions (214 and 201 with the user's loop of four). What a body is made of is like the real
// one, not equal to it.

inline Texts saved_registers(const char* mnemonic) {
    Texts texts;
    for (const char* reg : {"ra", "gp", "t0", "t1",  "t2",  "s0", "s1", "a0", "a1", "a2",
                            "a3", "a4", "a5", "a6",  "a7",  "s2", "s3", "s4", "s5", "s6",
                            "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"}) {
        texts.push_back(
            fmt::format("{}              {},{}(sp)", mnemonic, reg, 8 * texts.size() + 8));
    }
    return texts;
}

/// What syscall_exit_to_user_mode does, as a function or inlined, with these registers.
inline Texts exit_work(const std::string& flags, const std::string& mask) {
    return {fmt::format("ld              {},8(tp)", mask),
            fmt::format("andi            {},{},1024", flags, mask),
            fmt::format("bnez            {},60              # 0xffffffff80a01234", flags),
            "csrrci          zero,sstatus,2",
            fmt::format("ld              {},0(tp)", flags),
            fmt::format("lui             {},16", mask),
            fmt::format("addi            {},{},14", mask, mask),
            fmt::format("and             {},{},{}", flags, flags, mask),
            fmt::format("bnez            {},44              # 0xffffffff80a01260", flags),
            "fence           w,o"};
}

inline void frame_in(PathWriter& path) {
    path.steps({"addi            sp,sp,-32", "sd              ra,24(sp)",
                "sd              s0,16(sp)", "addi            s0,sp,32"});
}
inline void frame_out(PathWriter& path) {
    path.steps(
        {"ld              ra,24(sp)", "ld              s0,16(sp)", "addi            sp,sp,32"});
}

enum class WayOut { called, inlined };

inline Anatomy getpid_path(WayOut way_out, std::uint64_t text) {
    PathWriter path(text);
    path.enter("handle_exception")
        .step("csrrw           tp,sscratch,tp")
        .steps({"bnez            tp,8                # 0xffffffff80a0000c",
                "sd              sp,16(tp)", "ld              sp,8(tp)",
                "addi            sp,sp,-288"})
        .steps(saved_registers("sd"))
        .steps({"lui             t0,6",
                "csrrc           s1,sstatus,t0",
                "csrrs           s2,sepc,zero",
                "csrrs           s3,stval,zero",
                "csrrs           s4,scause,zero",
                "csrrs           s5,sscratch,zero",
                "sd              s0,16(sp)",
                "sd              s1,256(sp)",
                "sd              s2,0(sp)",
                "sd              s3,264(sp)",
                "sd              s4,272(sp)",
                "sd              s5,16(sp)",
                "csrrw           zero,sscratch,zero",
                fmt::format("auipc           gp,{}             # 0x{:x}", text >> 12U & 0xfffU,
                            text + 0x5000),
                fmt::format("addi            gp,gp,{}", (text >> 8U & 0xffU) + 7),
                "addi            t1,zero,12",
                "addi            a0,sp,0",
                "bgez            s4,20               # 0xffffffff80a000a0",
                "slli            t0,s4,3",
                "auipc           t1,2597",
                "addi            t1,t1,-1172",
                "add             t0,t1,t0",
                "ld              a5,0(t0)"})
        .call_indirect("do_trap_ecall_u");
    path.phase(Phase::enter);
    frame_in(path);
    path.steps({"sd              s1,8(sp)", "addi            s1,a0,0", "ld              a5,256(a0)",
                "andi            a5,a5,256",
                "bnez            a5,120              # 0xffffffff80a01300",
                "sd              zero,96(s1)", "ld              a0,88(s1)",
                "sd              a0,104(s1)", "addi            a1,a0,0", "ld              a4,0(s1)",
                "addi            a4,a4,4", "sd              a4,0(s1)"});
    path.call("syscall_enter_from_user_mode");
    path.steps({"addi            sp,sp,-16", "sd              s0,8(sp)", "addi            s0,sp,16",
                "csrrsi          zero,sstatus,2", "ld              a4,8(tp)",
                "andi            a4,a4,63",
                "bnez            a4,20               # 0xffffffff80a02020",
                "addi            a0,a1,0", "ld              s0,8(sp)", "addi            sp,sp,16"});
    path.ret();
    path.phase(Phase::dispatch);
    path.steps(
        {"addi            a4,zero,462", "bltu            a4,a0,56            # 0xffffffff80a01288",
         "addi            a4,zero,463", "sltu            a4,a0,a4", "sub             a4,zero,a4",
         "and             a0,a0,a4", fmt::format("auipc           a5,{}", text >> 16U & 0xfffU),
         fmt::format("addi            a5,a5,-{}", text >> 12U & 0xffU), "slli            a0,a0,3",
         "add             a5,a5,a0", "ld              a5,0(a5)", "addi            a0,s1,0"});
    path.call_indirect("__riscv_sys_getpid");
    path.phase(Phase::call);
    path.steps({"addi            sp,sp,-16", "sd              ra,8(sp)",
                "ld              a0,1096(tp)", "addi            a2,zero,0",
                "addi            a1,zero,1"});
    path.call("__task_pid_nr_ns");
    frame_in(path);
    path.steps(
        {"addi            s1,a1,0", "bnez            a2,24               # 0xffffffff80a04040",
         "ld              a5,1600(a0)", "beqz            a5,48               # 0xffffffff80a04064",
         "lw              a2,4(a5)", "slli            a2,a2,5", "add             a5,a5,a2",
         "ld              a2,112(a5)", "lw              a0,96(a5)", "fence           r,rw"});
    frame_out(path);
    path.ret();
    path.steps({"ld              ra,8(sp)", "addi            sp,sp,16"});
    path.ret();
    path.phase(Phase::exit);
    path.steps({"sd              a0,80(s1)", "ld              a5,1360(tp)",
                "addi            a4,zero,255", "slli            a4,a4,6",
                "xor             a5,a5,a4", "andi            a5,a5,1008",
                "sd              a5,1360(tp)"});
    if (way_out == WayOut::called) {
        path.step("addi            a0,s1,0");
        path.call("syscall_exit_to_user_mode");
        path.steps({"addi            sp,sp,-32", "sd              ra,24(sp)",
                    "sd              s0,16(sp)", "sd              s1,8(sp)",
                    "addi            s0,sp,32", "addi            s1,a0,0"});
        path.steps(exit_work("a5", "a4"));
        path.step("ld              s1,8(sp)");
        frame_out(path);
        path.step("addi            a0,zero,0");
        path.ret();
    } else {
        path.inlined("exit_to_user_mode_prepare");
        path.steps(exit_work("a4", "a3"));
        path.end_inlined();
        path.step("addi            a5,zero,0");
    }
    path.step("ld              s1,8(sp)");
    frame_out(path);
    path.ret();
    path.phase(Phase::ret).enter("ret_from_exception");
    path.steps(
        {"ld              s0,256(sp)", "andi            s0,s0,256",
         "bnez            s0,28               # 0xffffffff80a000f0", "addi            s0,sp,288",
         "sd              s0,16(tp)", "csrrw           zero,sscratch,tp",
         "ld              a0,256(sp)", "ld              a2,0(sp)", "sc.d            zero,a2,0(sp)",
         "ld              a3,280(sp)", "addi            a4,zero,1", "sub             a3,a3,a4",
         "sd              a3,280(sp)", "ld              a5,264(sp)",
         "csrrw           zero,sstatus,a0", "csrrw           zero,sepc,a2"});
    path.steps(saved_registers("ld"));
    path.steps({"ld              tp,32(sp)", "ld              sp,16(sp)", "sret"});
    return path.anatomy();
}

/// The two, as `kerntoll explain` has them.
inline Explanation getpid_explanation() {
    return explain({.target = "linux:a/Image",
                    .workload = "getpid",
                    .anatomy = getpid_path(WayOut::called, 0xffffffff80001000)},
                   {.target = "linux:b/Image",
                    .workload = "getpid",
                    .anatomy = getpid_path(WayOut::inlined, 0xffffffff80023000)});
}

}  // namespace kerntoll::lab::path
