#include "adapters/codex/codex_adapter.hpp"

#include "adapters/codex/index_decoder.hpp"
#include "adapters/codex/paths.hpp"
#include "adapters/codex/rollout_decoder.hpp"
#include "schemas/ascii.hpp"
#include "schemas/ids.hpp"

#include <algorithm>

namespace memd::codex {
namespace {

namespace fs = std::filesystem;

bool is_rollout_folder(const fs::path& name) { return name == "sessions" || name == "archived_sessions"; }

}  // namespace

const AdapterDescription& CodexAdapter::describe() const {
  static const AdapterDescription description = [] {
    AdapterDescription d;
    d.platform = Platform::codex;
    d.adapter_version = "1.0.0";
    d.data_completeness = DataCompleteness::full;
    d.capabilities = {Capability::semantic_search,    Capability::temporal_query,     Capability::session_summary,
                      Capability::exchange_retrieval, Capability::token_metrics,      Capability::file_context,
                      Capability::live_tail,          Capability::compaction_markers, Capability::tool_calls};
    d.limitations = {
        "Reasoning that Codex stored encrypted has no text.",
        "Images are kept by reference to the rollout, not as text.",
        "Files that shell commands change are known only where the command carries a patch.",
        "In forks from before messages had ids, what repeats the origin's words within five seconds of the fork's "
        "start "
        "is taken for a copy; so is what the origin said before the fork, if the fork was read first.",
        "Turns that were taken back stay in the history, with a note that they were.",
        "Files of sessions started with another CODEX_HOME are read when the configuration names it.",
    };
    d.storage_locations = {"~/.codex/sessions", "~/.codex/archived_sessions", "~/.codex/session_index.jsonl",
                           "~/.codex/history.jsonl"};
    return d;
  }();
  return description;
}

std::vector<fs::path> CodexAdapter::roots(const HomeLayout& home) const {
  if (!home.override_roots.empty()) return home.override_roots;
  const auto codex = home.home / ".codex";
  return {codex / "sessions", codex / "archived_sessions", codex / "session_index.jsonl", codex / "history.jsonl"};
}

std::optional<SourceCandidate> CodexAdapter::classify(const fs::path& root, const fs::path& file) const {
  const auto path = parse_source_path(file);
  if (!path) return std::nullopt;
  // The two lists stand in CODEX_HOME itself.
  if (path->kind != SourceKind::rollout && file != root && file.parent_path() != root) return std::nullopt;
  return SourceCandidate{Platform::codex, file.string(), SourceFormat::jsonl};
}

// A CODEX_HOME also holds logs, work trees and plug-ins.
bool CodexAdapter::looks_into(const fs::path& root, const fs::path& directory) const {
  if (is_rollout_folder(root.filename()) || directory.parent_path() != root) return true;
  const std::string name = directory.filename().string();
  return is_rollout_folder(name) || std::all_of(name.begin(), name.end(), ascii::is_digit);
}

std::string CodexAdapter::session_uid(const SourceCandidate& source, std::string_view head) const {
  const auto path = parse_source_path(source.path);
  if (!path || path->kind != SourceKind::rollout) return {};
  const auto told = find_thread_id(head);
  const std::string id = told.empty() ? path->id : std::string(told);
  return id.empty() ? std::string() : make_session_uid(Platform::codex, id);
}

std::unique_ptr<RecordDecoder> CodexAdapter::open(const Source& source) const {
  const auto path = parse_source_path(source.path);
  if (path && path->kind == SourceKind::session_index) return std::make_unique<SessionIndexDecoder>();
  if (path && path->kind == SourceKind::history) return std::make_unique<HistoryDecoder>();
  return std::make_unique<RolloutDecoder>(source);
}

std::optional<std::string> CodexAdapter::event_text(std::string_view record, EventKind kind,
                                                    std::uint16_t block) const {
  Source source;
  source.platform = Platform::codex;
  EventBatch batch;
  RolloutDecoder(source, Detail::full).decode({record, 1, false}, batch);
  if (batch.events.empty()) HistoryDecoder(Detail::full).decode({record, 1, false}, batch);
  return take_text(batch, kind, block);
}

const Adapter& adapter() {
  static const CodexAdapter instance;
  return instance;
}

}  // namespace memd::codex
