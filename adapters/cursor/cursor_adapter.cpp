#include "adapters/cursor/global_state_reader.hpp"
#include "adapters/cursor/item_decoder.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/cursor/readers.hpp"
#include "adapters/registry.hpp"
#include "schemas/ids.hpp"

namespace memd::cursor {
namespace {

// Cursor, the IDE and cursor-agent. Thread-safe. Its sources are changed in place or have no ids and times of their
// own:
//   <User>/globalStorage/state.vscdb             conversations since 0.43
//   <User>/workspaceStorage/<hash>/state.vscdb   earlier chat tabs and conversations, the prompt history
//   ~/.cursor/chats/<hash>/<uuid>/store.db       cursor-agent
//   ~/.cursor/projects/<slug>/agent-transcripts  transcripts without results, used where no better source exists
class CursorAdapter final : public json::AdapterOf<ItemDecoder> {
 public:
  CursorAdapter()
      : AdapterOf(
            {.platform = Platform::cursor,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::partial,
             .capabilities = {Capability::semantic_search, Capability::temporal_query, Capability::session_summary,
                              Capability::token_metrics, Capability::exchange_retrieval, Capability::file_context,
                              Capability::live_tail, Capability::tool_calls, Capability::cost, Capability::git_branch},
             .limitations =
                 {"Messages written before autumn 2025 have no time: it is estimated from the turn or the "
                  "conversation.",
                  "Only the last message of a turn has token counts, without cache figures, and not in all modes.",
                  "Of conversations that exist only as binary state of the agent back end, only messages in JSON are "
                  "read.",
                  "The folder of a conversation is known if a workspace lists it; otherwise it is the common folder of "
                  "its files.",
                  "Agent transcripts have neither times nor tool results; they are read if no database has the "
                  "conversation.",
                  "Only the current branch of a cursor-agent chat is read.",
                  "The prompt history of a workspace is used only if its conversations are missing."},
             .storage_locations = {"~/.config/Cursor/User", "$XDG_CONFIG_HOME/Cursor/User",
                                   "~/Library/Application Support/Cursor/User", "%APPDATA%\\Cursor\\User",
                                   "~/.cursor/chats", "~/.cursor/projects"},
             .resume_command = {"cursor-agent", "--resume", "{id}"}}) {}  // cursor.com/docs/cli/reference/parameters

  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    auto roots = default_roots(home.home);
    if (auto user = home.places("XDG_CONFIG_HOME", home.home / ".config").front() / "Cursor" / "User";
        user != roots.front())
      roots.insert(roots.begin(), std::move(user));
    return roots;
  }

  std::optional<SourceCandidate> classify(const std::filesystem::path&,
                                          const std::filesystem::path& file) const override {
    auto place = parse_place(file.string());
    if (!place) return std::nullopt;
    const bool document = place->place == Place::transcript;
    return SourceCandidate{Platform::cursor, std::move(place->main),
                           document ? SourceFormat::json : SourceFormat::sqlite};
  }

  bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const override {
    return is_on_the_way(root, directory);
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const auto place = parse_place(source.path);
    const bool one = place && (place->place == Place::chat_store || place->place == Place::transcript);
    return one ? make_session_uid(Platform::cursor, place->native) : std::string();
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    auto place = parse_place(source.path);
    if (!place) return nullptr;
    switch (place->place) {
      case Place::global_state: return std::make_unique<GlobalStateReader>(files, source, folders_);
      case Place::workspace_state: return open_workspace_state(files, std::move(*place));
      case Place::chat_store: return open_chat_store(files, std::move(*place));
      case Place::transcript: return open_transcript(files, std::move(*place));
    }
    return nullptr;
  }

 private:
  // A cache of file contents. Results do not depend on it.
  mutable WorkspaceFolders folders_;
};

}  // namespace

}  // namespace memd::cursor

MEMD_ADAPTER(cursor, cursor::CursorAdapter())
