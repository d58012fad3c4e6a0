#include "adapters/cursor/readers.hpp"

#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/prompt_text.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

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

class TranscriptReader final : public snapshot::HeldSource {
 public:
  TranscriptReader(const FileView& files, SourcePlace place)
      : HeldSource(files, place.main), place_(std::move(place)), is_text_(place_.main.ends_with(".txt")) {}

 protected:
  Result<void> read() override {
    MEMD_TRY_ASSIGN(const bool in_database, is_in_database());
    const auto entry = files_.stat(path_);
    if (!entry) return Error(Errc::not_found, path_);
    written_ = entry->mtime;
    MEMD_TRY_ASSIGN(content_, files_.read(path_));
    size_ = content_.size();
    parts_.clear();
    const bool has_messages = is_text_ ? cut_text() : cut_lines();
    const bool taken = has_messages && !in_database;
    // A kind that disappeared must be listed.
    for (const auto [reason, is_it] : {std::pair{"in_database", in_database}, {"no_messages", !in_database && !taken}})
      note("transcript", Disposition::skipped, reason, is_it ? size_ : 0, is_it ? 1 : 0);
    for (const auto& [type, reason, count] :
         {std::tuple{"(blank)", "blank", blank_}, {"(unfinished line)", "unfinished", unfinished_}})
      note(type, Disposition::skipped, reason, taken ? count.bytes : 0, taken ? count.lines : 0);
    if (!taken) return {};

    ItemJson head(item_kind::kHead);
    head.text("project", place_.slug).text("cwd", resolve_slug(files_, place_.slug)).text("parent", place_.parent);
    Held& held = add_session(place_.native, make_session_uid(Platform::cursor, place_.native));
    held.add_head(std::move(head).finish());
    TimeMs stated = 0;
    for (Part& part : parts_) {
      if (!is_text_ || part.role == "user")
        if (const TimeMs own = stated_time(text_of(part), is_text_); own != 0) stated = own;
      part.time = stated;
      held.session.items.push_back(
          {std::to_string(held.session.items.size() + 1), version_of(text_of(part)), part.bytes});
    }
    return {};
  }

  Result<std::string> bytes_of(const std::string& session_key, const std::string& item_key) override {
    std::size_t number = 0;
    std::from_chars(item_key.data(), item_key.data() + item_key.size(), number);
    if (number == 0 || number > parts_.size()) return HeldSource::bytes_of(session_key, item_key);
    const Part& part = parts_[number - 1];
    ItemJson json(is_text_ ? item_kind::kText : item_kind::kMessage);
    // An answer has the time of its prompt. Where no prompt states one, no content is later than the file's last write.
    json.text("id", place_.native + "/" + item_key)
        .time(part.time != 0 ? part.time : written_, true)
        .flag("sub", !place_.parent.empty());
    if (!is_text_) return std::move(json).finish(text_of(part));
    return std::move(json.text("role", part.role).text("text", json::trimmed(text_of(part)))).finish();
  }

 private:
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;  // bytes up to the next part count as part of this one in the ledger
    std::uint64_t bytes = 0;
    std::string_view role;  // of plain text parts
    TimeMs time = 0;        // stated by the newest prompt up to this part; 0: by none
  };
  struct Left {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;
    void add(std::uint64_t more) { ++lines, bytes += more; }
  };

  std::string_view text_of(const Part& part) const {
    return std::string_view(content_).substr(part.begin, part.end - part.begin);
  }

  Result<bool> is_in_database() const {
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

  // Returns whether there are messages.
  bool cut_lines() {
    bool has_messages = false;
    blank_ = unfinished_ = {};
    std::size_t at = 0;
    json::for_each_line(content_, [&](std::string_view line, std::size_t bytes, bool finished) {
      if (json::trimmed(line).empty()) {
        blank_.add(bytes);
      } else if (!finished && !is_json_object(line)) {
        unfinished_.add(bytes);
      } else {
        parts_.push_back({at, at + line.size(), bytes, {}});
        has_messages |= line.find("\"role\"") != std::string_view::npos;
      }
      at += bytes;
    });
    return has_messages;
  }

  // Splits plain text into parts. A thought or tool input ends at a blank line, unless an indented line follows.
  // Classifying a thought as answer text is preferred over the opposite error.
  bool cut_text() {
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
    return !parts_.empty();
  }

  const SourcePlace place_;
  const bool is_text_;
  std::string content_;
  TimeMs written_ = 0;
  std::vector<Part> parts_;
  Left blank_, unfinished_;  // of lines
};

}  // namespace

std::unique_ptr<SnapshotReader> open_transcript(const FileView& files, SourcePlace place) {
  return std::make_unique<TranscriptReader>(files, std::move(place));
}

}  // namespace memd::cursor
