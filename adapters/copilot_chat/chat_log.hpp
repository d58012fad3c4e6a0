#pragma once

#include "adapters/json/patched_value.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::copilot_chat {

// The content of a chat session file of VS Code. A .json file is the session as a document. A .jsonl file is a log of
// what happened to it (microsoft/vscode, objectMutationLog.ts):
//
//   {"kind":0,"v":…}              the whole session
//   {"kind":1,"k":[…],"v":…}      the value at a path
//   {"kind":2,"k":[…],"v":[…],"i":n}  elements appended to the array at a path, behind its first n if it says so
//   {"kind":3,"k":[…]}            the value at a path is removed
//
// Owns the file's text; immutable after construction.
class ChatLog {
 public:
  struct Request {
    std::string json;         // one object; empty for a damaged range
    std::uint64_t taken = 0;  // bytes of the file that tell of it
  };

  ChatLog(std::string file, bool is_log);
  ChatLog(const ChatLog&) = delete;
  ChatLog& operator=(const ChatLog&) = delete;

  const std::vector<Request>& requests() const { return requests_; }
  std::string member(std::string_view name) const;                  // of the session, its JSON; empty: none
  const std::vector<CoverageEntry>& rest() const { return rest_; }  // of the bytes that tell of no request
  std::uint64_t size() const { return size_; }

 private:
  enum Rest : std::uint8_t { structure, superseded, damaged, unknown, unfinished };

  void read_document();
  void read_log();
  void read_line(std::string_view line, std::uint64_t bytes);
  void replace_session(std::string_view text);
  void keep_requests(std::size_t count);
  void take_requests(std::string_view array);
  void leave(Rest what, std::uint64_t bytes);

  std::string text_;
  std::uint64_t size_ = 0;
  json::PatchedValue session_{"{}"};
  std::vector<std::uint64_t> taken_;  // bytes of each request
  std::vector<Request> requests_;
  std::vector<CoverageEntry> rest_{{"(structure)", Disposition::indexed, {}, 1, 0},
                                   {"(superseded)", Disposition::skipped, "superseded", 0, 0},
                                   {"(damaged)", Disposition::skipped, "damaged", 0, 0},
                                   {"(unknown)", Disposition::unknown, "unknown_change", 0, 0},
                                   {"(unfinished)", Disposition::skipped, "unfinished", 0, 0}};
};

}  // namespace memd::copilot_chat
