// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "lab/doctor/doctor.hpp"
#include "lab/report/schema.hpp"

namespace kerntoll::lab::doctor {

std::string to_text(std::span<const Finding> findings) {
    std::string text;
    std::size_t widest = 0;
    for (const Finding& finding : findings) {
        widest = std::max(widest, finding.subject.size());
    }
    for (const Finding& finding : findings) {
        text += fmt::format("{:<7}  {:<{}}  {}\n", name(finding.standing), finding.subject, widest,
                            finding.text);
        if (!finding.remedy.empty()) {
            text += fmt::format("{:<7}  {:<{}}  -> {}\n", "", "", widest, finding.remedy);
        }
    }
    const auto count = [&](Standing standing) {
        return std::ranges::count(findings, standing, &Finding::standing);
    };
    text += fmt::format("\n{} findings: {} good, {} that limit what is measured, {} missing\n",
                        findings.size(), count(Standing::good), count(Standing::limit),
                        count(Standing::missing));
    return text;
}

std::string to_json(std::span<const Finding> findings) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Finding& finding : findings) {
        list.push_back({{"subject", finding.subject},
                        {"standing", name(finding.standing)},
                        {"text", finding.text},
                        {"remedy", finding.remedy}});
    }
    return report::dump({{"schema", report::json_schema}, {"findings", std::move(list)}});
}

}  // namespace kerntoll::lab::doctor
