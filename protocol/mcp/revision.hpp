#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace memd::mcp {

// Revisions of the protocol, oldest first, so that "has it" is a comparison.
enum class Revision { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr std::array<std::string_view, 5> kRevisionNames{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                                                "2026-07-28"};
inline constexpr Revision kLatestLegacy = Revision::v2025_11_25;

constexpr std::string_view to_string(Revision r) { return kRevisionNames[static_cast<std::size_t>(r)]; }
constexpr bool is_modern(Revision r) { return r >= Revision::v2026_07_28; }  // no handshake, _meta on each request
constexpr bool has_batches(Revision r) { return r == Revision::v2025_03_26; }
constexpr bool has_annotations(Revision r) { return r >= Revision::v2025_03_26; }
constexpr bool has_completions(Revision r) { return r >= Revision::v2025_03_26; }  // as a capability
constexpr bool has_progress_message(Revision r) { return r >= Revision::v2025_03_26; }
constexpr bool has_structured_content(Revision r) { return r >= Revision::v2025_06_18; }  // and titles

// Returns the revision if `initialize` may request it.
constexpr std::optional<Revision> parse_legacy_revision(std::string_view text) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(kLatestLegacy); ++i)
    if (kRevisionNames[i] == text) return static_cast<Revision>(i);
  return std::nullopt;
}

}  // namespace memd::mcp
