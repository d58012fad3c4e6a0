#pragma once

#include "adapters/file_view.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd::cursor {

// Tells which folder a conversation belongs to: workspaceStorage/<hash>/ has the folder in workspace.json and the ids
// of its conversations in state.vscdb. Keeps what it read; reads again only files that changed. Thread-safe.
class WorkspaceFolders {
 public:
  // Looks at the workspaces below a <User> folder: a few system calls each.
  void refresh(const FileView& files, const std::string& user_folder);

  // Empty when no workspace says so, or it has no folder of its own (several roots, an empty window).
  std::string of_conversation(const std::string& user_folder, const std::string& id) const;
  std::string of_workspace(const std::string& user_folder, const std::string& hash) const;

 private:
  struct Workspace {
    std::uint64_t seen = 0;  // of the files' sizes and times
    std::string folder;
    std::vector<std::string> conversations;
  };
  struct User {
    std::map<std::string, Workspace> workspaces;                 // by hash
    std::unordered_map<std::string, std::string> conversations;  // id → hash
  };
  mutable std::mutex mutex_;
  std::map<std::string, User> users_;
};

// The folder in a workspace.json; empty when it names several, or none.
std::string folder_of_workspace(const FileView& files, const std::string& workspace);

}  // namespace memd::cursor
