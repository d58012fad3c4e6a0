#pragma once

#include "adapters/json/patched_value.hpp"
#include "adapters/snapshot/held_source.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::copilot_chat {

// Reads a chat session file of VS Code. A .json file is the session as a document. A .jsonl file is a log of what
// happened to it (microsoft/vscode, objectMutationLog.ts):
//
//   {"kind":0,"v":…}              the whole session
//   {"kind":1,"k":[…],"v":…}      the value at a path
//   {"kind":2,"k":[…],"v":[…],"i":n}  elements appended to the array at a path, behind its first n if it says so
//   {"kind":3,"k":[…]}            the value at a path is removed
//
// The items are the session's head, and its requests.
class ChatReader final : public snapshot::HeldSource {
 public:
  ChatReader(const FileView& files, const std::filesystem::path& path);

 protected:
  Result<void> read() override;

 private:
  void read_document();
  void read_log();
  void read_line(std::string_view text, std::uint64_t bytes);
  void keep_requests(std::size_t count);
  void take_requests(std::string_view array);
  void leave(std::string_view type, std::string_view reason, std::uint64_t bytes);

  std::string text_;
  json::PatchedValue session_{"{}"};
  std::vector<std::string> requests_;  // one object each; empty: a damaged range
  std::vector<std::uint64_t> taken_;   // bytes of the file that tell of each request
  std::uint64_t accounted_ = 0;
};

}  // namespace memd::copilot_chat
