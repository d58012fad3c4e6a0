#include "adapters/openhands/conversation_reader.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"

#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
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

class ConversationReader final : public snapshot::HeldSource {
 public:
  using HeldSource::HeldSource;

 protected:
  Result<std::string> state() override {
    std::uint64_t hash = others_ = 0;
    events_.clear();
    state_ = files_.stat(path_ + "/" + std::string(kStateName));
    if (state_) hash = snapshot::state_of(*state_, hash);
    for (const auto& file : files_.list(path_ + "/events")) {
      if (file.is_directory) continue;
      hash = snapshot::state_of(file, hash);
      if (const auto number = event_number(name_of_file(file.path)); number && events_.emplace(*number, file).second)
        continue;
      ++others_;
      size_ += file.size;
    }
    if (!state_ && events_.empty()) return Error(Errc::not_found, path_ + ": no conversation");
    return std::to_string(hash);
  }

  Result<void> read() override {
    usages_.clear();
    note("(other)", Disposition::skipped, "not_conversation", size_, others_);
    note("(torn)", Disposition::skipped, "unfinished", 0, 0);
    const std::string id = name_of_file(path_);
    Held& held = add_session(id, make_session_uid(Platform::openhands, id));
    if (state_) {
      MEMD_TRY_ASSIGN(const auto text, read_newest(*state_));
      if (text) held.add_head(read_state(*text), text->size());
    }
    for (const auto& [number, file] : events_) {
      const bool is_newest = number == events_.rbegin()->first;
      MEMD_TRY_ASSIGN(const auto text, is_newest ? read_newest(file) : whole(file));
      if (text) held.add(name_of_file(file.path), event_item(*text), text->size());
    }
    return {};
  }

 private:
  Result<std::optional<std::string>> whole(const FileView::Entry& file) {
    MEMD_TRY_ASSIGN(std::string text, files_.read(file.path));
    size_ += text.size();
    return std::optional(std::move(text));
  }

  // Reads a file that may be being written: nullopt then.
  Result<std::optional<std::string>> read_newest(const FileView::Entry& file) {
    MEMD_TRY_ASSIGN(auto text, whole(file));
    json::ValueScanner scanner(*text);
    scanner.value();
    if (scanner.state() != json::ValueScanner::State::unfinished) return text;
    note("(torn)", Disposition::skipped, "unfinished", text->size());
    return std::optional<std::string>();
  }

  std::string read_state(std::string_view text) {
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
    const std::filesystem::path above = std::filesystem::path(path_).parent_path();
    if (above.filename() == kSubagents) head.text("parentID", above.parent_path().filename().string());
    return std::move(head).finish();
  }

  std::string event_item(std::string_view text) const {
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

  std::optional<FileView::Entry> state_;
  std::map<std::uint64_t, FileView::Entry> events_;  // by number
  std::uint64_t others_ = 0;
  std::map<std::string, std::string, std::less<>> usages_;  // JSON, by id of the response
};

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

std::unique_ptr<SnapshotReader> open_conversation(const FileView& files, std::string folder) {
  return std::make_unique<ConversationReader>(files, std::move(folder));
}

}  // namespace memd::openhands
