#include "adapters/cline/history_items.hpp"

#include "adapters/cline/wrappers.hpp"
#include "adapters/cline/xml_calls.hpp"
#include "adapters/snapshot/item_json.hpp"

#include <charconv>

namespace memd::cline {
namespace {

// Task ids of Cline are times; those of Roo Code are UUIDs.
std::int64_t start_time(std::string_view task_id) {
  std::int64_t time = 0;
  const auto [end, error] = std::from_chars(task_id.data(), task_id.data() + task_id.size(), time);
  return error == std::errc() && end == task_id.data() + task_id.size() ? time : 0;
}

}  // namespace

std::vector<HistoryItem> history_items(std::string_view task_id, const snapshot::Document& document,
                                       const std::vector<HistoryEntry>& history, std::string_view cwd) {
  std::vector<HistoryItem> items;
  std::int64_t time = start_time(task_id);
  std::string calls;  // of the entry before, whose results come as text
  for (std::size_t i = 0; i < history.size(); ++i) {
    const HistoryEntry& entry = history[i];
    HistoryItem item;
    item.key = "h" + std::to_string(i);
    item.ledger_bytes = entry.element.end - entry.element.begin;
    snapshot::ObjectWriter o;
    o.text("key", item.key);
    if (entry.element.damaged) {
      item.bytes = std::move(o.flag("damaged", true)).finish();
      items.push_back(std::move(item));
      continue;
    }
    if (entry.ts > 0) time = entry.ts;
    if (!cwd.empty()) o.text("cwd", cwd);
    o.number("time", time).flag("estimated", entry.ts == 0);
    if (!calls.empty()) o.json("calls", calls);
    const auto slice = document.bytes(entry.element);
    o.json("message", slice);
    item.bytes = std::move(o).finish();
    items.push_back(std::move(item));

    calls.clear();
    if (!entry.assistant) continue;
    std::string list;
    const auto add = [&](std::string_view id, std::string_view tool) {
      list.append(list.empty() ? "[" : ",")
          .append(std::move(snapshot::ObjectWriter().text("id", id).text("tool", tool)).finish());
    };
    if (entry.calls.empty()) {
      std::size_t n = 0;
      for (const auto& call : xml_calls_of_message(slice))
        add(xml_call_id(items.back().key, n++), call.tool);
    }
    for (const auto& call : entry.calls)
      add(call.id, call.name);
    if (!list.empty()) calls = list + "]";
  }
  return items;
}

}  // namespace memd::cline
