#pragma once

#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::copilot_chat {

// A JSON value that later lines of a log change. What no line changes stays text of the log, which must outlive it.
class PatchedValue {
 public:
  explicit PatchedValue(std::string_view text, std::string_view key = {}) : key_(key), text_(text) {}

  std::string_view key() const { return key_; }       // in the object around it, as written
  std::vector<PatchedValue>& inner();                 // members or elements
  PatchedValue* find(std::string_view path_element);  // null: none. A token: "name" in quotes, or an index
  void set(std::string_view path_element, std::string_view value);  // adds or replaces
  void erase(std::string_view path_element);
  // Cuts an array to `keep` elements and appends those of the array `values`.
  void splice(std::size_t keep, std::string_view values);
  std::string text() const;

 private:
  std::string_view key_;
  std::string_view text_;  // while it is not open
  bool open_ = false;
  bool is_array_ = false;
  std::vector<PatchedValue> inner_;
};

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
  void read_document();
  void read_log();
  void read_line(std::string_view line, std::uint64_t bytes);
  void replace_session(std::string_view text);
  void keep_requests(std::size_t count);
  void take_requests(std::string_view array);
  void settle();

  std::string text_;
  std::uint64_t size_ = 0;
  PatchedValue session_{"{}"};
  std::vector<std::uint64_t> taken_;  // bytes of each request
  std::uint64_t superseded_ = 0;      // of requests that are no longer there
  std::uint64_t damaged_ = 0;
  std::uint64_t unknown_ = 0;
  std::uint64_t unfinished_ = 0;
  std::uint64_t damaged_records_ = 0;
  std::uint64_t unknown_records_ = 0;
  std::vector<Request> requests_;
  std::vector<CoverageEntry> rest_;
};

}  // namespace memd::copilot_chat
