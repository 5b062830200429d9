// SPDX-License-Identifier: MIT
#include "lab/path/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/path/grid.hpp"
#include "lab/path/svg.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr double page_width = 1200;
constexpr double margin = 24;
constexpr double user_width = 46;
constexpr double strip_left = margin + user_width;
constexpr double strip_width = page_width - 2 * strip_left;
constexpr double band_height = 22;
constexpr double frame_height = 20;
constexpr double line_height = 17;
constexpr double mark_height = 11;
constexpr std::size_t tick_rows = 4;
constexpr std::size_t caption_rows = 4;
constexpr double name_letter = 6.1;   ///< width of a letter in a box
constexpr double mark_letter = 5.5;   ///< and over a tick
constexpr double text_letter = 6.6;   ///< about that of running text
constexpr double shortest_unit = 25;  ///< of the scale in the legend
constexpr double narrowest = 0.25;    ///< what is narrower than this nobody sees

/// What one side has and the other has not.
struct Hatching {
    std::string_view css;  ///< "went"
    char sign = '-';       ///< before the number of instructions
    std::vector<bool> on;  ///< of each step
};

/// Where a label stands: its row, the one farthest from the strip being 0, and on which side of its
/// tick.
struct Spot {
    std::size_t row = 0;
    bool left = false;
};

/// Places labels beside their ticks, from left to right, so that no label and no tick crosses
/// another. A tick runs from its label's row through all rows nearer to the strip.
class Rows {
public:
    explicit Rows(std::size_t count) : labels_(count, 0), ticks_(count, 0) {}

    /// Right of the tick and far from the strip if possible, which leaves room to those that
    /// follow; left of it where the page ends; nothing where there is no room.
    std::optional<Spot> place(double x, double width) {
        const std::size_t count = labels_.size();
        std::size_t farthest = count;  // the tick may run from here
        while (farthest > 0 && x >= labels_[farthest - 1]) {
            --farthest;
        }
        if (x + width <= page_width) {
            return farthest < count ? take(x, {farthest, false}, x + width) : std::nullopt;
        }
        for (std::size_t row = count; row-- > farthest;) {
            if (x - width >= std::max(labels_[row], ticks_[row])) {
                return take(x, {row, true}, x);
            }
        }
        return std::nullopt;
    }

private:
    std::optional<Spot> take(double x, Spot spot, double end) {
        labels_[spot.row] = end;
        std::fill(ticks_.begin() + static_cast<std::ptrdiff_t>(spot.row) + 1, ticks_.end(), x);
        return spot;
    }

    std::vector<double> labels_;  ///< where the last label of each row ends
    std::vector<double> ticks_;   ///< the last tick that runs through each row
};

/// One path, from user to user.
class Strip {
public:
    Strip(Svg& svg, const Anatomy& anatomy, double scale, double top, const Hatching& hatching)
        : svg_(svg), anatomy_(anatomy), scale_(scale), top_(top), hatching_(hatching) {}

    /// Draws it and returns where it ends.
    double draw() {
        const double band = top_ + tick_rows * mark_height + 6;
        ticks(band);
        phases(band);
        frames_top_ = band + band_height + 3;
        rows_.assign(anatomy_.steps.size(), 0);
        frames(anatomy_.tree, 0);
        hatch();
        for (const auto& [box, name] : names_) {
            svg_.text_in("name", box, name_for(box, name), name_letter);
        }
        return captions(frames_top_ + static_cast<double>(depth_) * frame_height);
    }

private:
    [[nodiscard]] double x(std::size_t step) const {
        return strip_left + scale_ * static_cast<double>(step);
    }
    [[nodiscard]] Box box(std::size_t from, std::size_t to, double y, double height) const {
        return {x(from), y, x(to) - x(from), height};
    }

    /// Barriers and instructions that are counted by name.
    void ticks(double band) {
        Rows rows(tick_rows);
        double last = 0;
        for (std::size_t at = 0; at < anatomy_.steps.size(); ++at) {
            const Step& step = anatomy_.steps[at];
            if (!step.kind.barrier && step.kind.special.empty()) {
                continue;
            }
            const double middle = x(at) + scale_ / 2;
            const std::string text = disassembly(*step.instruction);
            const std::string name = report::harmless(
                step.kind.special.empty() ? text.substr(0, text.find(' ')) : step.kind.special);
            const auto spot =
                rows.place(middle, mark_letter * static_cast<double>(report::columns_of(name) + 2));
            if (!spot && middle - last < 1) {
                continue;
            }
            last = middle;
            const double from =
                spot ? top_ + static_cast<double>(spot->row) * mark_height + 2 : band - 5;
            svg_.line("tick", middle, from, middle, band);
            if (spot) {
                label("mark", *spot, middle, from + 7, name);
            }
        }
    }

    /// The last part of a qualified name where there is no room for all of it.
    static std::string_view name_for(const Box& box, std::string_view name) {
        const auto last = name.rfind("::");
        const double width = name_letter * static_cast<double>(name.size()) + 4;
        return width > box.width && last != std::string_view::npos ? name.substr(last + 2) : name;
    }

    void label(const std::string& css, const Spot& spot, double x, double y,
               std::string_view text) {
        svg_.text(spot.left ? css + " left" : css, spot.left ? x - 4 : x + 4, y, text);
    }

    void phases(double band) {
        const double height = band_height;
        const auto user = [&](double left) {
            const Box end{left, band, user_width, height};
            svg_.box("user", end, "the user's program");
            svg_.text_in("phase-name", end, "user", text_letter);
        };
        user(margin);
        for (std::size_t from = 0; from < anatomy_.steps.size();) {
            const Phase phase = anatomy_.steps[from].phase;
            std::size_t to = from;
            while (to < anatomy_.steps.size() && anatomy_.steps[to].phase == phase) {
                ++to;
            }
            const Box part = box(from, to, band, height);
            svg_.box(name(phase), part,
                     fmt::format("{}: {}", name(phase), plural(to - from, "instruction")));
            svg_.text_in("phase-name", part, name(phase), text_letter);
            from = to;
        }
        user(x(anatomy_.steps.size()));
    }

    void frames(const std::vector<Frame>& siblings, std::size_t row) {
        for (const Frame& frame : siblings) {
            const std::size_t end =
                std::min<std::size_t>(anatomy_.steps.size(), frame.first_step + frame.total);
            const std::size_t begin = std::min<std::size_t>(end, frame.first_step);
            const Box place = box(begin, end, row_top(row), frame_height - 2);
            std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                      rows_.begin() + static_cast<std::ptrdiff_t>(end), row);
            if (place.width < narrowest) {
                continue;
            }
            depth_ = std::max(depth_, row + 1);
            svg_.box(frame.inlined ? "inlined" : "function", place,
                     fmt::format("{}{}: {}, {} of them its own", frame.name,
                                 frame.inlined ? " (inlined)" : "",
                                 plural(frame.total, "instruction"), frame.own));
            names_.emplace_back(place, frame.name);
            frames(frame.children, row + 1);
        }
    }
    [[nodiscard]] double row_top(std::size_t row) const {
        return frames_top_ + static_cast<double>(row) * frame_height;
    }

    /// Each run of steps that the other path has not, in the row of its frame.
    void hatch() {
        for (std::size_t from = 0; from < hatching_.on.size();) {
            std::size_t to = from;
            while (to < hatching_.on.size() && hatching_.on[to] && rows_[to] == rows_[from]) {
                ++to;
            }
            if (to > from) {
                svg_.box(hatching_.css, box(from, to, row_top(rows_[from]), frame_height - 2));
            }
            from = std::max(to, from + 1);
        }
    }

    /// Under the strip: how much each function holds of what the other path has not.
    double captions(double bottom) {
        struct Part {
            std::size_t first = 0;
            std::size_t steps = 0;
        };
        std::vector<Part> parts(anatomy_.functions.size());
        std::vector<std::uint32_t> order;
        for (std::size_t at = 0; at < hatching_.on.size(); ++at) {
            Part& part = parts[anatomy_.steps[at].function];
            if (hatching_.on[at] && part.steps++ == 0) {
                part.first = at;
                order.push_back(anatomy_.steps[at].function);
            }
        }
        const std::size_t lines = std::min(order.size(), caption_rows);
        Rows rows(lines);
        double end = bottom;
        for (const std::uint32_t function : order) {
            const Part& part = parts[function];
            const double x = this->x(part.first) + scale_ / 2;
            const std::string text =
                fmt::format("{1}{0} in {2}", part.steps, hatching_.sign,
                            report::harmless(anatomy_.functions[function].name));
            if (const auto spot = rows.place(
                    x, text_letter * static_cast<double>(report::columns_of(text) + 1))) {
                // The first row is the farthest from the strip, as above it.
                const double y = bottom + static_cast<double>(lines - spot->row) * line_height;
                svg_.line(std::string(hatching_.css) + "-tick", x,
                          row_top(rows_[part.first]) + frame_height - 2, x, y - 1);
                label(std::string(hatching_.css) + "-text", *spot, x, y, text);
                end = std::max(end, y + 4);
            }
        }
        return end;
    }

    Svg& svg_;
    const Anatomy& anatomy_;
    double scale_;
    double top_;
    const Hatching& hatching_;
    double frames_top_ = 0;
    std::size_t depth_ = 0;
    std::vector<std::size_t> rows_;  ///< of each step: the row of its innermost frame
    std::vector<std::pair<Box, std::string>> names_;  ///< drawn last, over the hatching
};

/// The picture as it grows downwards.
class Page {
public:
    explicit Page(std::string title) : title_(std::move(title)) {
        y_ += 4;
        line("title", title_);
        line("faint",
             "What the kernel executes between the user's system call and the user's next "
             "instruction, from left to right.");
        line("faint",
             "Widths are instructions, not time. Functions hang below what they were called from.");
        line("faint",
             "The band above them: the stub saves the user's registers, enter prepares for the "
             "call, "
             "dispatch looks it up, exit ends it, return restores the registers.");
    }

    void strip(std::string_view label, const Traced& traced, double scale,
               const Hatching& hatching) {
        y_ += line_height;
        constexpr std::size_t room = 120;  // a path may be any length, and the page is not
        line("strong", fmt::format("{}{} · {}", label, shorten(traced.target, room),
                                   plural(traced.anatomy.total.instructions, "instruction")));
        y_ = Strip(svg_, traced.anatomy, scale, y_ + 5, hatching).draw() + 6;
    }

    void legend(double scale, bool two, bool inlining) {
        y_ += line_height;
        double x = margin;
        const auto entry = [&](std::string_view css, const std::string& text) {
            svg_.box(css, {x, y_ - 11, 26, 13});
            svg_.text("faint", x + 32, y_, text);
            x += 56 + text_letter * static_cast<double>(text.size());
        };
        entry("function", "function");
        if (inlining) {
            entry("inlined", "inlined into the function above");
        }
        if (two) {
            entry("went", "only in A: went");
            entry("came", "only in B: came");
        }
        svg_.line("tick", x + 4, y_ - 11, x + 4, y_ + 2);
        svg_.text("faint", x + 12, y_, "barrier or system instruction");
        x += 220;
        std::uint64_t unit = 10;
        while (static_cast<double>(unit) * scale < shortest_unit) {
            unit *= 10;
        }
        const double end = x + static_cast<double>(unit) * scale;
        svg_.line("tick", x, y_ - 4, end, y_ - 4);
        svg_.text("faint", end + 6, y_, plural(unit, "instruction"));
        y_ += 6;
    }

    void sentences(const std::vector<std::string>& sentences) {
        y_ += 4;
        for (const std::string& sentence : sentences) {
            const auto letters = static_cast<std::size_t>((page_width - 2 * margin) / text_letter);
            for (const std::string& part : report::wrap(report::harmless(sentence), letters)) {
                line("", part);
            }
        }
    }

    [[nodiscard]] std::string document() const {
        return svg_.document(page_width, y_ + margin, title_);
    }

private:
    void line(std::string_view css, std::string_view text) {
        y_ += line_height;
        svg_.text(css, margin, y_, text);
    }

    Svg svg_;
    std::string title_;
    double y_ = 12;
};

bool inlines(const Anatomy& anatomy) {
    return std::ranges::any_of(anatomy.steps,
                               [](const Step& step) { return !step.inlined.empty(); });
}

double scale_for(std::size_t steps) {
    return strip_width / static_cast<double>(std::max<std::size_t>(steps, 1));
}

}  // namespace

std::string picture(const Explanation& explanation) {
    const Anatomy& base = explanation.base.anatomy;
    const Anatomy& change = explanation.change.anatomy;
    Hatching went{"went", '-', std::vector<bool>(base.steps.size(), false)};
    Hatching came{"came", '+', std::vector<bool>(change.steps.size(), false)};
    for (const Pair& pair : explanation.difference.pairs) {
        if (pair.base && !pair.change) {
            went.on[*pair.base] = true;
        } else if (pair.change && !pair.base) {
            came.on[*pair.change] = true;
        }
    }
    const double scale = scale_for(std::max(base.steps.size(), change.steps.size()));
    Page page(fmt::format("{}: {}", explanation.base.workload, total_text(explanation)));
    page.strip("A: ", explanation.base, scale, went);
    page.strip("B: ", explanation.change, scale, came);
    page.legend(scale, true, inlines(base) || inlines(change));
    auto told = sentences(explanation, report::harmless);
    for (const Traced* side : {&explanation.base, &explanation.change}) {
        if (is_told(side->anatomy, Phase::inside)) {
            told.push_back((side == &explanation.base ? "A: " : "B: ") +
                           phase_sentences(side->anatomy).front());
        }
    }
    page.sentences(told);
    return page.document();
}

std::string picture(const Traced& traced) {
    const double scale = scale_for(traced.anatomy.steps.size());
    Page page(fmt::format("{}: {}", traced.workload,
                          plural(traced.anatomy.total.instructions, "instruction")));
    page.strip("", traced, scale, {});
    page.legend(scale, false, inlines(traced.anatomy));
    if (is_told(traced.anatomy, Phase::inside)) {
        page.sentences(phase_sentences(traced.anatomy));
    }
    return page.document();
}

}  // namespace kerntoll::lab::path
