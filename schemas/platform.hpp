#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The agents memd knows. The keys (to_string) are part of every interface and of session uids.
// "imported" is what other tools hand over as event files (memd import).
enum class Platform { claude_code, cursor, cline, codex, grok, opencode, gemini, thunderus, imported };

inline constexpr std::array kAllPlatforms{Platform::claude_code, Platform::cursor,    Platform::cline,
                                          Platform::codex,       Platform::grok,      Platform::opencode,
                                          Platform::gemini,      Platform::thunderus, Platform::imported};

std::string_view to_string(Platform p);
// Also accepts "claude" for claude_code.
std::optional<Platform> parse_platform(std::string_view key);

// What can be asked about a platform's history.
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
};
inline constexpr std::array kAllCapabilities{Capability::semantic_search, Capability::temporal_query,
                                             Capability::session_summary, Capability::exchange_retrieval,
                                             Capability::token_metrics,   Capability::file_context,
                                             Capability::live_tail,       Capability::compaction_markers,
                                             Capability::tool_calls,      Capability::cost};
std::string_view to_string(Capability c);

enum class DataCompleteness { full, partial, metadata_only, unknown };
std::string_view to_string(DataCompleteness c);
std::optional<DataCompleteness> parse_data_completeness(std::string_view text);

enum class AdapterStatus { active, unsupported, disabled };
std::string_view to_string(AdapterStatus s);

// SemVer of the adapter contract this daemon speaks. An adapter with another major is not used.
inline constexpr std::string_view kContractVersion = "1.0.0";
bool speaks_contract(std::string_view version);  // the same major; not for what is no version

// What an adapter declares about itself (entity PlatformAdapter).
struct AdapterDescription {
  Platform platform{};
  std::string contract_version{kContractVersion};
  std::string adapter_version;
  AdapterStatus status = AdapterStatus::active;
  DataCompleteness data_completeness = DataCompleteness::unknown;
  std::vector<Capability> capabilities;
  std::vector<std::string> limitations;        // plain words, one sentence each
  std::vector<std::string> storage_locations;  // as a user would write them: "~/.claude/projects"
};

}  // namespace memd
