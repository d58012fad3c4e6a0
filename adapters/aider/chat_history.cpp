#include "adapters/aider/chat_history.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

namespace memd::aider {
namespace {

constexpr std::string_view kStart = "# aider chat started at ";
constexpr std::string_view kBreak = "  ";  // behind each line that aider writes of itself

std::uint64_t state_of(const FileView::Entry& file) {
  return hash_combine(file.size, static_cast<std::uint64_t>(file.mtime_ns));
}

// Reads the file of prompt_toolkit: "# <time>", then the lines of the input, each behind "+".
std::vector<std::pair<TimeMs, std::string>> read_inputs(std::string_view text) {
  std::vector<std::pair<TimeMs, std::string>> inputs;
  while (!text.empty()) {
    const std::string_view line = tool_calls::next_line(text);
    if (line.starts_with("# ")) {
      inputs.emplace_back(parse_local_time(line.substr(2)).value_or(0), std::string());
    } else if (line.starts_with('+') && !inputs.empty()) {
      std::string& input = inputs.back().second;
      input.append(input.empty() ? "" : "\n").append(line, 1);
    }
  }
  return inputs;
}

// Returns the character that begins the lines of a block to which the line belongs, and moves `line` behind it.
char kind_of(std::string_view& line) {
  for (const std::string_view begin : {"#### ", "> "})
    if (line.starts_with(begin) && line.ends_with(kBreak)) {
      line.remove_prefix(begin.size());
      line.remove_suffix(kBreak.size());
      return begin.front();
    }
  return 0;
}

}  // namespace

std::string_view note_after(std::string_view notes, std::string_view begin) {
  while (!notes.empty()) {
    const std::string_view line = tool_calls::next_line(notes);
    if (line.starts_with(begin)) return line.substr(begin.size());
  }
  return {};
}

Result<SnapshotReader::Plan> ChatHistoryReader::plan(const std::string& mark) {
  loaded_ = false;
  const auto chat = files_.stat(path_);
  const std::string input_path = (std::filesystem::path(path_).parent_path() / kInputName).string();
  if (!chat) return Error(Errc::not_found, path_);
  std::uint64_t state = state_of(*chat);
  const auto input = files_.stat(input_path);
  if (input) state = hash_combine(state, state_of(*input));
  Plan plan;
  // The mark: where the last chat begins, a hash of what is before it, the state of the files.
  std::uint64_t begin = 0;
  const auto [end, error] = std::from_chars(mark.data(), mark.data() + mark.size(), begin);
  const std::string ending = "." + std::to_string(state);
  if (mark.ends_with(ending)) {
    plan.unchanged = true;
    plan.mark = mark;
    plan.size = chat->size + (input ? input->size : 0);
    return plan;
  }
  MEMD_TRY(load());
  const auto mark_at = [&](std::uint64_t at) {
    return std::to_string(at) + "." + std::to_string(hash64(std::string_view(text_).substr(0, at)));
  };
  const bool grew =
      error == std::errc() && begin > 0 && begin <= text_.size() && mark.starts_with(mark_at(begin) + ".");
  plan.complete = !grew;
  for (const Chat& one : chats_)
    if (!grew || one.begin >= begin) plan.sessions.push_back(one.id);
  plan.mark = mark_at(chats_.empty() ? 0 : chats_.back().begin) + ending;
  plan.size = text_.size() + input_bytes_;
  plan.rest = {{"input_history", Disposition::skipped, "repeated", inputs_.size(), input_bytes_},
               {"(preamble)", Disposition::skipped, "no_content", preamble_ > 0 ? 1U : 0U, preamble_}};
  return plan;
}

Result<void> ChatHistoryReader::load() {
  if (loaded_) return {};
  MEMD_TRY_ASSIGN(text_, files_.read(path_));
  const auto input = files_.read((std::filesystem::path(path_).parent_path() / kInputName).string());
  inputs_ = input ? read_inputs(*input) : std::vector<std::pair<TimeMs, std::string>>();
  input_bytes_ = input ? input->size() : 0;
  next_input_ = 0;
  chats_.clear();
  preamble_ = 0;
  Block block;
  bool after_blank = false;
  for (std::string_view rest = text_; !rest.empty();) {
    const std::uint64_t at = text_.size() - rest.size();
    std::string_view line = tool_calls::next_line(rest);
    const std::uint64_t bytes = text_.size() - rest.size() - at;
    const auto time = line.starts_with(kStart) ? parse_local_time(line.substr(kStart.size())) : std::nullopt;
    if (time) {
      add_block(std::exchange(block, {}));
      end_chat();
      begin_chat(*time, at);
      head_bytes_ = bytes;
    } else if (chats_.empty()) {
      preamble_ += bytes;
    } else {
      const char kind = kind_of(line);
      const bool blank = json::trimmed(line).empty();
      // Blank lines belong to the block before them. They part prompts, not notes.
      if ((kind != block.kind && !(blank && kind == 0)) || (kind == '#' && after_blank))
        add_block(std::exchange(block, Block{kind, 0, {}}));
      block.text.append(line).push_back('\n');
      block.bytes += bytes;
      after_blank = blank && kind == 0;
    }
  }
  add_block(std::move(block));
  end_chat();
  loaded_ = true;
  return {};
}

void ChatHistoryReader::begin_chat(TimeMs time, std::uint64_t begin) {
  Chat& chat = chats_.emplace_back();
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hash64(path_)));
  chat.id = std::to_string(time) + "-" + std::string(hash, 8);
  // Two starts within a second.
  const auto same = std::count_if(chats_.begin(), chats_.end() - 1, [&](const Chat& c) { return c.time == time; });
  if (same > 0) chat.id += "-" + std::to_string(same + 1);
  chat.begin = begin;
  chat.time = now_ = time;
}

void ChatHistoryReader::add_block(Block block) {
  if (chats_.empty()) return;
  Chat& chat = chats_.back();
  const std::string_view text = json::trimmed(block.text);
  if (text.empty()) {
    head_bytes_ += block.bytes;  // blank lines behind the head
    return;
  }
  bool estimated = true;
  if (block.kind == '#') {
    if (const TimeMs typed = time_of_prompt(text, now_); typed != 0) {
      now_ = typed;
      estimated = false;
    }
  } else if (block.kind == '>') {
    for (const std::string_view begin : {"Model: ", "Main model: "})
      if (const auto model = note_after(text, begin); !model.empty()) chat.model = model.substr(0, model.find(' '));
    if (const auto version = note_after(text, "Aider v"); !version.empty()) chat.version = version;
  }
  json::ObjectWriter item;
  item.text("kind", block.kind == '#' ? "prompt" : block.kind == '>' ? "notes" : "said").number("time", now_);
  item.flag("estimated", estimated).some_text("model", chat.model).text("text", text);
  chat.items.push_back(chat.bytes.add(std::to_string(chat.items.size() + 1), std::move(item).finish(), block.bytes));
}

void ChatHistoryReader::end_chat() {
  if (chats_.empty()) return;
  Chat& chat = chats_.back();
  json::ObjectWriter head;
  head.text("kind", "chat").number("time", chat.time);
  head.some_text("model", chat.model).some_text("version", chat.version);
  chat.head = chat.bytes.add(snapshot::kHeadKey, std::move(head).finish(), std::exchange(head_bytes_, 0));
}

// aider writes some inputs twice.
TimeMs ChatHistoryReader::time_of_prompt(std::string_view text, TimeMs after) {
  for (std::size_t i = next_input_; i < inputs_.size(); ++i)
    if (inputs_[i].first >= after && json::trimmed(inputs_[i].second) == text) {
      next_input_ = i + 1;
      while (next_input_ < inputs_.size() && inputs_[next_input_].second == inputs_[i].second &&
             inputs_[next_input_].first - inputs_[i].first < 100)
        ++next_input_;
      return inputs_[i].first;
    }
  return 0;
}

Result<std::optional<SnapshotReader::Session>> ChatHistoryReader::session(const std::string& session_key,
                                                                          std::span<const SourceItem>) {
  MEMD_TRY(load());
  for (const Chat& chat : chats_)
    if (chat.id == session_key)
      return std::optional(Session{make_session_uid(Platform::aider, chat.id), chat.head, chat.items});
  return std::optional<Session>();
}

Result<std::string> ChatHistoryReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  for (const Chat& chat : chats_)
    if (chat.id == session_key) return chat.bytes.bytes(item_key);
  return Error(Errc::not_found, path_ + ": the chat is gone");
}

}  // namespace memd::aider
