#include "adapters/copilot_chat/chat_log.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/document.hpp"

#include <algorithm>
#include <utility>

namespace memd::copilot_chat {
namespace {

using json::ValueScanner;

constexpr std::string_view kRequests = "requests";
constexpr std::size_t kLongestPath = 16;

const auto kClosed = [](std::string_view) { return false; };

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
  line.whole = scanner.members(kClosed, [&](std::string_view key, std::string_view value) {
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

bool names(std::string_view path_element, std::string_view name) { return json::string_body(path_element) == name; }

std::size_t index_of(std::string_view token) { return static_cast<std::size_t>(json::integer(token)); }

}  // namespace

std::vector<PatchedValue>& PatchedValue::inner() {
  if (open_) return inner_;
  open_ = true;
  is_array_ = text_.starts_with('[');
  ValueScanner scanner(text_);
  if (is_array_)
    scanner.elements([&](std::string_view element) { inner_.emplace_back(element); });
  else if (text_.starts_with('{'))
    scanner.members(kClosed, [&](std::string_view key, std::string_view value) { inner_.emplace_back(value, key); });
  return inner_;
}

PatchedValue* PatchedValue::find(std::string_view path_element) {
  auto& list = inner();
  if (json::is_number(path_element)) {
    const auto at = index_of(path_element);
    return is_array_ && at < list.size() ? &list[at] : nullptr;
  }
  const auto it = std::find_if(list.begin(), list.end(), [&](auto& v) { return names(path_element, v.key_); });
  return it == list.end() ? nullptr : &*it;
}

void PatchedValue::set(std::string_view path_element, std::string_view value) {
  if (PatchedValue* const old = find(path_element))
    *old = PatchedValue(value, old->key_);
  else
    inner_.emplace_back(value, is_array_ ? std::string_view() : json::string_body(path_element));
}

void PatchedValue::erase(std::string_view path_element) {
  PatchedValue* const old = find(path_element);
  if (old == nullptr) return;
  if (is_array_)
    *old = PatchedValue("null");
  else
    inner_.erase(inner_.begin() + (old - inner_.data()));
}

void PatchedValue::splice(std::size_t keep, std::string_view values) {
  if (!open_ && !text_.starts_with('[')) text_ = "[]";  // there was none
  auto& list = inner();
  if (keep < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(keep), list.end());
  ValueScanner scanner(values);
  if (values.starts_with('[')) scanner.elements([&](std::string_view element) { list.emplace_back(element); });
}

std::string PatchedValue::text() const {
  if (!open_) return std::string(text_);
  std::string out(1, is_array_ ? '[' : '{');
  for (const PatchedValue& value : inner_) {
    if (out.size() > 1) out.push_back(',');
    if (!is_array_) out.append("\"").append(value.key_).append("\":");
    out += value.text();
  }
  out.push_back(is_array_ ? ']' : '}');
  return out;
}

ChatLog::ChatLog(std::string file, bool is_log) : text_(std::move(file)), size_(text_.size()) {
  if (is_log)
    read_log();
  else
    read_document();
  settle();
}

void ChatLog::read_document() {
  const snapshot::Document document = snapshot::split_document(text_, kRequests, "requestId");
  replace_session(text_);
  keep_requests(0);
  superseded_ = 0;
  unfinished_ = document.torn;
  for (const auto& element : document.elements) {
    const std::string_view bytes = document.bytes(element);
    requests_.push_back({element.damaged ? std::string() : json::compacted(bytes), bytes.size()});
  }
}

void ChatLog::read_log() {
  const std::string_view text = text_;
  for (std::size_t at = 0; at < text.size();) {
    const auto newline = text.find('\n', at);
    const bool finished = newline != std::string_view::npos;
    const std::string_view line = text.substr(at, finished ? newline - at : std::string_view::npos);
    const std::uint64_t bytes = line.size() + (finished ? 1 : 0);
    at += bytes;
    if (!finished && !read_members(line).whole)
      unfinished_ = bytes;
    else if (!json::trimmed(line).empty())
      read_line(line, bytes);
  }
  if (PatchedValue* const list = session_.find("\"requests\""))
    for (std::size_t i = 0; i < list->inner().size(); ++i)
      requests_.push_back({json::compacted(list->inner()[i].text()), i < taken_.size() ? taken_[i] : 0});
}

void ChatLog::read_line(std::string_view text, std::uint64_t bytes) {
  const Line line = read_members(text);
  if (!line.whole) {
    damaged_ += bytes;
    ++damaged_records_;
    return;
  }
  if (line.kind == "0") return replace_session(line.value);
  const bool known = line.kind == "1" || line.kind == "2" || line.kind == "3";
  PatchedValue* at = known && !line.path.empty() && line.path.size() <= kLongestPath ? &session_ : nullptr;
  for (std::size_t i = 0; at != nullptr && i + 1 < line.path.size(); ++i)
    at = at->find(line.path[i]);
  if (at == nullptr) {
    unknown_ += bytes;
    ++unknown_records_;
    return;
  }
  const std::string_view last = line.path.back();
  const bool is_list = line.path.size() == 1 && names(last, kRequests);
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
  else if (names(line.path[0], kRequests) && index_of(line.path[1]) < taken_.size())
    taken_[index_of(line.path[1])] += bytes;
}

void ChatLog::replace_session(std::string_view text) {
  keep_requests(0);
  session_ = PatchedValue(text);
  if (PatchedValue* const list = session_.find("\"requests\"")) take_requests(list->text());
}

void ChatLog::keep_requests(std::size_t count) {
  while (taken_.size() > count) {
    superseded_ += taken_.back();
    taken_.pop_back();
  }
}

void ChatLog::take_requests(std::string_view array) {
  ValueScanner scanner(array);
  if (array.starts_with('[')) scanner.elements([&](std::string_view element) { taken_.push_back(element.size()); });
}

void ChatLog::settle() {
  std::uint64_t accounted = superseded_ + damaged_ + unknown_ + unfinished_;
  for (const Request& request : requests_)
    accounted += request.taken;
  rest_ = {{"(structure)", Disposition::indexed, {}, 1, size_ - accounted},
           {"(superseded)", Disposition::skipped, "superseded", superseded_ > 0 ? 1U : 0U, superseded_},
           {"(damaged)", Disposition::skipped, "damaged", damaged_records_, damaged_},
           {"(unknown)", Disposition::unknown, "unknown_change", unknown_records_, unknown_},
           {"(unfinished)", Disposition::skipped, "unfinished", unfinished_ > 0 ? 1U : 0U, unfinished_}};
}

std::string ChatLog::member(std::string_view name) const {
  PatchedValue session = session_;
  const PatchedValue* const value = session.find("\"" + std::string(name) + "\"");
  return value == nullptr ? std::string() : value->text();
}

}  // namespace memd::copilot_chat
