#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memd::harvest {

// The sections of a recap, in their order.
enum class RecapSection : std::uint8_t { sessions, decisions, problems, commits, files };
inline constexpr std::array kAllRecapSections{RecapSection::sessions, RecapSection::decisions, RecapSection::problems,
                                              RecapSection::commits, RecapSection::files};
std::string_view to_string(RecapSection s);
std::optional<RecapSection> parse_recap_section(std::string_view text);

}  // namespace memd::harvest
