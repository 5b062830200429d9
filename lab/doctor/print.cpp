// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "lab/doctor/doctor.hpp"
#include "lab/report/plain.hpp"
#include "lab/report/schema.hpp"

namespace kerntoll::lab::doctor {
namespace {

std::string summary(std::span<const Finding> findings) {
    const auto count = [&](Standing standing) {
        return std::ranges::count(findings, standing, &Finding::standing);
    };
    return fmt::format("{} findings: {} good, {} that limit what is measured, {} missing",
                       findings.size(), count(Standing::good), count(Standing::limit),
                       count(Standing::missing));
}

}  // namespace

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
    return text + "\n" + summary(findings) + "\n";
}

std::string to_markdown(std::span<const Finding> findings) {
    std::string text = "| standing | subject | finding | remedy |\n|---|---|---|---|\n";
    for (const Finding& finding : findings) {
        text +=
            fmt::format("| {} | {} | {} | {} |\n", name(finding.standing),
                        report::markdown_text(finding.subject), report::markdown_text(finding.text),
                        report::markdown_text(finding.remedy));
    }
    return text + "\n" + summary(findings) + "\n";
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
