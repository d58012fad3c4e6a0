#include "test/fuzz/fuzz_target.hpp"
#include "test/fuzz/log_check.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Reads any bytes as a Claude Code source: no crash, and the ledger covers every byte. The first byte selects the kind
// of source.
MEMD_FUZZ_TARGET(claude_code) {
  using namespace memd;
  if (size == 0) return 0;
  static const Adapter& adapter = *find_adapter(Platform::claude_code);
  static constexpr std::string_view kSession = "11111111-1111-4111-8111-111111111111";
  static constexpr std::string_view kPlaces[] = {".jsonl", "/subagents/agent-a1.jsonl", "/subagents/agent-a1.meta.json",
                                                 "/subagents/workflows/wf_1/journal.jsonl"};
  Source source;
  source.path = "/home/ada/.claude/projects/-home-ada/" + std::string(kSession) + std::string(kPlaces[data[0] % 4]);
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const SourceCandidate candidate{Platform::claude_code, source.path,
                                  data[0] % 4 == 2 ? SourceFormat::json : SourceFormat::jsonl};
  source.session_uid = adapter.session_uid(candidate, input.substr(0, kHeadBytes));
  fuzz::check_log(adapter, source, input, candidate.format == SourceFormat::json);
  return 0;
}
