#include "adapters/grok/update_log.hpp"

#include "adapters/adapter.hpp"
#include "adapters/grok/update_line.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/names.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/reflected_name.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace memd::grok {
namespace {

constexpr std::uint64_t kWindow = 1 << 20;
constexpr std::uint64_t kAnchorBytes = 512;

// Client-internal and transient updates, and those repeated elsewhere.
constexpr Names kState(
    "available_commands_update plan current_mode_update config_option_update session_info_update usage_update "
    "diff_review auto_compact_started auto_compact_cancelled memory_flush_started memory_flush_completed "
    "memory_dream_completed memory_session_saved auto_continue_completed feedback_request relay_sync_status "
    "auto_recovery_started hook_annotation hook_execution hook_run_started hook_run_completed hooks_changed "
    "plugins_changed plugin_panel panel_closed plugin_updates_installed session_status session_summary_generated "
    "session_recap session_recap_unavailable last_turn_summary compaction_checkpoint task_completed task_backgrounded "
    "subagent_progress subagent_finished response_completed workflow_updated goal_updated interaction_resolved "
    "pending_interaction model_changed model_auto_switched retry_state image_compressed config_notice "
    "scheduled_task_created background_tasks cwd_switch");

class Collector {
 public:
  explicit Collector(const ResumePoint& from) : items_before_(from.items) {
    log_.rest = from.rest;
    log_.next = from;
  }

  void take(std::string_view bytes, std::uint64_t offset, bool newline) {
    const Line line{offset, static_cast<std::uint32_t>(bytes.size())};
    const std::uint64_t size = bytes.size() + (newline ? 1 : 0);
    if (json::trimmed(bytes).empty()) return skip("(blank)", "blank", size);
    UpdateLine update;
    if (!reader_.read(bytes, update)) {
      open_.reset();
      add(What::damaged, bytes, line, size);
      return;
    }
    const std::string_view kind = update.kind;
    if (kind == "user_message_chunk") return take_user(update, bytes, line, size);
    if (kind == "agent_message_chunk") {
      answered_ = true;
      return take_chunk(What::agent, bytes, line, size);
    }
    if (kind == "agent_thought_chunk") return take_chunk(What::thought, bytes, line, size);
    if (kind == "tool_call") return take_call(update, bytes, line, size);
    if (kind == "tool_call_update") return take_call_update(update, bytes, line, size);
    if (kind == "turn_completed") return take_turn(update, bytes, line, size);
    if (kState.has(kind)) return skip(update.kind, "state", size);
    if (kind == "subagent_spawned") helpers_[update.prompt_id].push_back({update.child_id, update.time});
    open_.reset();
    add(What::notice, bytes, line, size);
  }

  UpdateLog finish() && { return std::move(log_); }
  std::optional<std::uint64_t> segment;  // start of the last prompt, if one was found

 private:
  void skip(const std::string& type, std::string_view reason, std::uint64_t bytes) {
    CoverageEntry& entry = log_.rest[type];
    entry.record_type = type;
    entry.disposition = Disposition::skipped;
    entry.reason = reason;
    ++entry.records;
    entry.bytes += bytes;
  }

  std::size_t add(What what, std::string_view bytes, Line line, std::uint64_t size) {
    LogItem& item = log_.items.emplace_back();
    item.what = what;
    item.hash = hash64(to_string(what));
    join(log_.items.size() - 1, bytes, line, size);
    return log_.items.size() - 1;
  }
  void join(std::size_t index, std::string_view bytes, Line line, std::uint64_t size) {
    LogItem& item = log_.items[index];
    item.lines.push_back(line);
    item.bytes += size;
    item.hash = hash_combine(item.hash, hash64(bytes));
  }

  void take_chunk(What what, std::string_view bytes, Line line, std::uint64_t size) {
    if (open_ && log_.items[*open_].what == what)
      join(*open_, bytes, line, size);
    else
      open_ = add(what, bytes, line, size);
  }

  void take_user(const UpdateLine& update, std::string_view bytes, Line line, std::uint64_t size) {
    if (update.host_turn) {
      open_.reset();
      return skip("user_message_chunk", "injected", size);
    }
    if (update.interjection) return take_chunk(What::interjection, bytes, line, size);
    const bool goes_on = open_ && log_.items[*open_].what == What::user && update.prompt_index == prompt_index_;
    prompt_index_ = update.prompt_index;
    if (goes_on) return join(*open_, bytes, line, size);
    start_segment(line.offset);
    open_ = add(What::user, bytes, line, size);
  }

  void start_segment(std::uint64_t offset) {
    segment = offset;
    log_.next.offset = offset;
    log_.next.items = items_before_ + log_.items.size();
    log_.next.rest = log_.rest;
    calls_.clear();
    turns_.clear();
    helpers_.clear();
    answered_ = false;
  }

  void take_call(const UpdateLine& update, std::string_view bytes, Line line, std::uint64_t size) {
    open_.reset();
    const auto [it, fresh] = calls_.try_emplace(update.call_id);
    if (fresh)
      it->second = {add(What::call, bytes, line, size), false};
    else
      join(it->second.item, bytes, line, size);
  }

  void take_call_update(const UpdateLine& update, std::string_view bytes, Line line, std::uint64_t size) {
    const auto call = calls_.find(update.call_id);
    const bool ended = update.status == "completed" || update.status == "failed";
    if (call == calls_.end()) {
      if (!ended) return skip("tool_call_update", "late", size);
    } else if (!ended) {
      if (call->second.ended) return skip("tool_call_update", "late", size);
      return join(call->second.item, bytes, line, size);
    } else if (std::exchange(call->second.ended, true)) {
      return skip("tool_call_update", "repeated", size);
    }
    open_.reset();
    add(What::result, bytes, line, size);
  }

  void take_turn(const UpdateLine& update, std::string_view bytes, Line line, std::uint64_t size) {
    open_.reset();
    const auto index = add(What::turn, bytes, line, size);
    log_.items[index].say = !std::exchange(answered_, true);
    if (const auto it = helpers_.find(update.prompt_id); it != helpers_.end()) log_.items[index].helpers = it->second;
    if (update.prompt_id.empty()) {  // it may be any turn: none is reported again
      helpers_.erase(update.prompt_id);
      return;
    }
    if (const auto [it, fresh] = turns_.try_emplace(update.prompt_id, index); !fresh)
      log_.items[std::exchange(it->second, index)].superseded = true;
  }

  struct Call {
    std::size_t item = 0;
    bool ended = false;
  };
  UpdateLineReader reader_;
  UpdateLog log_;
  std::uint64_t items_before_;
  std::optional<std::size_t> open_;  // the text whose chunks are arriving
  std::optional<std::int64_t> prompt_index_;
  std::map<std::string, Call> calls_;
  std::map<std::string, std::size_t> turns_;
  std::map<std::string, std::vector<Helper>> helpers_;  // by prompt id
  bool answered_ = false;
};

}  // namespace

std::string_view to_string(What what) { return reflect::enum_name(what); }

std::string LogItem::key() const { return std::to_string(lines.front().offset) + "." + std::string(to_string(what)); }

std::uint64_t offset_of_key(std::string_view key) {
  std::uint64_t offset = 0;
  std::from_chars(key.data(), key.data() + key.size(), offset);
  return offset;
}

Result<std::uint64_t> anchor_at(const FileView& files, const std::string& path, std::uint64_t offset) {
  const auto length = std::min(offset, kAnchorBytes);
  MEMD_TRY_ASSIGN(const std::string bytes, files.read(path, offset - length, length));
  if (bytes.size() != length) return std::uint64_t{0};
  MEMD_TRY_ASSIGN(const std::string head, files.read(path, 0, length));
  return hash_combine(hash64(bytes), hash64(head)) | 1;
}

Result<std::vector<std::string>> usage_between(const FileView& files, const std::string& path, TimeMs from, TimeMs to) {
  MEMD_TRY_ASSIGN(std::string text, files.read(path));
  const std::size_t size = text.size();
  text.resize(size + kRecordPadding, ' ');
  std::map<std::string, std::string> by_prompt;  // a turn may be reported again; one without an id is another turn
  UpdateLineReader reader;
  for (std::size_t at = 0; at < size;) {
    const std::size_t begin = at;
    const std::size_t end = std::min(text.find('\n', at), size);
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    UpdateLine update;
    if (line.find("turn_completed") == std::string_view::npos || !reader.read(line, update)) continue;
    if (update.kind == "turn_completed" && !update.usage.empty() && update.time >= from && update.time <= to)
      by_prompt[update.prompt_id.empty() ? "#" + std::to_string(begin) : update.prompt_id] = std::move(update.usage);
  }
  std::vector<std::string> out;
  for (auto& [prompt, usage] : by_prompt)
    out.push_back(std::move(usage));
  return out;
}

Result<UpdateLog> read_update_log(const FileView& files, const std::string& path, std::uint64_t size,
                                  const ResumePoint& from) {
  Collector collector(from);
  std::string buffer;  // bytes from offset `begin` on
  std::uint64_t begin = from.offset;
  std::uint64_t read = from.offset;
  while (read < size) {
    MEMD_TRY_ASSIGN(const std::string piece, files.read(path, read, std::min(kWindow, size - read)));
    if (piece.empty()) return Error(Errc::busy, path + " became shorter");
    const auto scanned = buffer.size();
    buffer += piece;
    read += piece.size();
    const auto end = buffer.size();
    buffer.resize(end + kRecordPadding, ' ');
    std::size_t at = 0;
    const std::string_view text(buffer.data(), end);
    for (auto newline = text.find('\n', scanned); newline != std::string_view::npos; newline = text.find('\n', at)) {
      collector.take(text.substr(at, newline - at), begin + at, true);
      at = newline + 1;
    }
    buffer.resize(end);
    buffer.erase(0, at);
    begin += at;
  }
  // A last line without newline counts once it is complete.
  std::uint64_t torn = 0;
  if (!buffer.empty()) {
    const auto end = buffer.size();
    buffer.resize(end + kRecordPadding, ' ');
    UpdateLineReader reader;
    UpdateLine update;
    if (const std::string_view text(buffer.data(), end); reader.read(text, update))
      collector.take(text, begin, false);
    else
      torn = end;
  }
  const auto segment = collector.segment;
  UpdateLog log = std::move(collector).finish();
  log.torn = torn;
  if (segment) {
    MEMD_TRY_ASSIGN(log.next.anchor, anchor_at(files, path, log.next.offset));
  }
  return log;
}

}  // namespace memd::grok
