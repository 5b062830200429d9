// SPDX-License-Identifier: MIT
#include "lab/path/svg.hpp"

#include <fmt/format.h>

#include "lab/path/grid.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::path {
namespace {

/// Letters of a name below which it says nothing.
constexpr double fewest_letters = 3;

/// Names are set in a fixed-width face, so that their width is known without measuring. Slants of
/// the two hatchings differ, because not every reader tells red from green. Colours are given
/// twice and without variables: not all programs that draw SVG know those.
constexpr std::string_view style = R"css(<style>
text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 }
.faint { fill: #59636e }
.strong { font-weight: 600 }
.name { font: 10px ui-monospace, monospace; text-anchor: middle; paint-order: stroke; stroke: #fff; stroke-width: 2.5px; stroke-linejoin: round }
.mark { font: 9px ui-monospace, monospace; fill: #59636e }
.left { text-anchor: end }
.phase-name { font-size: 11px; text-anchor: middle }
.page { fill: #fff }
.user { fill: #d1d9e0; stroke: #fff }
.stub { fill: #f7d9a8; stroke: #fff }
.enter { fill: #bfe3c0; stroke: #fff }
.dispatch { fill: #b5dff0; stroke: #fff }
.call { fill: #c9cdf5; stroke: #fff }
.exit { fill: #bfe3c0; stroke: #fff }
.inside { fill: #dfe3c4; stroke: #fff }
.return { fill: #f7d9a8; stroke: #fff }
.function { fill: #e6edf5; stroke: #8598ad }
.inlined { fill: #eadcf7; stroke: #a585c9; stroke-dasharray: 3 2 }
.tick { stroke: #59636e }
.went { fill: url(#went); stroke: #c4312c }
.came { fill: url(#came); stroke: #1a7f37 }
.went-line { stroke: #c4312c; stroke-width: 2px }
.came-line { stroke: #1a7f37; stroke-width: 2px }
.went-tick { stroke: #c4312c }
.came-tick { stroke: #1a7f37 }
.went-text { fill: #c4312c }
.came-text { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.faint, .mark { fill: #9198a1 }
.name { stroke: #0d1117 }
.page { fill: #0d1117 }
.user { fill: #3d444d; stroke: #0d1117 }
.stub, .return { fill: #6b4d16; stroke: #0d1117 }
.enter, .exit { fill: #25572c; stroke: #0d1117 }
.dispatch { fill: #1d5468; stroke: #0d1117 }
.call { fill: #41468f; stroke: #0d1117 }
.inside { fill: #4a4f2c; stroke: #0d1117 }
.function { fill: #212b36; stroke: #65788e }
.inlined { fill: #3a2a4f; stroke: #a585c9 }
.tick { stroke: #9198a1 }
.went, .went-line, .went-tick { stroke: #ff7b72 }
.came, .came-line, .came-tick { stroke: #56d364 }
.went-text { fill: #ff7b72 }
.came-text { fill: #56d364 }
}
</style>
<defs>
<pattern id="went" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="went-line" x1="0" y1="0" x2="0" y2="7"/></pattern>
<pattern id="came" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><line class="came-line" x1="0" y1="0" x2="0" y2="7"/></pattern>
</defs>
)css";

}  // namespace

std::string xml_text(std::string_view text) {
    std::string escaped;
    for (const char c : report::harmless(text)) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

void Svg::box(std::string_view css, const Box& box, std::string_view hint) {
    shapes_ +=
        fmt::format(R"(<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}">)",
                    css, box.x, box.y, box.width, box.height);
    if (!hint.empty()) {
        shapes_ += "<title>" + xml_text(hint) + "</title>";
    }
    shapes_ += "</rect>\n";
}

void Svg::line(std::string_view css, double x1, double y1, double x2, double y2) {
    shapes_ += fmt::format(R"(<line class="{}" x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}"/>)",
                           css, x1, y1, x2, y2);
    shapes_ += '\n';
}

void Svg::text(std::string_view css, double x, double y, std::string_view text) {
    shapes_ += fmt::format("<text class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", css, x, y,
                           xml_text(text));
}

void Svg::text_in(std::string_view css, const Box& box, std::string_view text, double letter) {
    const double room = (box.width - 4) / letter;
    if (room >= fewest_letters) {
        this->text(css, box.x + box.width / 2, box.y + box.height / 2 + 3.5,
                   shorten(report::harmless(text), static_cast<std::size_t>(room)));
    }
}

std::string Svg::document(double width, double height, std::string_view title) const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
               "width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\">\n<title>{}</title>\n",
               width, height, width, height, xml_text(title)) +
           std::string(style) +
           fmt::format("<rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width,
                       height) +
           shapes_ + "</svg>\n";
}

}  // namespace kerntoll::lab::path
