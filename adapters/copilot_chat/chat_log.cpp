#include "adapters/copilot_chat/chat_log.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/document.hpp"

#include <utility>

namespace memd::copilot_chat {
namespace {

using json::PatchedValue;
using json::ValueScanner;

constexpr std::string_view kRequests = "requests";
constexpr std::size_t kLongestPath = 16;

// A line of the log.
struct Line {
  bool whole = false;
  std::string_view kind;
  std::vector<std::string_view> path;
  std::string_view value;
  std::string_view start;  // "i"
};

Line read_members(std::string_view text) {
  Line line;
  ValueScanner scanner(text);
  line.whole = scanner.members([&](std::string_view key, std::string_view value) {
    if (key == "kind") line.kind = value;
    if (key == "v") line.value = value;
    if (key == "i") line.start = value;
    if (key == "k") {
      ValueScanner list(value);
      list.elements([&](std::string_view element) { line.path.push_back(element); });
    }
  });
  line.whole = line.whole && scanner.peek() == '\0';
  return line;
}

std::size_t index_of(std::string_view token) { return static_cast<std::size_t>(json::integer(token)); }

}  // namespace

ChatLog::ChatLog(std::string file, bool is_log) : text_(std::move(file)), size_(text_.size()) {
  if (is_log)
    read_log();
  else
    read_document();
  std::uint64_t accounted = 0;
  for (const Request& request : requests_)
    accounted += request.taken;
  for (const CoverageEntry& line : rest_)
    accounted += line.bytes;
  rest_[structure].bytes = size_ - accounted;
}

void ChatLog::read_document() {
  const snapshot::Document document = snapshot::split_document(text_, kRequests, "requestId");
  session_ = PatchedValue(text_);
  if (document.torn > 0) leave(unfinished, document.torn);
  for (const auto& element : document.elements) {
    const std::string_view bytes = document.bytes(element);
    requests_.push_back({element.damaged ? std::string() : json::compacted(bytes), bytes.size()});
  }
}

void ChatLog::read_log() {
  json::for_each_line(text_, [&](std::string_view line, std::size_t bytes, bool finished) {
    if (!finished && !read_members(line).whole)
      leave(unfinished, bytes);
    else if (!json::trimmed(line).empty())
      read_line(line, bytes);
  });
  if (PatchedValue* const list = session_.find("\"requests\""))
    for (std::size_t i = 0; i < list->inner().size(); ++i)
      requests_.push_back({json::compacted(list->inner()[i].text()), i < taken_.size() ? taken_[i] : 0});
}

void ChatLog::read_line(std::string_view text, std::uint64_t bytes) {
  const Line line = read_members(text);
  if (!line.whole) return leave(damaged, bytes);
  if (line.kind == "0") return replace_session(line.value);
  const bool known = line.kind == "1" || line.kind == "2" || line.kind == "3";
  PatchedValue* at = known && !line.path.empty() && line.path.size() <= kLongestPath ? &session_ : nullptr;
  for (std::size_t i = 0; at != nullptr && i + 1 < line.path.size(); ++i)
    at = at->find(line.path[i]);
  if (at == nullptr) return leave(unknown, bytes);
  const std::string_view last = line.path.back();
  const bool is_list = line.path.size() == 1 && json::string_body(last) == kRequests;
  if (line.kind == "2") {
    if (at->find(last) == nullptr) at->set(last, "[]");
    if (PatchedValue* const list = at->find(last)) {
      const std::size_t keep = line.start.empty() ? list->inner().size() : index_of(line.start);
      if (is_list) keep_requests(keep);
      list->splice(keep, line.value);
    }
  } else {
    if (is_list) keep_requests(0);
    if (line.kind == "1")
      at->set(last, line.value);
    else
      at->erase(last);
  }
  if (is_list)
    take_requests(line.value);
  else if (json::string_body(line.path[0]) == kRequests && index_of(line.path[1]) < taken_.size())
    taken_[index_of(line.path[1])] += bytes;
}

void ChatLog::replace_session(std::string_view text) {
  keep_requests(0);
  session_ = PatchedValue(text);
  if (PatchedValue* const list = session_.find("\"requests\"")) take_requests(list->text());
}

void ChatLog::keep_requests(std::size_t count) {
  while (taken_.size() > count) {
    leave(superseded, taken_.back());
    taken_.pop_back();
  }
}

void ChatLog::take_requests(std::string_view array) {
  ValueScanner scanner(array);
  if (array.starts_with('[')) scanner.elements([&](std::string_view element) { taken_.push_back(element.size()); });
}

void ChatLog::leave(Rest what, std::uint64_t bytes) {
  rest_[what].bytes += bytes;
  ++rest_[what].records;
}

std::string ChatLog::member(std::string_view name) const {
  PatchedValue session = session_;
  const PatchedValue* const value = session.find("\"" + std::string(name) + "\"");
  return value == nullptr ? std::string() : value->text();
}

}  // namespace memd::copilot_chat
