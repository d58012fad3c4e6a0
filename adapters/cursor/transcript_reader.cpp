#include "adapters/cursor/transcript_reader.hpp"

#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/prompt_text.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/base/error.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"

#include <array>
#include <charconv>
#include <functional>

namespace memd::cursor {
namespace {

struct Heading {
  std::string_view text;
  std::string_view role;
  bool whole_line;
};
constexpr std::array<Heading, 5> kHeadings{{{"user:", "user", true},
                                            {"assistant:", "assistant", true},
                                            {"[Thinking]", "thinking", false},
                                            {"[Tool call] ", "tool", false},
                                            {"[Tool result]", "result", false}}};

const Heading* heading_of(std::string_view line) {
  for (const Heading& heading : kHeadings)
    if (heading.whole_line ? json::trimmed(line) == heading.text : line.starts_with(heading.text)) return &heading;
  return nullptr;
}

// Resolves "home-ada-my-app" to "/home/ada/my-app", if that folder exists here.
std::string resolve_slug(const FileView& files, std::string_view slug) {
  int looks = 0;
  const std::function<std::string(const std::string&, std::string_view)> walk = [&](const std::string& base,
                                                                                    std::string_view rest) {
    if (rest.empty()) return base;
    for (std::size_t end = rest.find('-');; end = rest.find('-', end + 1)) {
      const std::string path = base + "/" + std::string(rest.substr(0, end));
      if (++looks > 200) return std::string();
      if (const auto entry = files.stat(path); entry && entry->is_directory) {
        if (end == std::string_view::npos) return path;
        if (auto found = walk(path, rest.substr(end + 1)); !found.empty()) return found;
      }
      if (end == std::string_view::npos) return std::string();
    }
  };
  return slug.empty() ? std::string() : walk("", slug);
}

// Returns the time that a part of the user states at its start; 0 if it states none.
TimeMs stated_time(std::string_view part, bool is_text) {
  constexpr std::string_view kOpen = "<timestamp>";
  if (is_text) return read_prompt_text(part).time;
  const auto at = part.find("\"" + std::string(kOpen));
  if (at == std::string_view::npos || part.substr(0, at).find("\"user\"") == std::string_view::npos) return 0;
  const std::string_view stamp = part.substr(at + 1 + kOpen.size());
  return parse_prompt_time(stamp.substr(0, stamp.find('<')));
}

}  // namespace

TranscriptReader::TranscriptReader(const FileView& files, SourcePlace place)
    : files_(files), place_(std::move(place)), is_text_(place_.main.ends_with(".txt")) {}

std::string TranscriptReader::folder() const { return resolve_slug(files_, place_.slug); }

Result<bool> TranscriptReader::is_in_database() const {
  const std::string chats = dot_cursor_folder(place_.main) + "/chats";
  for (const auto& project : files_.list(chats))
    if (project.is_directory && files_.stat(project.path + "/" + place_.native + "/store.db")) return true;
  for (const auto& user : user_folders_beside(place_.main)) {
    const std::string path = user + "/globalStorage/state.vscdb";
    if (!files_.stat(path)) continue;
    const auto rows = StateRows::open(files_, path);
    if (!rows && rows.error().is(Errc::busy)) return rows.error();
    if (!rows) continue;  // a damaged database is no better source
    MEMD_TRY_ASSIGN(const auto found, (*rows)->conversation(place_.native));
    if (found.missing == StateRows::Missing::no && !found.conversation.is_empty()) return true;
  }
  return false;
}

void TranscriptReader::cut_lines() {
  EventBatch rest;
  for (std::size_t at = 0; at < content_.size();) {
    const auto newline = content_.find('\n', at);
    const auto end = std::min(newline, content_.size());
    const std::uint64_t bytes = end - at + (newline == std::string::npos ? 0 : 1);
    const auto line = std::string_view(content_).substr(at, end - at);
    if (json::trimmed(line).empty()) {
      rest.cover("(blank)", Disposition::skipped, "blank", bytes);
    } else if (newline == std::string::npos && !is_json_object(line)) {
      rest.cover("(unfinished line)", Disposition::skipped, "unfinished", bytes);
    } else {
      parts_.push_back({at, end, bytes, {}});
      has_messages_ |= line.find("\"role\"") != std::string_view::npos;
    }
    at = end + 1;
  }
  rest_ = std::move(rest.coverage);
}

// Splits plain text into parts. A thought or tool input ends at a blank line, unless an indented line follows.
// Classifying a thought as answer text is preferred over the opposite error.
void TranscriptReader::cut_text() {
  bool after_blank = false;
  for (std::size_t at = 0; at < content_.size();) {
    const auto end = std::min(content_.find('\n', at), content_.size());
    const auto line = std::string_view(content_).substr(at, end - at);
    const std::size_t next = std::min(end + 1, content_.size());
    const Heading* heading = heading_of(line);
    const bool is_blank = json::trimmed(line).empty();
    const auto role = parts_.empty() ? std::string_view() : parts_.back().role;
    const bool talk_again = after_blank && !is_blank && line.front() != ' ' && line.front() != '\t' &&
                            (role == "thinking" || role == "tool");
    after_blank = is_blank;
    if (heading != nullptr || parts_.empty() || talk_again) {
      const std::size_t begin = heading == nullptr ? at : heading->whole_line ? next : at + heading->text.size();
      parts_.push_back({begin, next, 0, heading == nullptr ? "assistant" : heading->role});
    }
    parts_.back().end = next;
    parts_.back().bytes += next - at;
    at = next;
  }
  has_messages_ = !parts_.empty();
}

Result<void> TranscriptReader::load() {
  if (loaded_) return {};
  const auto entry = files_.stat(place_.main);
  if (!entry) return Error(Errc::not_found, place_.main);
  written_ = entry->mtime;
  MEMD_TRY_ASSIGN(content_, files_.read(place_.main));
  parts_.clear();
  rest_.clear();
  has_messages_ = false;
  if (is_text_)
    cut_text();
  else
    cut_lines();
  TimeMs stated = 0;
  for (Part& part : parts_) {
    if (!is_text_ || part.role == "user")
      if (const TimeMs own =
              stated_time(std::string_view(content_).substr(part.begin, part.end - part.begin), is_text_);
          own != 0)
        stated = own;
    part.time = stated;
  }
  loaded_ = true;
  return {};
}

Result<SnapshotReader::Plan> TranscriptReader::plan(const std::string& mark) {
  const auto entry = files_.stat(place_.main);
  if (!entry) return Error(Errc::not_found, place_.main);
  Plan plan;
  plan.mark = std::to_string(entry->size) + "." + std::to_string(entry->mtime_ns) + "." + std::to_string(entry->inode);
  plan.size = entry->size;
  plan.unchanged = plan.mark == mark;
  if (plan.unchanged) return plan;
  loaded_ = false;
  MEMD_TRY_ASSIGN(const bool in_database, is_in_database());
  MEMD_TRY(load());
  plan.size = content_.size();
  const bool taken = !in_database && has_messages_;
  if (taken) plan.sessions.push_back(place_.native);
  // A kind that disappeared must be listed.
  EventBatch rest;
  for (const char* reason : {"in_database", "no_messages"})
    rest.cover("transcript", Disposition::skipped, reason, 0, 0);
  rest.cover("(blank)", Disposition::skipped, "blank", 0, 0);
  rest.cover("(unfinished line)", Disposition::skipped, "unfinished", 0, 0);
  if (!taken)
    rest.cover("transcript", Disposition::skipped, in_database ? "in_database" : "no_messages", content_.size());
  else
    for (const auto& line : rest_)
      rest.cover(line.record_type, line.disposition, line.reason, line.bytes, line.records);
  plan.rest = std::move(rest.coverage);
  return plan;
}

Result<std::optional<SnapshotReader::Session>> TranscriptReader::session(const std::string& session_key,
                                                                         std::span<const SourceItem>) {
  MEMD_TRY(load());
  if (session_key != place_.native || !has_messages_) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(Platform::cursor, place_.native);
  MEMD_TRY_ASSIGN(const std::string head, item(session_key, std::string(kHeadKey)));
  session.head = Item{std::string(kHeadKey), version_of(head), 0};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto text = std::string_view(content_).substr(parts_[i].begin, parts_[i].end - parts_[i].begin);
    session.items.push_back({std::to_string(i + 1), version_of(text), parts_[i].bytes});
  }
  return std::optional(std::move(session));
}

Result<std::string> TranscriptReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  if (session_key != place_.native) return Error(Errc::not_found, "no such conversation");
  if (item_key == kHeadKey) {
    ItemJson json(item_kind::kHead);
    json.text("project", place_.slug).text("cwd", folder()).text("parent", place_.parent);
    return std::move(json).finish();
  }
  std::size_t number = 0;
  std::from_chars(item_key.data(), item_key.data() + item_key.size(), number);
  if (number == 0 || number > parts_.size()) return Error(Errc::not_found, "no such message");
  const Part& part = parts_[number - 1];
  const auto text = std::string_view(content_).substr(part.begin, part.end - part.begin);
  ItemJson json(is_text_ ? item_kind::kText : item_kind::kMessage);
  // An answer has the time of its prompt. Where no prompt states one, no content is later than the file's last write.
  json.text("id", place_.native + "/" + item_key)
      .time(part.time != 0 ? part.time : written_, true)
      .flag("sub", !place_.parent.empty());
  if (!is_text_) return std::move(json).finish(text);
  return std::move(json.text("role", part.role).text("text", json::trimmed(text))).finish();
}

}  // namespace memd::cursor
