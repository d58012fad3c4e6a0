#include "adapters/grok/item_decoder.hpp"
#include "adapters/grok/session_reader.hpp"
#include "adapters/registry.hpp"
#include "schemas/ids.hpp"

#include <utility>

namespace memd::grok {
namespace {

// Grok Build, xAI's coding agent. Formats: update_log.hpp, session_reader.hpp. Stateless, thread-safe.
class GrokAdapter final : public json::AdapterOf<ItemDecoder> {
 public:
  GrokAdapter()
      : AdapterOf(
            {.platform = Platform::grok,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::full,
             .capabilities = {Capability::semantic_search, Capability::temporal_query, Capability::session_summary,
                              Capability::exchange_retrieval, Capability::token_metrics, Capability::file_context,
                              Capability::live_tail, Capability::tool_calls, Capability::compaction_markers,
                              Capability::cost, Capability::git_branch},
             .limitations =
                 {"Follows the public source and what the program wrote at work; no real user's data was seen.",
                  "Tokens are known for whole turns, after their end; those of a helper whose log is gone count "
                  "in the turn.",
                  "Turns removed by a rewind stay searchable.",
                  "Sessions with only chat_history.jsonl left have no times of their own.",
                  "The branch is the last one recorded for the session, not that of each message."},
             .storage_locations = {"~/.grok/sessions", "$GROK_HOME/sessions"},
             .resume_command = {"grok", "--resume", "{id}"}}) {}  // docs.x.ai

  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override {
    return home.roots_in("GROK_HOME", ".grok", "sessions");
  }

  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override {
    const auto relative = file.lexically_relative(root);
    if (relative.empty() || *relative.begin() == "..") return std::nullopt;
    const auto path = parse_source_path(file);
    if (!path) return std::nullopt;
    return SourceCandidate{Platform::grok, path->main, SourceFormat::json};
  }

  // Sessions are two levels down; below them are checkpoints and archives.
  bool looks_into(const std::filesystem::path&, const std::filesystem::path& directory) const override {
    return !is_uuid(directory.parent_path().filename().string());
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const auto path = parse_source_path(source.path);
    return path ? make_session_uid(Platform::grok, path->id) : std::string();
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    auto path = parse_source_path(source.path);
    return path ? std::make_unique<SessionReader>(std::move(*path), files) : nullptr;
  }
};

}  // namespace

}  // namespace memd::grok

MEMD_ADAPTER(grok, grok::GrokAdapter())
