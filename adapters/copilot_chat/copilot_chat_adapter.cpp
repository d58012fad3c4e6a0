#include "adapters/copilot_chat/chat_reader.hpp"
#include "adapters/copilot_chat/request_decoder.hpp"
#include "adapters/registry.hpp"
#include "adapters/vscode/places.hpp"
#include "schemas/ids.hpp"

#include <memory>

// The chat of VS Code (GitHub Copilot Chat): a file for each session, below the "User" folder of the editor
//
//   workspaceStorage/<hash>/chatSessions/<session id>.json or .jsonl; the folder's workspace.json names the project
//   globalStorage/emptyWindowChatSessions/<session id>.json or .jsonl
//
// Formats: microsoft/vscode, src/vs/workbench/contrib/chat/common/model (chatModel.ts, chatSessionOperationLog.ts,
// objectMutationLog.ts @047238f9fe1b), and what the extension adds under result.metadata:
// microsoft/vscode-copilot-chat, src/extension/prompt/common/conversation.ts.
namespace memd::copilot_chat {
namespace {

namespace fs = std::filesystem;

// A path in the configuration is a "User" folder. Stateless, thread-safe.
class CopilotChatAdapter final : public AdapterOf<RequestDecoder> {
 public:
  CopilotChatAdapter()
      : AdapterOf(
            {.platform = Platform::copilot_chat,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::full,
             .capabilities = all_capabilities_but({Capability::cost, Capability::session_stop, Capability::git_branch}),
             .limitations =
                 {"Follows the public source of VS Code; no real data was seen.",
                  "Tokens are those of the last request of a turn to the model: VS Code records no others.",
                  "Times are known for the start and the end of a turn, and for the rounds of its calls.",
                  "chatEditingSessions, which hold copies of edited files, are not read.",
                  "The calls of a subagent are part of its parent's turn.",
                  "Chats of chat participants that keep their own sessions (Claude, Codex, cloud agents) are not in "
                  "these files."},
             .storage_locations = {"~/.config/<editor>/User/workspaceStorage/*/chatSessions",
                                   "~/.config/<editor>/User/globalStorage/emptyWindowChatSessions",
                                   "~/Library/Application Support/<editor>/User/…", "%APPDATA%\\<editor>\\User\\…",
                                   "~/.vscode-server/data/User/…"},
             .resume_command = {}}) {}  // VS Code opens a chat only in its own view

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    return vscode::user_folders(home.home, {"Code", "Code - Insiders", "Code - OSS", "VSCodium"},
                                {".vscode-server", ".vscode-server-insiders", ".vscode-remote", ".vscodium-server"});
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    if (!is_chats(root, file.parent_path()) || (file.extension() != ".json" && file.extension() != ".jsonl"))
      return std::nullopt;
    return SourceCandidate{Platform::copilot_chat, file.string(), SourceFormat::json};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const auto name = directory.filename();
    return directory == root || is_chats(root, directory) || directory.parent_path() == root / "workspaceStorage" ||
           (directory.parent_path() == root && (name == "workspaceStorage" || name == "globalStorage"));
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    return make_session_uid(Platform::copilot_chat, fs::path(source.path).stem().string());
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    return std::make_unique<ChatReader>(files, source.path);
  }

 private:
  static bool is_chats(const fs::path& root, const fs::path& folder) {
    const auto above = folder.parent_path();
    if (above == root / "globalStorage")
      return folder.filename() == "emptyWindowChatSessions" || folder.filename() == "transferredChatSessions";
    return above.parent_path() == root / "workspaceStorage" && folder.filename() == "chatSessions";
  }
};

}  // namespace
}  // namespace memd::copilot_chat

MEMD_ADAPTER(copilot_chat, copilot_chat::CopilotChatAdapter())
