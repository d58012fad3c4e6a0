#include "adapters/cline/history_index.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/snapshot/item_json.hpp"

#include <simdjson.h>

namespace memd::cline {
namespace {

namespace dom = simdjson::dom;

constexpr std::uint64_t kIndexLimit = 64 << 20;
constexpr std::size_t kTitleLimit = 160;

std::string text_of(const dom::object& object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) ? std::string() : std::string(text);
}

TaskHistory read_entry(const dom::object& entry) {
  TaskHistory history;
  history.cwd = text_of(entry, "cwdOnTaskInitialization");
  if (history.cwd.empty()) history.cwd = text_of(entry, "workspace");
  history.title = json::one_line(text_of(entry, "task"), kTitleLimit);
  history.model = text_of(entry, "modelId");
  history.parent = text_of(entry, "parentTaskId");
  history.mode = text_of(entry, "mode");
  double cost = 0;
  if (!entry["totalCost"].get(cost)) history.cost = cost;
  return history;
}

std::optional<TaskHistory> find_entry(const dom::element& document, const std::string& id) {
  dom::array entries;
  dom::object object;
  if (document.get(entries)) {
    if (document.get(object)) return std::nullopt;
    if (text_of(object, "id") == id) return read_entry(object);
    if (object["entries"].get(entries)) return std::nullopt;
  }
  for (const auto value : entries)
    if (!value.get(object) && text_of(object, "id") == id) return read_entry(object);
  return std::nullopt;
}

}  // namespace

TaskHistory find_history(const FileView& files, const std::filesystem::path& folder) {
  const auto tasks = folder.parent_path();
  for (const auto& path :
       {folder / "history_item.json", tasks / "_index.json", tasks.parent_path() / "state" / "taskHistory.json"}) {
    const auto entry = files.stat(path.string());
    if (!entry || entry->size > kIndexLimit) continue;
    const auto text = files.read(path.string());
    if (!text) continue;
    dom::parser parser;
    dom::element document;
    if (parser.parse(*text).get(document)) continue;  // caught in a write, or broken: the task says enough
    if (auto history = find_entry(document, folder.filename().string())) return *history;
  }
  return {};
}

std::string last_model(std::string_view metadata) {
  dom::parser parser;
  dom::element document;
  dom::array usage;
  std::string model;
  if (metadata.empty() || parser.parse(metadata.data(), metadata.size()).get(document) ||
      document["model_usage"].get(usage))
    return model;
  for (const auto value : usage) {
    dom::object entry;
    if (!value.get(entry)) model = text_of(entry, "model_id");
  }
  return model;
}

std::string task_head(std::string_view id, const TaskHistory& history, std::string_view cwd, std::string_view model) {
  snapshot::ObjectWriter o;
  o.flag("head", true).text("id", id);
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) o.text(key, value);
  };
  add("cwd", cwd);
  add("model", model.empty() ? std::string_view(history.model) : model);
  add("title", history.title);
  add("parent", history.parent);
  add("mode", history.mode);
  if (history.cost) o.json("cost", std::to_string(*history.cost));
  return std::move(o).finish();
}

}  // namespace memd::cline
