// SPDX-License-Identifier: MIT
#include "tests/entry/policies.hpp"

namespace kerntoll::test {

const std::vector<PolicyRow>& all_policies() {
    static const std::vector<PolicyRow> all = [] {
        std::vector<PolicyRow> rows;
        for (const auto part : {policies_of_part<0>(), policies_of_part<1>(), policies_of_part<2>(),
                                policies_of_part<3>()}) {
            rows.insert(rows.end(), part.begin(), part.end());
        }
        return rows;
    }();
    return all;
}

std::string spelled(const entry::Policy& policy) {
    std::string text;
#define KERNTOLL_SPELLING(unused, identifier, spelling, meaning) \
    case Type::identifier:                                       \
        text += spelling;                                        \
        break;
#define KERNTOLL_TYPE(type, values)
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports) \
    {                                                                      \
        using Type = entry::type;                                          \
        text += text.empty() ? #axis "=" : "," #axis "=";                  \
        switch (policy.axis) { values(KERNTOLL_SPELLING, ) }               \
    }
#include "kerntoll/entry/policy.def"
#undef KERNTOLL_SPELLING
    return text;
}

}  // namespace kerntoll::test
