// SPDX-License-Identifier: MIT
#include "tests/entry/model.hpp"

#include <array>
#include <map>

namespace kerntoll::test {
namespace {

using entry::WorkWord;

// The bits once more, as thread.hpp has them; the order of the work is another.
constexpr WorkWord bit(int index) {
    return WorkWord{1} << static_cast<unsigned>(index);
}

struct Duty {
    WorkWord bit;
    Party party;
};
constexpr std::array before_the_call{
    Duty{bit(1), Party::user_dispatch}, Duty{bit(2), Party::ptrace_enter},
    Duty{bit(0), Party::seccomp},       Duty{bit(3), Party::tracepoint_enter},
    Duty{bit(4), Party::audit_enter},
};
constexpr std::array after_the_call{
    Duty{bit(4), Party::audit_exit},
    Duty{bit(3), Party::tracepoint_exit},
    Duty{bit(2), Party::ptrace_exit},
};
constexpr WorkWord whole_frame = bit(5);
constexpr WorkWord given_to_user = bit(6);
constexpr std::array before_user_mode{
    Duty{bit(0), Party::reschedule},
    Duty{bit(1), Party::uprobe},
    Duty{bit(2), Party::signal},
    Duty{bit(3), Party::notify_resume},
    Duty{bit(4), Party::architecture_work},
};

class World {
public:
    World(const Scenario& scenario, Visible visible)
        : scenario_(scenario),
          visible_(visible),
          number_(scenario.number),
          syscall_work_(scenario.syscall_work),
          exit_work_(scenario.exit_work) {}

    Story live() {
        go(scenario_.way);
        number_ = scenario_.second_number;
        go(scenario_.second_way);
        return story_;
    }

private:
    void go(Way way) {
        way_ = way;
        switch (way) {
            case Way::call:
                make_one_call();
                break;
            case Way::interrupt:
                leave_user_mode();
                turn(Party::interrupt);
                break;
            case Way::exception:
                leave_user_mode();
                turn(Party::exception);
                break;
            case Way::begin:
                break;
        }
        interrupts_on_ = false;
        work_before_user_mode();
        turn(Party::to_user);
    }

    void leave_user_mode() {
        if (visible_.checks && scenario_.wrong_context && story_.empty()) {
            turn(Party::state_fault);
        }
        turn(Party::left_user);
    }

    void make_one_call() {
        progress_before_ = progress_++;
        result_ = -38;
        leave_user_mode();
        interrupts_on_ = true;

        if (ask_before_the_call()) {
            if (number_ >= 0 && number_ < static_cast<long>(calls)) {
                make_the_call();
            }
        }
        if (visible_.checks) {
            if (!interrupts_on_) {
                turn(Party::state_fault);
                interrupts_on_ = true;
            }
            turn(Party::rseq_check);
        }
        work_after_the_call();
    }

    /// Whether the call is to be made.
    bool ask_before_the_call() {
        if (!visible_.work) {
            return true;
        }
        const WorkWord asked = syscall_work_;  // as it is now, whatever is added meanwhile
        for (const Duty& duty : before_the_call) {
            if ((asked & duty.bit) == 0) {
                continue;
            }
            const Act act = turn(duty.party);
            const bool may_refuse =
                duty.party == Party::ptrace_enter || duty.party == Party::seccomp;
            if (duty.party == Party::user_dispatch && act.says_no) {
                syscall_work_ |= given_to_user;
                return false;
            }
            if (may_refuse && act.says_no) {
                return false;
            }
        }
        return true;
    }

    void make_the_call() {
        const Act act = turn(Party::call);
        result_ = 100 + number_at_call_;
        if (act.changes_result) {
            result_ = act.result;
        }
    }

    void work_after_the_call() {
        if (!visible_.work) {
            return;
        }
        const WorkWord asked = syscall_work_;
        if ((asked & whole_frame) != 0) {
            syscall_work_ &= ~whole_frame;
            turn(Party::whole_frame_call);
        }
        if ((asked & given_to_user) != 0) {
            syscall_work_ &= ~given_to_user;
            return;
        }
        for (const Duty& duty : after_the_call) {
            if ((asked & duty.bit) != 0) {
                turn(duty.party);
            }
        }
    }

    void work_before_user_mode() {
        if (!visible_.work) {
            return;
        }
        while (exit_work_ != 0) {
            // Bits that nobody knows are taken down like the others, or the way would never end.
            const WorkWord asked = exit_work_;
            exit_work_ = 0;
            interrupts_on_ = true;
            for (const Duty& duty : before_user_mode) {
                if ((asked & duty.bit) != 0) {
                    turn(duty.party);
                }
            }
            interrupts_on_ = false;
        }
    }

    /// The party sees the state, and does what it is going to do.
    Act turn(Party party) {
        story_.push_back({party, number_, result_, progress_, syscall_work_, exit_work_,
                          interrupts_on_, nested_});
        Act act = scenario_.act(party);
        if (party == Party::left_user || party == Party::to_user || party == Party::state_fault) {
            return act;
        }
        if (party == Party::call) {
            number_at_call_ = number_;
        }
        if (act.changes_number) {
            number_ = act.number;
        }
        if (act.changes_result) {
            result_ = act.result;
        }
        if (act.restarts && party == Party::signal && way_ == Way::call) {
            progress_ = progress_before_;
        }
        const int before = turns_[party]++;
        act.says_no = act.says_no && before == 0;
        syscall_work_ &= ~act.drops_syscall_work;
        exit_work_ &= ~act.drops_exit_work;
        if (before < act.times) {
            syscall_work_ |= act.asks_syscall_work;
            exit_work_ |= act.asks_exit_work;
        }
        if (act.interrupts_off && party == Party::call) {
            interrupts_on_ = false;
        }
        if (act.interrupts_on && party == Party::exception) {
            interrupts_on_ = true;
        }
        if (act.faults && party != Party::kernel_exception) {
            come_between(Party::kernel_exception);
        }
        if (act.is_interrupted && interrupts_on_) {
            come_between(Party::interrupt);
        }
        return act;
    }

    /// What comes from the kernel has its turn with interrupts off, and leaves all else to whom it
    /// found.
    void come_between(Party party) {
        const bool interrupts_were_on = interrupts_on_;
        const bool was_nested = nested_;
        interrupts_on_ = false;
        nested_ = true;
        turn(party);
        nested_ = was_nested;
        interrupts_on_ = interrupts_were_on;
    }

    const Scenario& scenario_;
    Visible visible_;
    Story story_;
    long number_;
    long number_at_call_ = 0;
    long result_ = 0;
    long progress_ = 0;
    long progress_before_ = 0;
    WorkWord syscall_work_;
    WorkWord exit_work_;
    Way way_ = Way::call;
    bool interrupts_on_ = false;
    bool nested_ = false;
    std::map<Party, int> turns_;
};

}  // namespace

Story tell_model(const Scenario& scenario, Visible visible) {
    return World(scenario, visible).live();
}

}  // namespace kerntoll::test
