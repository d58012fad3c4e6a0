#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
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
  qwen = 11,
  copilot = 12,
  droid = 13,
  kimi = 14,
  vibe = 15,
  openhands = 16,
  aider = 17,
  goose = 18,
  crush = 19,
  zed = 20,
  amazon_q = 21,
  kiro = 22,
  llm = 23,
  hermes = 24,
  warp = 25,
  copilot_chat = 30,
  continue_dev = 31,
  roo_code = 32,
  kilo_code = 33,
  gptme = 34,
  open_interpreter = 35,
  openclaw = 36,
  claude_desktop = 37,
  amp = 38,
  junie = 39,
  auggie = 40,
  trae = 41,
  void_editor = 42,
  windsurf = 43,
  antigravity = 44,
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
    {Platform::qwen, "qwen", "Qwen Code", "#5a4bd1", "#958aff"},
    {Platform::copilot, "copilot", "GitHub Copilot CLI", "#4a6b8a", "#8fb3d6"},
    {Platform::droid, "droid", "Factory Droid", "#b5541c", "#f0925a"},
    {Platform::kimi, "kimi", "Kimi Code", "#1c7fb8", "#5cbcf0"},
    {Platform::vibe, "vibe", "Mistral Vibe", "#d1500b", "#ff9a5c"},
    {Platform::openhands, "openhands", "OpenHands", "#9c6a00", "#f2c14e"},
    {Platform::aider, "aider", "aider", "#14804a", "#4fd08b"},
    {Platform::goose, "goose", "Goose", "#4d6b57", "#8fb59b"},
    {Platform::crush, "crush", "Crush", "#b5309e", "#ea86d8"},
    {Platform::zed, "zed", "Zed", "#1c6b9c", "#5fb0e0"},
    {Platform::amazon_q, "amazon_q", "Amazon Q", "#6a52c4", "#a596ee"},
    {Platform::kiro, "kiro", "Kiro", "#8538b8", "#c48af0"},
    {Platform::llm, "llm", "llm", "#5c6f2c", "#a8bd6e"},
    {Platform::hermes, "hermes", "Hermes", "#a0672c", "#dda56a"},
    {Platform::warp, "warp", "Warp", "#0e7f9e", "#4ec1df"},
    {Platform::copilot_chat, "copilot_chat", "Copilot Chat", "#1f7a8c", "#58c4d8"},
    {Platform::continue_dev, "continue", "Continue", "#9a4a4a", "#d98c8c"},
    {Platform::roo_code, "roo_code", "Roo Code", "#4a5fc1", "#8fa1f5"},
    {Platform::kilo_code, "kilo_code", "Kilo Code", "#8c8300", "#e0d64f"},
    {Platform::gptme, "gptme", "gptme", "#4b6a1f", "#9cc45c"},
    {Platform::open_interpreter, "open_interpreter", "Open Interpreter", "#6b4a8f", "#b58fe0"},
    {Platform::openclaw, "openclaw", "OpenClaw", "#a13d2d", "#f2755f"},
    {Platform::claude_desktop, "claude_desktop", "Claude Desktop", "#8c5a14", "#dba35c"},
    {Platform::amp, "amp", "Amp", "#b3382c", "#f0796b"},
    {Platform::junie, "junie", "Junie", "#7a6f12", "#d6c84a"},
    {Platform::auggie, "auggie", "Auggie", "#3d6b52", "#7fc4a0"},
    {Platform::trae, "trae", "Trae", "#0c7d4f", "#35d08e"},
    {Platform::void_editor, "void", "Void", "#5a5f73", "#a2a9c4"},
    {Platform::windsurf, "windsurf", "Windsurf", "#0b7f8f", "#3cc6d6"},
    {Platform::antigravity, "antigravity", "Antigravity", "#4a56b8", "#98a3f5"},
});
static_assert(std::ranges::adjacent_find(kPlatforms, std::ranges::greater_equal(), &PlatformInfo::id) ==
                  kPlatforms.end(),
              "each number has one line, in the order of the numbers");

// Returns the lines of all platforms, ordered by number: those above, and then those of the configuration.
std::span<const PlatformInfo> platforms();
// Sets the platforms that the configuration describes, in place of those set before. Their numbers have kOwnPlatform.
// Call before threads start. The texts must outlive the process's use of platforms().
void set_own_platforms(std::vector<PlatformInfo> own);
inline constexpr std::uint16_t kOwnPlatform = 0x8000;
// Returns the number of a platform of the configuration: its key decides it.
Platform own_platform(std::string_view key);
// Returns their numbers, in the same order.
inline auto platform_ids() { return platforms() | std::views::transform(&PlatformInfo::id); }
// Returns the line of a platform, nullptr for a number that none has.
const PlatformInfo* find_platform(Platform id);
std::string_view name_of(Platform id);  // for people

std::string_view to_string(Platform p);  // its key
// Takes a key or a name, whatever its case, with blanks or hyphens for underscores: "Claude Code". Also "claude".
std::optional<Platform> parse_platform(std::string_view key);
// Returns the platform of a stored key. An agent that the configuration describes no more keeps its key.
Platform stored_platform(std::string_view key);

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
