// SPDX-License-Identifier: MIT
// The few shapes of which pictures of paths are made. All text is escaped here, and here alone.
#pragma once

#include <string>
#include <string_view>

namespace kerntoll::lab::path {

/// Text from anywhere as it may stand in an XML document: harmless, and no markup.
[[nodiscard]] std::string xml_text(std::string_view text);

struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};

/// Collects shapes. Classes are those of the document's style sheet.
class Svg {
public:
    /// `hint` is what a reader sees who points at the box.
    void box(std::string_view css, const Box& box, std::string_view hint = {});
    void line(std::string_view css, double x1, double y1, double x2, double y2);
    void text(std::string_view css, double x, double y, std::string_view text);
    /// Centred in the box, shortened to what fits; nothing where that is less than a few letters.
    void text_in(std::string_view css, const Box& box, std::string_view text, double letter);

    /// The document, with the style sheet for light and dark pages.
    [[nodiscard]] std::string document(double width, double height, std::string_view title) const;

private:
    std::string shapes_;
};

}  // namespace kerntoll::lab::path
