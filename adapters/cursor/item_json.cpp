#include "adapters/cursor/item_json.hpp"

#include "adapters/json/json_text.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <simdjson.h>

#include <algorithm>

namespace memd::cursor {

namespace {

constexpr std::size_t kKeptCapacity = 16 << 20;

}  // namespace

std::string ItemJson::finish() && {
  std::string item = std::move(json_).finish();
  if (simdjson::validate_utf8(item)) return item;
  bool replaced = false;
  return json::cleaned_json(item, replaced);
}

std::string ItemJson::finish(std::string_view value) && {
  std::string cleaned;
  if (!is_json_object(value)) {
    bool replaced = false;
    cleaned = json::cleaned_json(value, replaced);
    if (!is_json_object(cleaned)) return std::move(text("damaged", value)).finish();
    flag("lossy", replaced);
    value = cleaned;
  }
  std::string item = std::move(json_.raw("v", value)).finish();
  // Line breaks in a valid object are between tokens; inside a string they would be escaped.
  const auto begin = item.end() - static_cast<std::ptrdiff_t>(value.size() + 1);
  std::replace_if(
      begin, item.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return item;
}

bool is_json_object(std::string_view json) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::object object;
  const bool whole = !parser.parse(json.data(), json.size(), true).get(object);
  if (parser.capacity() > kKeptCapacity) parser = simdjson::dom::parser();
  return whole;
}

std::string head_json(const Composer& composer, const CatalogueEntry& catalogue, std::string_view folder) {
  ItemJson json(item_kind::kHead);
  json.text("title", composer.title).text("description", composer.description).text("cwd", folder);
  json.text("mode", composer.mode).text("model", composer.model).text("branch", composer.git_branch);
  json.text("status", composer.status).flag("archived", composer.archived || catalogue.archived);
  json.text("parent", composer.parent_id).text("parent_call", composer.parent_call_id);
  json.flag("subagent", catalogue.subagent);
  json.text("agent", composer.agent_name.empty() ? catalogue.agent_name : composer.agent_name);
  json.number("created", composer.started_at).number("updated", composer.ended_at);
  json.number("context_tokens", composer.context_tokens).number("cost_cents", composer.cost_cents);
  json.number("lines_added", composer.lines_added).number("lines_removed", composer.lines_removed);
  return std::move(json).finish();
}

std::string record_id(const std::string& conversation, const std::string& entry) {
  return is_uuid(entry) ? entry : conversation + "/" + entry;
}

std::uint64_t version_of(std::string_view value) { return std::max<std::uint64_t>(hash64(value), 1); }

}  // namespace memd::cursor
