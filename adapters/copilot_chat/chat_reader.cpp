#include "adapters/copilot_chat/chat_reader.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/document.hpp"
#include "adapters/vscode/places.hpp"
#include "schemas/ids.hpp"

#include <utility>

namespace memd::copilot_chat {
namespace {

using json::ObjectWriter;
using json::PatchedValue;
using json::ValueScanner;

constexpr std::string_view kRequests = "\"requests\"";
constexpr std::size_t kLongestPath = 16;

// A line of the log.
struct Line {
  bool whole = false;
  std::string_view kind;
  std::vector<std::string_view> path;
  std::string_view value;
  std::string_view start;  // "i"
};

Line members_of(std::string_view text) {
  Line line;
  ValueScanner scanner(text);
  line.whole = scanner.members([&](std::string_view key, std::string_view value) {
    if (key == "kind") line.kind = value;
    if (key == "v") line.value = value;
    if (key == "i") line.start = value;
    if (key == "k") ValueScanner(value).elements([&](std::string_view element) { line.path.push_back(element); });
  });
  line.whole = line.whole && scanner.peek() == '\0';
  return line;
}

std::size_t index_of(std::string_view token) { return static_cast<std::size_t>(json::integer(token)); }

}  // namespace

ChatReader::ChatReader(const FileView& files, const std::filesystem::path& path)
    : HeldSource(files, path.string(), {(path.parent_path().parent_path() / "workspace.json").string()}) {}

Result<void> ChatReader::read() {
  MEMD_TRY_ASSIGN(text_, files_.read(path_));
  size_ = text_.size();
  path_.ends_with(".jsonl") ? read_log() : read_document();
  taken_.resize(requests_.size());
  for (const std::uint64_t bytes : taken_)
    accounted_ += bytes;
  note("(structure)", Disposition::indexed, {}, size_ - accounted_);
  if (requests_.empty()) return {};  // an empty panel

  const std::filesystem::path path(path_);
  const std::string id = path.stem().string();
  const std::string folder = vscode::folder_of_workspace(files_, path.parent_path().parent_path().string());
  const std::string since = session_.text_at("\"creationDate\"");
  const auto context = [&] {
    ObjectWriter out;
    out.some_text("cwd", folder);
    if (json::is_number(since)) out.raw("since", since);
    return out;
  };
  Held& held = add_session(id, make_session_uid(Platform::copilot_chat, id));
  ObjectWriter head = context().text("sessionId", id);
  held.add_head(std::move(head.text("title", json::unescaped(session_.text_at("\"customTitle\"")))).finish());
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const std::string native = json::unescaped(PatchedValue(requests_[i]).text_at("\"requestId\""));
    ObjectWriter members = context();
    if (native.empty()) members.text("requestId", id + "#" + std::to_string(i + 1));
    held.add(
        native.empty() ? "#" : native,
        requests_[i].starts_with('{') ? json::with_members(std::move(members), requests_[i]) : R"({"damaged":true})",
        taken_[i]);
  }
  return {};
}

void ChatReader::read_document() {
  const snapshot::Document document = snapshot::split_document(text_, "requests", "requestId");
  session_ = PatchedValue(text_);
  if (document.torn > 0) leave("(unfinished)", "unfinished", document.torn);
  for (const auto& element : document.elements) {
    requests_.push_back(element.damaged ? std::string() : json::compacted(document.bytes(element)));
    taken_.push_back(document.bytes(element).size());
  }
}

void ChatReader::read_log() {
  json::for_each_line(text_, [&](std::string_view line, std::size_t bytes, bool finished) {
    if (!finished && !members_of(line).whole)
      leave("(unfinished)", "unfinished", bytes);
    else if (!json::trimmed(line).empty())
      read_line(line, bytes);
  });
  if (PatchedValue* const list = session_.find(kRequests))
    for (const PatchedValue& request : list->inner())
      requests_.push_back(json::compacted(request.text()));
}

void ChatReader::read_line(std::string_view text, std::uint64_t bytes) {
  const Line line = members_of(text);
  if (!line.whole) return leave("(damaged)", "damaged", bytes);
  if (line.kind == "0") {
    keep_requests(0);
    session_ = PatchedValue(line.value);
    return take_requests(session_.text_at(kRequests));
  }
  const bool known = line.kind == "1" || line.kind == "2" || line.kind == "3";
  PatchedValue* at = known && !line.path.empty() && line.path.size() <= kLongestPath ? &session_ : nullptr;
  for (std::size_t i = 0; at != nullptr && i + 1 < line.path.size(); ++i)
    at = at->find(line.path[i]);
  if (at == nullptr) return leave("(unknown)", "unknown_change", bytes);
  const std::string_view last = line.path.back();
  const bool is_list = line.path.size() == 1 && last == kRequests;
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
  else if (line.path[0] == kRequests && index_of(line.path[1]) < taken_.size())
    taken_[index_of(line.path[1])] += bytes;
}

void ChatReader::keep_requests(std::size_t count) {
  for (; taken_.size() > count; taken_.pop_back())
    leave("(superseded)", "superseded", taken_.back());
}

void ChatReader::take_requests(std::string_view array) {
  ValueScanner scanner(array);
  if (array.starts_with('[')) scanner.elements([&](std::string_view element) { taken_.push_back(element.size()); });
}

void ChatReader::leave(std::string_view type, std::string_view reason, std::uint64_t bytes) {
  note(type, type == "(unknown)" ? Disposition::unknown : Disposition::skipped, reason, bytes);
  accounted_ += bytes;
}

}  // namespace memd::copilot_chat
