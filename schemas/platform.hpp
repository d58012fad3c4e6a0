#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The agents that memd supports. "imported" stands for event files of other tools (memd import). A platform's number is
// part of event ids (record_key): a new platform takes the next number, and none is ever given again.
enum class Platform : std::uint16_t {
  claude_code = 0,
  cursor = 1,
  cline = 2,
  codex = 3,
  grok = 4,
  opencode = 5,
  gemini = 6,
  thunderus = 7,
  imported = 8,
  pi = 9,
  kilo = 10,
  vibe = 15,
  openhands = 16,
  aider = 17,
  roo_code = 32,
  kilo_code = 33,
};

// Names and colours of a platform.
struct PlatformInfo {
  Platform id{};
  std::string_view key;    // part of every interface and of session uids: lower case, never changed
  std::string_view name;   // for people
  std::string_view light;  // its colour on light pages: #rrggbb
  std::string_view dark;   // and on dark ones
};

// One line per platform, ordered by number. Tool arguments, configuration and pages use these.
inline constexpr auto kPlatforms = std::to_array<PlatformInfo>({
    {Platform::claude_code, "claude_code", "Claude Code", "#c8623b", "#e58a63"},
    {Platform::cursor, "cursor", "Cursor", "#6b7280", "#a3acb9"},
    {Platform::cline, "cline", "Cline", "#7c4fd0", "#a988f0"},
    {Platform::codex, "codex", "Codex", "#2f6fdb", "#6aa3ff"},
    {Platform::grok, "grok", "Grok Build", "#b03a86", "#e573bd"},
    {Platform::opencode, "opencode", "opencode", "#0f8a7e", "#3fc0b2"},
    {Platform::gemini, "gemini", "Gemini CLI", "#b0830a", "#e3b93c"},
    {Platform::thunderus, "thunderus", "Thunderus", "#3f8f29", "#77c45f"},
    {Platform::imported, "imported", "Imported", "#8a5a44", "#c29580"},
    {Platform::pi, "pi", "pi", "#c2415d", "#f08aa0"},
    {Platform::kilo, "kilo", "Kilo", "#7d7a00", "#cfcb3a"},
    {Platform::vibe, "vibe", "Mistral Vibe", "#d1500b", "#ff9a5c"},
    {Platform::openhands, "openhands", "OpenHands", "#9c6a00", "#f2c14e"},
    {Platform::aider, "aider", "aider", "#14804a", "#4fd08b"},
    {Platform::roo_code, "roo_code", "Roo Code", "#4a5fc1", "#8fa1f5"},
    {Platform::kilo_code, "kilo_code", "Kilo Code", "#8c8300", "#e0d64f"},
});
static_assert(std::ranges::adjacent_find(kPlatforms, std::ranges::greater_equal(), &PlatformInfo::id) ==
                  kPlatforms.end(),
              "each number has one line, in the order of the numbers");

// Returns the lines of all platforms, ordered by number.
std::span<const PlatformInfo> platforms();
// Returns their numbers, in the same order.
inline auto platform_ids() { return platforms() | std::views::transform(&PlatformInfo::id); }
// Returns the line of a platform, nullptr for a number that none has.
const PlatformInfo* find_platform(Platform id);
std::string_view name_of(Platform id);  // for people

std::string_view to_string(Platform p);  // its key
// Also accepts "claude" for claude_code.
std::optional<Platform> parse_platform(std::string_view key);

// Queries that a platform's history supports.
enum class Capability {
  semantic_search,
  temporal_query,
  session_summary,
  exchange_retrieval,
  token_metrics,
  file_context,
  live_tail,
  compaction_markers,
  tool_calls,
  cost,
  session_stop,
  git_branch,
};
inline constexpr std::array kAllCapabilities{Capability::semantic_search, Capability::temporal_query,
                                             Capability::session_summary, Capability::exchange_retrieval,
                                             Capability::token_metrics,   Capability::file_context,
                                             Capability::live_tail,       Capability::compaction_markers,
                                             Capability::tool_calls,      Capability::cost,
                                             Capability::session_stop,    Capability::git_branch};
std::string_view to_string(Capability c);
// Returns kAllCapabilities without those.
std::vector<Capability> all_capabilities_but(std::initializer_list<Capability> missing);

enum class DataCompleteness { full, partial, metadata_only, unknown };
std::string_view to_string(DataCompleteness c);
std::optional<DataCompleteness> parse_data_completeness(std::string_view text);

enum class AdapterStatus { active, unsupported, disabled };
std::string_view to_string(AdapterStatus s);

// SemVer of the adapter contract this daemon speaks. An adapter with another major is not used.
inline constexpr std::string_view kContractVersion = "1.0.0";
bool supports_contract(std::string_view version);  // true for the same major; false if `version` is no version

// Description that an adapter declares (entity PlatformAdapter).
struct AdapterDescription {
  Platform platform{};
  std::string contract_version{kContractVersion};
  std::string adapter_version;
  AdapterStatus status = AdapterStatus::active;
  DataCompleteness data_completeness = DataCompleteness::unknown;
  std::vector<Capability> capabilities;
  std::vector<std::string> limitations;        // plain words, one sentence each
  std::vector<std::string> storage_locations;  // as a user would write them: "~/.claude/projects"
  // Words of the command that opens a session in the agent; {id} stands for the session's own id, {file} for its
  // source. From the program's --help or documentation. Empty: there is none.
  std::vector<std::string> resume_command;
};

}  // namespace memd
