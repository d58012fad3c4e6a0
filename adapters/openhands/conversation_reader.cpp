#include "adapters/openhands/conversation_reader.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <charconv>
#include <filesystem>
#include <utility>

namespace memd::openhands {
namespace {

using json::dom::object;

constexpr std::string_view kDamaged = R"({"damaged":true})";

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Writes the event without its member "action".
void append_without_action(std::string_view text, std::string& out) {
  json::ObjectWriter event;
  json::ValueScanner scanner(text);
  scanner.members([&](std::string_view key, std::string_view value) {
    if (key != "action") event.json(key, value);
  });
  out = std::move(event).finish();
}

}  // namespace

std::optional<std::uint64_t> event_number(std::string_view name) {
  constexpr std::string_view kBegin = "event-";
  if (!name.starts_with(kBegin) || !name.ends_with(".json")) return std::nullopt;
  name.remove_prefix(kBegin.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || *end != '-') return std::nullopt;
  return number;
}

ConversationReader::ConversationReader(std::string folder, const FileView& files)
    : folder_(std::move(folder)), id_(name_of_file(folder_)), files_(files) {}

Result<std::string> ConversationReader::look() {
  events_.clear();
  rest_.records = rest_.bytes = 0;
  loaded_ = false;
  std::uint64_t state = 0;
  const auto add = [&](const FileView::Entry& file) {
    state = hash64(file.path, hash_combine(state, hash_combine(file.size, static_cast<std::uint64_t>(file.mtime_ns))));
  };
  state_ = files_.stat(folder_ + "/" + std::string(kStateName));
  if (state_) add(*state_);
  for (const auto& file : files_.list(folder_ + "/events")) {
    if (file.is_directory) continue;
    add(file);
    if (const auto number = event_number(name_of_file(file.path)); number && events_.emplace(*number, file).second)
      continue;
    ++rest_.records;
    rest_.bytes += file.size;
  }
  if (!state_ && events_.empty()) return Error(Errc::not_found, folder_ + ": no conversation");
  return std::to_string(state);
}

Result<SnapshotReader::Plan> ConversationReader::plan(const std::string& mark) {
  Plan plan;
  MEMD_TRY_ASSIGN(plan.mark, look());
  plan.complete = true;
  plan.unchanged = plan.mark == mark;
  if (plan.unchanged) {
    plan.size = rest_.bytes + (state_ ? state_->size : 0);
    for (const auto& [number, file] : events_)
      plan.size += file.size;
    return plan;
  }
  MEMD_TRY(load());
  plan.sessions.push_back(id_);
  plan.rest = {rest_, torn_};
  plan.size = rest_.bytes + torn_.bytes + (head_ ? head_->ledger_bytes : 0);
  for (const Item& item : items_)
    plan.size += item.ledger_bytes;
  return plan;
}

Result<void> ConversationReader::load() {
  if (loaded_) return {};
  head_.reset();
  items_.clear();
  usages_.clear();
  torn_.records = torn_.bytes = 0;
  if (state_) {
    MEMD_TRY_ASSIGN(const auto text, read_newest(*state_));
    if (text) head_ = bytes_.add(snapshot::kHeadKey, read_state(*text), text->size());
  }
  for (const auto& [number, file] : events_) {
    const bool is_newest = number == events_.rbegin()->first;
    MEMD_TRY_ASSIGN(const auto text, is_newest ? read_newest(file) : files_.read(file.path));
    if (text) items_.push_back(bytes_.add(name_of_file(file.path), event_item(*text), text->size()));
  }
  loaded_ = true;
  return {};
}

Result<std::optional<std::string>> ConversationReader::read_newest(const FileView::Entry& file) {
  MEMD_TRY_ASSIGN(std::string text, files_.read(file.path));
  json::ValueScanner scanner(text);
  scanner.value();
  if (scanner.state() != json::ValueScanner::State::unfinished) return std::optional(std::move(text));
  ++torn_.records;
  torn_.bytes += text.size();
  return std::optional<std::string>();
}

std::string ConversationReader::read_state(std::string_view text) {
  json::DomParser parser;
  object state;
  object inner;
  if (!parser.parse(text, state)) return std::string(kDamaged);
  json::ObjectWriter head;
  if (!state["workspace"].get(inner)) head.some_text("cwd", json::text_of(inner, "working_dir"));
  if (!state["agent"]["llm"].get(inner)) head.some_text("model", json::text_of(inner, "model"));
  double cost = 0;
  object metrics;
  if (!state["stats"]["usage_to_metrics"].get(metrics)) {
    for (const auto& [usage, metric] : metrics) {
      double spent = 0;
      json::dom::array responses;
      if (!metric["accumulated_cost"].get(spent)) cost += spent;
      if (metric["token_usages"].get(responses)) continue;
      for (const json::dom::element response : responses)
        if (!response.get(inner))
          usages_[std::string(json::text_of(inner, "response_id"))] = simdjson::minify(response);
    }
  }
  if (cost > 0) head.raw("cost", std::to_string(cost));
  const std::filesystem::path above = std::filesystem::path(folder_).parent_path();
  if (above.filename() == kSubagents) head.text("parentID", above.parent_path().filename().string());
  return std::move(head).finish();
}

std::string ConversationReader::event_item(std::string_view text) const {
  json::DomParser parser;
  object event;
  if (!parser.parse(text, event)) return std::string(kDamaged);
  std::string_view arguments;
  const bool has_arguments = !event["tool_call"]["arguments"].get(arguments) && !arguments.empty();
  std::string bytes;
  if (has_arguments)
    append_without_action(text, bytes);
  else
    json::append_compact(text, bytes);
  json::ObjectWriter item;
  if (const auto usage = usages_.find(json::text_of(event, "llm_response_id")); usage != usages_.end())
    item.raw("usage", usage->second);
  return std::move(item.raw("event", bytes)).finish();
}

Result<std::optional<SnapshotReader::Session>> ConversationReader::session(const std::string& session_key,
                                                                           std::span<const SourceItem>) {
  if (!loaded_) MEMD_TRY(look());
  if (session_key != id_) return std::optional<Session>();
  MEMD_TRY(load());
  return std::optional(Session{make_session_uid(Platform::openhands, id_), head_, items_});
}

Result<std::string> ConversationReader::item(const std::string&, const std::string& item_key) {
  if (!loaded_) MEMD_TRY(look());
  MEMD_TRY(load());
  return bytes_.bytes(item_key);
}

}  // namespace memd::openhands
