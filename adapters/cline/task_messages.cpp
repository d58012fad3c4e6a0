#include "adapters/cline/task_messages.hpp"

#include "adapters/adapter.hpp"
#include "adapters/cline/edit_counts.hpp"
#include "adapters/cline/tool_names.hpp"
#include "adapters/json/json_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <map>

namespace memd::cline {
namespace {

namespace dom = simdjson::dom;
using snapshot::Document;
using snapshot::Element;

std::string_view task_messages_text_of(const dom::object& object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) ? std::string_view{} : text;
}
std::int64_t number_of(const dom::object& object, std::string_view key) {
  std::int64_t number = 0;
  double fraction = 0;
  if (!object[key].get(number)) return number;
  return object[key].get(fraction) ? 0 : static_cast<std::int64_t>(fraction);
}

// Parses slices of a padded document, and mends their encoding when it must.
class Slices {
 public:
  bool parse(std::string_view slice, dom::object& object) {
    if (!parser_.parse(slice.data(), slice.size(), false).get(object)) return true;
    bool replaced = false;
    mended_ = json::cleaned_json(slice, replaced);
    return parse_mended(object);
  }
  bool parse_text(std::string_view text, dom::object& object) {
    mended_ = text;
    return parse_mended(object);
  }

 private:
  bool parse_mended(dom::object& object) {
    const auto size = mended_.size();
    mended_.resize(size + kRecordPadding, ' ');
    return !parser_.parse(mended_.data(), size, false).get(object);
  }
  dom::parser parser_;
  std::string mended_;
};

constexpr std::array<std::string_view, 5> kCalls{"tool", "command", "use_mcp_server", "browser_action_launch",
                                                 "use_subagents"};
constexpr std::array<std::string_view, 3> kOutputs{"command_output", "mcp_server_response", "browser_action_result"};

bool is_output(std::string_view kind) {
  const auto name = kind.substr(std::min(kind.size(), kind.find(':') + 1));
  return std::find(kOutputs.begin(), kOutputs.end(), name) != kOutputs.end();
}

void read_call(Slices& slices, std::string_view name, std::string_view text, UiMessage& out) {
  if (std::find(kCalls.begin(), kCalls.end(), name) == kCalls.end() && name != "browser_action") return;
  out.tool = model_tool_name(name);
  dom::object tool;
  if (name == "command" || !slices.parse_text(text, tool)) return;
  if (name == "use_mcp_server" && task_messages_text_of(tool, "type") == "access_mcp_resource")
    out.tool = "access_mcp_resource";
  if (name != "tool") return;
  out.tool = model_tool_name(task_messages_text_of(tool, "tool"));
  if (access_of(out.tool) != FileAccess::modified) return;
  out.path = task_messages_text_of(tool, "path");
  const auto diff = task_messages_text_of(tool, "diff");
  const EditCounts counts = count_edit(diff.empty() ? task_messages_text_of(tool, "content") : diff);
  out.lines_added = counts.added;
  out.lines_removed = counts.removed;
}

UiMessage read_message(Slices& reader, Slices& inner, const Document& document, const Element& element) {
  UiMessage m;
  m.elements.push_back(element);
  dom::object object;
  if (element.damaged || !reader.parse(document.bytes(element), object)) {
    m.damaged = true;
    m.kind = "(damaged)";
    return m;
  }
  m.ts = number_of(object, "ts");
  const auto type = task_messages_text_of(object, "type");
  const auto name = task_messages_text_of(object, type == "ask" ? "ask" : "say");
  m.kind =
      std::string(json::is_identifier(type) ? type : "?") + ":" + std::string(json::is_identifier(name) ? name : "?");
  bool partial = false;
  m.partial = !object["partial"].get(partial) && partial;
  std::int64_t index = 0;
  if (!object["conversationHistoryIndex"].get(index)) m.history_index = index;
  dom::array range;
  std::int64_t from = 0;
  std::int64_t to = 0;
  if (!object["conversationHistoryDeletedRange"].get(range) && !range.at(0).get(from) && !range.at(1).get(to))
    m.dropped = {from, to};
  read_call(inner, name, task_messages_text_of(object, "text"), m);
  return m;
}

}  // namespace

std::size_t UiMessage::bytes() const {
  std::size_t sum = 0;
  for (const Element& e : elements)
    sum += e.end - e.begin;
  return sum;
}

std::vector<UiMessage> read_ui_messages(const Document& document) {
  std::vector<UiMessage> messages;
  Slices reader;
  Slices inner;
  std::optional<std::pair<std::int64_t, std::int64_t>> dropped;
  for (const Element& element : document.elements) {
    UiMessage m = read_message(reader, inner, document, element);
    // Output of a command comes in pieces, a message each.
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
  bool request_follows = false;
  for (UiMessage& m : messages) {
    m.key = std::to_string(m.ts) + "." + m.kind.substr(m.kind.find(':') + 1);
    if (const int n = ordinals[m.key]++; n > 0) m.key += "." + std::to_string(n);
  }
  for (auto m = messages.rbegin(); m != messages.rend(); ++m) {
    m->repeated = is_output(m->kind) && request_follows;
    request_follows |= m->is_request();
    m->superseded = m->partial && !latest.emplace(std::pair{m->ts, m->kind}, 0).second;
    if (!m->partial) latest.emplace(std::pair{m->ts, m->kind}, 0);
  }
  return messages;
}

std::vector<HistoryEntry> read_history(const Document& document) {
  std::vector<HistoryEntry> entries;
  Slices reader;
  for (const Element& element : document.elements) {
    HistoryEntry& entry = entries.emplace_back();
    entry.element = element;
    dom::object object;
    dom::array content;
    if (element.damaged || !reader.parse(document.bytes(element), object)) continue;
    entry.assistant = task_messages_text_of(object, "role") == "assistant";
    entry.ts = number_of(object, "ts");
    if (object["content"].get(content)) continue;
    for (const auto value : content) {
      dom::object block;
      if (value.get(block)) continue;
      const auto type = task_messages_text_of(block, "type");
      entry.has_results |= type == "tool_result";
      if (type == "tool_use")
        entry.calls.push_back({std::string(task_messages_text_of(block, "id")),
                               std::string(task_messages_text_of(block, "name")), simdjson::minify(block), false});
    }
  }
  return entries;
}

namespace {

// Follows the messages through the history.
class Joiner {
 public:
  Joiner(std::vector<HistoryEntry>& history, const Document& document) : history_(history), document_(document) {
    indexed_times_ = std::any_of(history.begin(), history.end(), [](const auto& e) { return e.ts != 0; });
  }

  void take(UiMessage& m) {
    if (m.is_request())
      take_request(m);
    else if (m.is_call() && !m.superseded)
      take_call(m);
    else if (is_output(m.kind) && !pending_.empty())
      m.calls = {pending_.back()};
  }

 private:
  void take_request(UiMessage& m) {
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
    if (!history_[user].has_results) return;  // the same text stands in the request itself
    simdjson::dom::parser parser;
    simdjson::dom::element content;
    const auto slice = document_.bytes(history_[user].element);
    if (!parser.parse(slice.data(), slice.size(), false)["content"].get(content)) m.results = simdjson::minify(content);
  }

  void take_call(UiMessage& m) {
    std::size_t answer = answer_;
    if (m.history_index && *m.history_index >= 0) {
      answer = static_cast<std::size_t>(*m.history_index);
      if (answer < history_.size() && !history_[answer].assistant) ++answer;
    }
    ToolCall call{m.key, m.tool, m.path, m.lines_added, m.lines_removed};
    if (answer < history_.size() && history_[answer].assistant) {
      auto& calls = history_[answer].calls;
      const auto block = std::find_if(calls.begin(), calls.end(), [&](const ToolUse& c) {
        return !c.taken && !is_talk(c.name) && may_show(m.tool, c.name);
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
    pending_.push_back(std::move(call));
  }

  std::vector<HistoryEntry>& history_;
  const Document& document_;
  bool indexed_times_ = false;
  std::vector<ToolCall> pending_;
  std::size_t requests_ = 0;
  std::size_t answer_ = 1;
};

}  // namespace

void join(std::vector<UiMessage>& messages, std::vector<HistoryEntry>& history, const Document& document) {
  Joiner joiner(history, document);
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
    // The heading stands in a JSON string, or in one inside another.
    std::string once;
    json::append_unescaped(path, once);
    if (!document.substr(0, at).ends_with("\\\\n# ")) return once;
    std::string twice;
    json::append_unescaped(once, twice);
    return twice;
  }
  return {};
}

}  // namespace memd::cline
