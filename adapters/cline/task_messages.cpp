#include "adapters/cline/task_messages.hpp"

#include "adapters/cline/model_text.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/patch_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace memd::cline {

namespace {

bool is_marker(std::string_view line, char mark) {
  const auto n = line.find_first_not_of(mark);
  return n != std::string_view::npos ? n >= 3 : line.size() >= 3;
}

// Counts the lines that an edit adds and removes, from what its message shows: SEARCH/REPLACE blocks, a unified diff,
// or the whole new file.
void count_edit(std::string_view shown, FileTouch& file) {
  const auto has = [&](std::string_view text) { return shown.find(text) != std::string_view::npos; };
  const bool blocks = has(" SEARCH") && has(" REPLACE");
  const bool unified = shown.starts_with("@@ ") || has("\n@@ ");
  enum { outside, search, replace } part = outside;
  while (!shown.empty()) {
    const auto line = tool_calls::next_line(shown);
    if (!blocks) {
      const bool heading = line.starts_with("+++") || line.starts_with("---");
      if (!unified || (line.starts_with('+') && !heading)) ++file.lines_added;
      if (unified && line.starts_with('-') && !heading) ++file.lines_removed;
    } else if (line.ends_with(" SEARCH") && (is_marker(line, '-') || is_marker(line, '<'))) {
      part = search;
    } else if (part == search && is_marker(line, '=') && line.find_first_not_of('=') == std::string_view::npos) {
      part = replace;
    } else if (line.ends_with(" REPLACE") && (is_marker(line, '+') || is_marker(line, '>'))) {
      part = outside;
    } else if (part != outside) {
      ++(part == search ? file.lines_removed : file.lines_added);
    }
  }
}

namespace dom = simdjson::dom;
using json::DomParser;
using json::number_of;
using json::text_of;
using snapshot::Document;
using snapshot::Element;

constexpr Names kCalls("tool command use_mcp_server browser_action_launch browser_action use_subagents");
constexpr Names kOutputs(
    "command_output mcp_server_response browser_action_result codebase_search_result subtask_result");

constexpr std::string_view kHeadingEnd = "] Result:";  // of a result written as text

bool is_output(std::string_view kind) {
  const auto name = kind.substr(std::min(kind.size(), kind.find(':') + 1));
  return kOutputs.has(name);
}

void read_call(DomParser& parser, std::string_view name, std::string_view text, UiMessage& out) {
  if (!kCalls.has(name)) return;
  std::string& shown = out.call.tool;
  shown = model_tool_name(name);
  dom::object tool;
  if (name == "command" || !parser.parse(text, tool)) return;
  if (name == "use_mcp_server" && text_of(tool, "type") == "access_mcp_resource") shown = "access_mcp_resource";
  if (name != "tool") return;
  shown = model_tool_name(text_of(tool, "tool"));
  if (access_of(shown) != FileAccess::modified) return;
  out.call.file.path = text_of(tool, "path");
  const auto diff = text_of(tool, "diff");
  count_edit(diff.empty() ? text_of(tool, "content") : diff, out.call.file);
}

UiMessage read_message(DomParser& reader, DomParser& inner, const Document& document, const Element& element) {
  UiMessage m;
  m.elements.push_back(element);
  dom::object object;
  if (element.damaged || !reader.parse_padded(document.bytes(element), object)) {
    m.damaged = true;
    m.kind = "(damaged)";
    return m;
  }
  m.ts = number_of(object, "ts");
  const auto type = text_of(object, "type");
  const auto name = text_of(object, type == "ask" ? "ask" : "say");
  m.kind =
      std::string(json::is_identifier(type) ? type : "?") + ":" + std::string(json::is_identifier(name) ? name : "?");
  m.partial = json::flag_of(object, "partial");
  std::int64_t index = 0;
  if (!object["conversationHistoryIndex"].get(index)) m.history_index = index;
  dom::array range;
  std::int64_t from = 0;
  std::int64_t to = 0;
  if (!object["conversationHistoryDeletedRange"].get(range) && !range.at(0).get(from) && !range.at(1).get(to))
    m.dropped = {from, to};
  read_call(inner, name, text_of(object, "text"), m);
  m.tells_results = m.is_request() && text_of(object, "text").find(kHeadingEnd) != std::string_view::npos;
  return m;
}

}  // namespace

std::size_t UiMessage::bytes() const {
  std::size_t sum = 0;
  for (const Element& e : elements)
    sum += e.end - e.begin;
  return sum;
}

bool UiMessage::lacks_history() const {
  if (is_output(kind)) return !repeated;
  return is_call() ? !block : is_request() && !calls.empty() && !results && !tells_results;
}

std::vector<UiMessage> read_ui_messages(const Document& document) {
  std::vector<UiMessage> messages;
  DomParser reader;
  DomParser inner;
  std::optional<std::pair<std::int64_t, std::int64_t>> dropped;
  for (const Element& element : document.elements) {
    UiMessage m = read_message(reader, inner, document, element);
    // Output of a command arrives in pieces, one message each.
    if (!messages.empty() && is_output(m.kind) && is_output(messages.back().kind)) {
      messages.back().elements.push_back(element);
      continue;
    }
    if (m.dropped == dropped) {
      m.dropped.reset();
    } else if (m.dropped) {
      dropped = m.dropped;
    }
    messages.push_back(std::move(m));
  }

  std::map<std::string, int> ordinals;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> latest;
  for (UiMessage& m : messages) {
    m.key = std::to_string(m.ts) + "." + m.kind.substr(m.kind.find(':') + 1);
    if (const int n = ordinals[m.key]++; n > 0) m.key += "." + std::to_string(n);
  }
  for (auto m = messages.rbegin(); m != messages.rend(); ++m) {
    m->superseded = m->partial && !latest.emplace(std::pair{m->ts, m->kind}, 0).second;
    if (!m->partial) latest.emplace(std::pair{m->ts, m->kind}, 0);
  }
  return messages;
}

std::vector<HistoryEntry> read_history(const Document& document) {
  std::vector<HistoryEntry> entries;
  DomParser reader;
  for (const Element& element : document.elements) {
    HistoryEntry& entry = entries.emplace_back();
    entry.element = element;
    dom::object object;
    dom::element content;
    std::string_view text;
    if (element.damaged || !reader.parse_padded(document.bytes(element), object)) continue;
    entry.assistant = text_of(object, "role") == "assistant";
    entry.ts = number_of(object, "ts");
    if (object["content"].get(content)) continue;
    if (!entry.assistant) entry.content = simdjson::minify(content);
    if (!content.get(text)) entry.texts.emplace_back(text);
    json::for_each_object(object, "content", [&](const dom::object& block) {
      if (!block["text"].get(text)) entry.texts.emplace_back(text);
      for (const auto name : {"result", "question", "response"})
        if (entry.assistant && !block["input"][name].get(text)) entry.talk.emplace_back(text);
      const auto type = text_of(block, "type");
      entry.has_results |= type == "tool_result";
      if (type == "tool_use")
        entry.calls.push_back(
            {std::string(text_of(block, "id")), std::string(text_of(block, "name")), simdjson::minify(block), false});
    });
  }
  return entries;
}

// Joining the two views.

namespace {

// Matches the messages to the history, in order.
class Joiner {
 public:
  explicit Joiner(std::vector<HistoryEntry>& history) : history_(history) {
    indexed_times_ = std::any_of(history.begin(), history.end(), [](const auto& e) { return e.ts != 0; });
  }

  void take(UiMessage& m) {
    if (m.is_request())
      take_request(m);
    else if (m.is_call() && !m.superseded)
      take_call(m);
    else if (is_output(m.kind))
      take_output(m);
  }

 private:
  // Output may arrive after the request that answers its call, while the command goes on.
  void take_output(UiMessage& m) {
    if (last_call_) m.calls = {*last_call_};
    if (!pending_.empty()) outputs_.push_back(&m);
  }

  void take_request(UiMessage& m) {
    join_request(m);
    for (UiMessage* output : outputs_)
      output->repeated =
          m.tells_results || (m.results && (m.results->find(kHeadingEnd) != std::string::npos ||
                                            m.results->find(output->calls.front().id) != std::string::npos));
    outputs_.clear();
  }

  void join_request(UiMessage& m) {
    m.calls = std::move(pending_);
    pending_.clear();
    std::size_t user = 0;
    if (m.history_index) {
      user = static_cast<std::size_t>(std::max<std::int64_t>(*m.history_index + 1, 0));
    } else if (indexed_times_) {
      while (user < history_.size() && (history_[user].assistant || history_[user].ts < m.ts))
        ++user;
    } else {
      user = 2 * requests_;
    }
    ++requests_;
    answer_ = user + 1;
    if (user >= history_.size() || history_[user].assistant || history_[user].element.damaged) return;
    history_[user].joined = true;
    if (!history_[user].has_results && (m.tells_results || m.calls.empty())) return;
    if (!history_[user].content.empty()) m.results = history_[user].content;
  }

  void take_call(UiMessage& m) {
    std::size_t answer = answer_;
    if (m.history_index && *m.history_index >= 0) {
      answer = static_cast<std::size_t>(*m.history_index);
      if (answer < history_.size() && !history_[answer].assistant) ++answer;
    }
    ToolCall call = m.call;
    call.id = m.key;
    if (answer < history_.size() && history_[answer].assistant) {
      auto& calls = history_[answer].calls;
      const auto block = std::find_if(calls.begin(), calls.end(), [&](const ToolUse& c) {
        return !c.taken && !is_talk(c.name) && may_show(m.call.tool, c.name);
      });
      if (block != calls.end()) {
        block->taken = true;
        history_[answer].joined = true;
        m.block = block->json;
        if (!block->id.empty()) call.id = block->id;
        call.tool = block->name;
      }
    }
    m.calls = {call};
    last_call_ = call;
    pending_.push_back(std::move(call));
  }

  std::vector<HistoryEntry>& history_;
  bool indexed_times_ = false;
  std::vector<ToolCall> pending_;
  std::optional<ToolCall> last_call_;
  std::vector<UiMessage*> outputs_;  // of pending calls
  std::size_t requests_ = 0;
  std::size_t answer_ = 1;
};

}  // namespace

void join(std::vector<UiMessage>& messages, std::vector<HistoryEntry>& history) {
  Joiner joiner(history);
  for (UiMessage& m : messages)
    joiner.take(m);
}

std::string find_working_directory(std::string_view document) {
  constexpr std::string_view kHeading = "Current Working Directory (";
  for (auto at = document.find(kHeading); at != std::string_view::npos; at = document.find(kHeading, at + 1)) {
    auto path = document.substr(at + kHeading.size(), 4096);
    const auto end = path.find(") Files");
    if (end == std::string_view::npos) continue;
    path = path.substr(0, end);
    if (path.empty() || path.find('"') != std::string_view::npos) continue;
    // The heading is in a JSON string, or in one nested inside another.
    std::string once;
    json::append_unescaped(path, once);
    if (!document.substr(0, at).ends_with("\\\\n# ")) return once;
    std::string twice;
    json::append_unescaped(once, twice);
    return twice;
  }
  return {};
}

// Entries of which the interface messages tell nothing.

namespace {

// Adds the words of a text under the assistant's role: thinking and talk each by itself, no calls.
void add_assistant_words(std::string_view text, std::vector<std::string>& out) {
  const auto add = [&](std::string_view words) {
    const Said said = split_thinking(words);
    out.emplace_back(said.thinking);
    out.emplace_back(said.talk);
  };
  std::size_t done = 0;
  for (const XmlCall& call : xml_calls(text)) {
    add(text.substr(done, call.begin - done));
    if (is_talk(call.tool)) add(call.talk);
    done = call.end;
  }
  add(text.substr(done));
}

// What an entry tells a person. nullopt: results of tools, which only a join tells.
std::optional<std::vector<std::string>> words_of(const HistoryEntry& entry) {
  std::vector<std::string> words;
  if (entry.has_results) return std::nullopt;
  for (const std::string& text : entry.texts) {
    std::size_t at = 0;
    TextResult result;
    if (entry.assistant)
      add_assistant_words(text, words);
    else if (next_text_result(text, at, result))
      return std::nullopt;
    else
      words.push_back(human_words(text).text);
  }
  for (const std::string& text : entry.talk)
    words.emplace_back(json::trimmed(text));
  std::erase(words, "");
  return words;
}

// Looks for words in the interface messages, newest first.
class ShownWords {
 public:
  ShownWords(const std::vector<UiMessage>& messages, const Document& document)
      : messages_(messages), document_(document) {}

  bool tell(std::string_view words) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (i == shown_.size()) shown_.push_back(read(messages_[messages_.size() - 1 - i]));
      for (const std::string& text : shown_[i])
        if (shows(text, words)) return true;
    }
    return false;
  }

 private:
  // Words of a few letters are part of other words, too.
  static bool shows(std::string_view text, std::string_view words) {
    constexpr std::size_t kFew = 12;  // bytes
    if (words.size() <= kFew) return json::trimmed(without_changes_flag(text)) == words;
    return text.find(words) != std::string_view::npos || (text.size() > kFew && words.starts_with(text));  // unfinished
  }

  std::vector<std::string> read(const UiMessage& message) {
    std::vector<std::string> out;
    dom::object object;
    for (const Element& element : message.elements) {
      if (element.damaged || !outer_.parse_padded(document_.bytes(element), object)) continue;
      for (const auto name : {"text", "reasoning"})
        if (const auto text = text_of(object, name); !text.empty()) out.emplace_back(text);
    }
    for (std::size_t i = 0, n = out.size(); i < n; ++i) {
      if (!out[i].starts_with('{') || !inner_.parse(out[i], object)) continue;
      for (const auto& [key, value] : object)
        if (std::string_view text; !value.get(text)) out.emplace_back(text);
    }
    return out;
  }

  const std::vector<UiMessage>& messages_;
  const Document& document_;
  DomParser outer_;
  DomParser inner_;
  std::vector<std::vector<std::string>> shown_;
};

}  // namespace

std::size_t told_entries(const std::vector<UiMessage>& messages, const Document& ui,
                         const std::vector<HistoryEntry>& history) {
  ShownWords shown(messages, ui);
  std::size_t end = history.size();
  for (; end > 0; --end) {
    const HistoryEntry& entry = history[end - 1];
    if (entry.joined || entry.element.damaged) break;
    const auto words = words_of(entry);
    const bool acts =
        std::any_of(entry.calls.begin(), entry.calls.end(), [](const ToolUse& c) { return !is_talk(c.name); });
    if (words && !acts && std::all_of(words->begin(), words->end(), [&](const auto& w) { return shown.tell(w); }))
      break;
  }
  return end;
}

}  // namespace memd::cline
