#include "test/fuzz/fuzz_target.hpp"
#include "test/fuzz/log_check.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Reads any bytes as a Codex source, or as Claude Code's prompt history: no crash, and the ledger covers every byte.
// The first byte selects the kind of source.
MEMD_FUZZ_TARGET(codex) {
  using namespace memd;
  if (size == 0) return 0;
  static constexpr std::string_view kPlaces[] = {
      "/home/ada/.codex/sessions/2026/03/04/rollout-2026-03-04T11-00-00-019c0000-0000-7000-8000-000000000001.jsonl",
      "/home/ada/.codex/session_index.jsonl", "/home/ada/.codex/history.jsonl", "/home/ada/.claude/history.jsonl"};
  const int place = data[0] % 4;
  const Adapter& adapter = *find_adapter(place == 3 ? Platform::claude_code : Platform::codex);
  Source source;
  source.path = kPlaces[place];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  source.session_uid = adapter.session_uid({Platform::codex, source.path}, input.substr(0, kHeadBytes));
  fuzz::check_log(adapter, source, input);
  return 0;
}
