#include "adapters/grok/session_reader.hpp"

#include "adapters/adapter.hpp"
#include "adapters/grok/update_line.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace memd::grok {

std::string decode_directory(std::string_view name) {
  std::string out = json::percent_decoded(name);
  // Long paths are replaced by a hash, which is no path.
  return out.starts_with('/') || (out.size() > 2 && out[1] == ':') ? out : std::string();
}

bool is_temporary(std::string_view name) {
  return name.ends_with(".tmp") || name.ends_with(".lock") || name.starts_with('.');
}

std::optional<SourcePath> parse_source_path(const std::filesystem::path& file) {
  const auto folder = file.parent_path();
  if (folder.parent_path().parent_path().filename() != "sessions") return std::nullopt;
  if (is_temporary(file.filename().string())) return std::nullopt;
  SourcePath path;
  path.folder = folder;
  path.id = folder.filename().string();
  if (!is_uuid(path.id)) return std::nullopt;
  path.main = (folder / kUpdates).string();
  path.cwd = decode_directory(folder.parent_path().filename().string());
  return path;
}

using json::ObjectWriter;

namespace {

constexpr std::string_view kMarkVersion = "grok/3";

std::string name_of(const FileView::Entry& entry) { return std::filesystem::path(entry.path).filename().string(); }

constexpr std::string_view kChatKey = "chat.";

bool is_chat_key(std::string_view key) { return key.starts_with(kChatKey); }

constexpr std::string_view kCompanions[] = {
    "summary.json",        "chat_history.jsonl", "events.jsonl", "rewind_points.jsonl", "signals.json",
    "prompt_context.json", "system_prompt.txt",  "plan.json",    "usage.json",          "announcement_state.json"};
constexpr std::string_view kOtherFile = "other file";

void cover_companion(EventBatch& ledger, std::string_view name, std::uint64_t bytes, std::uint64_t files = 1) {
  const bool known = std::find(std::begin(kCompanions), std::end(kCompanions), name) != std::end(kCompanions);
  ledger.cover("(" + std::string(known ? name : kOtherFile) + ")", Disposition::skipped,
               name == kChatHistory ? "derived" : "companion_file", bytes, files);
}

// Adds zero entries, because a kind that disappeared since the last pass must be listed.
void cover_what_may_have_gone(EventBatch& ledger) {
  for (const auto name : kCompanions)
    cover_companion(ledger, name, 0, 0);
  cover_companion(ledger, kOtherFile, 0, 0);
  ledger.cover("(torn)", Disposition::skipped, "unfinished", 0, 0);
  ledger.cover("(blank)", Disposition::skipped, "blank", 0, 0);
}

}  // namespace

std::string SessionReader::Mark::write() const {
  std::ostringstream out;
  out << kMarkVersion << ' ' << state << ' ' << inode << ' ' << resume.offset << ' ' << resume.anchor << ' '
      << resume.items << ' ' << subagent;
  for (const auto& [type, entry] : resume.rest)
    out << ' ' << type << ' ' << entry.reason << ' ' << entry.records << ' ' << entry.bytes;
  return out.str();
}

std::optional<SessionReader::Mark> SessionReader::Mark::read(const std::string& text) {
  std::istringstream in(text);
  Mark mark;
  std::string version;
  if (!(in >> version >> mark.state >> mark.inode >> mark.resume.offset >> mark.resume.anchor >> mark.resume.items >>
        mark.subagent) ||
      version != kMarkVersion)
    return std::nullopt;
  CoverageEntry entry;
  entry.disposition = Disposition::skipped;
  while (in >> entry.record_type >> entry.reason >> entry.records >> entry.bytes)
    mark.resume.rest[entry.record_type] = entry;
  return in.eof() ? std::optional(mark) : std::nullopt;
}

Result<void> SessionReader::look() {
  if (looked_) return {};
  std::uint64_t state = hash64(kMarkVersion);
  for (auto& entry : files_.list(path_.folder.string())) {
    const std::string name = name_of(entry);
    if (entry.is_directory || is_temporary(name)) continue;
    state = hash_combine(state, hash64(name));
    state = hash_combine(state, hash_combine(entry.size, static_cast<std::uint64_t>(entry.mtime_ns)));
    if (name == kUpdates) log_entry_ = entry;
    if (name == kChatHistory) chat_entry_ = entry;
    if (name == kSummary) {
      auto text = files_.read(entry.path);
      if (!text && !text.error().is(Errc::not_found)) return text.error();
      if (text) summary_ = std::move(*text);
    }
    entries_.push_back(std::move(entry));
  }
  if (!log_entry_ && !chat_entry_) return Error(Errc::not_found, "no session in " + path_.folder.string());
  state_ = std::to_string(state);
  looked_ = true;
  return {};
}

Result<void> SessionReader::load_log(const ResumePoint& from) {
  MEMD_TRY_ASSIGN(log_, read_update_log(files_, log_entry_->path, log_entry_->size, from));
  from_ = from;
  by_key_.clear();
  for (std::size_t i = 0; i < log_.items.size(); ++i)
    by_key_[log_.items[i].key()] = i;
  return {};
}

Result<void> SessionReader::load_chat() {
  if (!chat_.empty()) return {};
  MEMD_TRY_ASSIGN(const std::string text, files_.read(chat_entry_->path));
  TimeMs time = summary_time(summary_);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const auto newline = text.find('\n', at);
    const auto end = std::min(newline, text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::uint64_t bytes = end - at + (newline == std::string::npos ? 0 : 1);
    at = end + 1;
    if (json::trimmed(line).empty()) {
      chat_rest_ += bytes;
      continue;
    }
    const std::string key = std::string(kChatKey) + std::to_string(number);
    ObjectWriter o;
    o.text("key", key).text("record", path_.id + "/" + key).number("time", ++time).flag("estimated", true);
    if (is_json_object(line))
      o.json("chat", line);
    else
      o.flag("damaged", true);
    chat_.push_back(chat_bytes_.add(key, std::move(o).finish(), bytes));
  }
  return {};
}

Result<SnapshotReader::Plan> SessionReader::plan(const std::string& text) {
  MEMD_TRY(look());
  Plan plan;
  for (const auto& entry : entries_)
    plan.size += entry.size;
  const auto mark = Mark::read(text);
  if (mark && mark->state == state_) {
    plan.mark = text;
    plan.unchanged = true;
    return plan;
  }
  plan.sessions = {path_.id};
  EventBatch ledger;
  Mark next;
  next.state = state_;
  next.subagent = is_subagent(summary_);
  if (!text.empty()) cover_what_may_have_gone(ledger);
  if (log_entry_) {
    ResumePoint from;
    const bool same_file = mark && mark->inode == log_entry_->inode && mark->resume.offset <= log_entry_->size &&
                           mark->subagent == next.subagent;
    if (same_file && mark->resume.offset > 0) {
      MEMD_TRY_ASSIGN(const auto anchor, anchor_at(files_, log_entry_->path, mark->resume.offset));
      if (anchor == mark->resume.anchor) from = mark->resume;
    }
    MEMD_TRY(load_log(from));
    next.inode = log_entry_->inode;
    next.resume = log_.next;
    for (const auto& [type, entry] : log_.rest)
      ledger.cover(entry.record_type, entry.disposition, entry.reason, entry.bytes, entry.records);
    if (log_.torn > 0) ledger.cover("(torn)", Disposition::skipped, "unfinished", log_.torn);
  } else if (mark && mark->inode != 0) {
    return Error(Errc::not_found, path_.main);  // it was read; the history for the model would repeat it
  } else {
    MEMD_TRY(load_chat());
    if (chat_rest_ > 0) ledger.cover("(blank)", Disposition::skipped, "blank", chat_rest_);
  }
  for (const auto& entry : entries_) {
    const std::string name = name_of(entry);
    if (name == kUpdates || (!log_entry_ && name == kChatHistory) || entry.size == 0) continue;
    cover_companion(ledger, name, entry.size);
  }
  plan.mark = next.write();
  plan.rest = std::move(ledger.coverage);
  return plan;
}

Result<std::optional<SnapshotReader::Session>> SessionReader::session(const std::string& session_key,
                                                                      std::span<const SourceItem> known) {
  MEMD_TRY(look());
  if (session_key != path_.id) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(Platform::grok, path_.id);
  session.head = Item{snapshot::kHeadKey, hash64(head_item()) | 1, 0};
  if (!log_entry_) {
    const auto of_log = [](const SourceItem& item) { return !is_chat_key(item.key); };
    if (std::any_of(known.begin(), known.end(), of_log)) return Error(Errc::not_found, path_.main);
    MEMD_TRY(load_chat());
    session.items = chat_;
    return std::optional<Session>(std::move(session));
  }
  if (!from_) {
    MEMD_TRY(load_log({}));
  }
  session.replaces_poorer_source = !known.empty() && is_chat_key(known.front().key) && !log_.items.empty();
  if (from_->offset > 0) {
    for (const SourceItem& k : known)
      if (!k.gone && offset_of_key(k.key) < from_->offset) session.items.push_back({k.key, 0, 0});
    if (session.items.size() != from_->items) {  // the store has not all of it
      session.items.clear();
      MEMD_TRY(load_log({}));
    }
  }
  constexpr std::uint64_t kIsTask = 1ULL << 63;
  constexpr std::uint64_t kHasHelpers = 1ULL << 62;
  const bool of_subagent = is_subagent(summary_);
  for (const LogItem& item : log_.items) {
    std::uint64_t state = 4 * item.bytes + (item.superseded ? 1U : 0U) + (item.say ? 2U : 0U);
    if (item.what == What::user && of_subagent) state |= kIsTask;
    if (!item.helpers.empty()) state |= kHasHelpers;
    session.items.push_back({item.key(), hash_combine(item.hash, state) | 1, item.bytes});
  }
  return std::optional<Session>(std::move(session));
}

std::string SessionReader::head_item() const {
  ObjectWriter o;
  o.flag("head", true).text("id", path_.id);
  o.some_text("cwd", path_.cwd);
  if (is_json_object(summary_)) o.json("summary", summary_);
  return std::move(o).finish();
}

// Finds an item by its key alone, also one before the offset from which the log was read.
Result<LogItem> SessionReader::find_log_item(const std::string& key) {
  if (!from_ || (!by_key_.contains(key) && from_->offset > 0)) {
    MEMD_TRY(load_log({}));
  }
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return Error(Errc::not_found, "no such item any more");
  return log_.items[it->second];
}

Result<std::string> SessionReader::log_item(const LogItem& item) const {
  const Line& first = item.lines.front();
  const Line& last = item.lines.back();
  const std::uint64_t span = last.offset + last.length - first.offset;
  std::vector<std::string> lines;
  // Chunks are mostly adjacent; the updates of a call can be far apart.
  if (span <= 2 * item.bytes + 65536) {
    MEMD_TRY_ASSIGN(const std::string all, files_.read(log_entry_->path, first.offset, span));
    if (all.size() != span) return Error(Errc::busy, log_entry_->path + " became shorter");
    for (const Line& line : item.lines)
      lines.push_back(all.substr(line.offset - first.offset, line.length));
  } else {
    for (const Line& line : item.lines) {
      MEMD_TRY_ASSIGN(std::string one, files_.read(log_entry_->path, line.offset, line.length));
      lines.push_back(std::move(one));
    }
  }
  std::vector<std::string> helpers;
  if (!item.helpers.empty()) {
    MEMD_TRY_ASSIGN(helpers, usage_of_helpers(item, lines.front()));
  }
  return item_bytes(item, {path_.id, path_.cwd, is_subagent(summary_)}, lines, helpers);
}

Result<std::vector<std::string>> SessionReader::usage_of_helpers(const LogItem& turn, std::string_view line) const {
  std::vector<std::string> out;
  UpdateLine update;
  const std::string bytes = std::string(line).append(kRecordPadding, ' ');
  if (!UpdateLineReader().read({bytes.data(), line.size()}, update)) return out;
  for (const Helper& helper : turn.helpers) {
    const auto log = log_of(helper.session_id);
    if (!log) continue;
    MEMD_TRY_ASSIGN(auto usage, usage_between(files_, *log, helper.spawned, update.time));
    std::move(usage.begin(), usage.end(), std::back_inserter(out));
  }
  return out;
}

// Looks beside this session first; a helper may work in another directory.
std::optional<std::string> SessionReader::log_of(const std::string& session_id) const {
  if (!is_uuid(session_id)) return std::nullopt;
  const auto project = path_.folder.parent_path();
  const auto in = [&](const std::filesystem::path& folder) { return (folder / session_id / kUpdates).string(); };
  if (std::string log = in(project); files_.stat(log)) return log;
  for (const auto& entry : files_.list(project.parent_path().string()))
    if (entry.is_directory)
      if (std::string log = in(entry.path); files_.stat(log)) return log;
  return std::nullopt;
}

Result<std::string> SessionReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(look());
  if (session_key != path_.id) return Error(Errc::not_found, "no such session");
  if (item_key == snapshot::kHeadKey) return head_item();
  if (log_entry_) {
    MEMD_TRY_ASSIGN(const LogItem item, find_log_item(item_key));
    return log_item(item);
  }
  MEMD_TRY(load_chat());
  return chat_bytes_.bytes(item_key);
}

}  // namespace memd::grok
