#include "adapters/cursor/item_json.hpp"

#include "adapters/json/json_text.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

#include <simdjson.h>

#include <algorithm>

namespace memd::cursor {

namespace {

constexpr std::size_t kKeptCapacity = 16 << 20;

void append_string(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out.append("\\\""); break;
      case '\\': out.append("\\\\"); break;
      case '\n': out.append("\\n"); break;
      case '\r': out.append("\\r"); break;
      case '\t': out.append("\\t"); break;
      default:
        if (byte < 0x20)
          out.append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
        else
          out.push_back(c);
    }
  }
  out.push_back('"');
}

}  // namespace

ItemJson::ItemJson(std::string_view kind) {
  json_.append("{\"k\":");
  append_string(kind, json_);
}

void ItemJson::key(std::string_view key) { json_.append(",\"").append(key).append("\":"); }

ItemJson& ItemJson::text(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  key(name);
  append_string(value, json_);
  return *this;
}

ItemJson& ItemJson::number(std::string_view name, std::int64_t value) {
  if (value == 0) return *this;
  key(name);
  json_.append(std::to_string(value));
  return *this;
}

ItemJson& ItemJson::flag(std::string_view name, bool value) { return number(name, value ? 1 : 0); }

ItemJson& ItemJson::time(TimeMs time, bool estimated) { return number("t", time).flag("e", estimated && time != 0); }

std::string ItemJson::finish() && {
  json_.push_back('}');
  if (simdjson::validate_utf8(json_)) return std::move(json_);
  bool replaced = false;
  return json::cleaned_json(json_, replaced);
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
  key("v");
  const std::size_t begin = json_.size();
  json_.append(value);
  // Between the tokens of a whole object; inside a string they would be escaped.
  std::replace_if(
      json_.begin() + static_cast<std::ptrdiff_t>(begin), json_.end(), [](char c) { return c == '\n' || c == '\r'; },
      ' ');
  json_.push_back('}');
  return std::move(json_);
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
  json.text("title", composer.name).text("description", composer.subtitle).text("cwd", folder);
  json.text("mode", composer.mode).text("model", composer.model).text("branch", composer.branch);
  json.text("status", composer.status).flag("archived", composer.archived || catalogue.archived);
  json.text("parent", composer.parent_id).text("parent_call", composer.parent_call_id);
  json.flag("subagent", catalogue.subagent);
  json.text("agent", composer.agent_name.empty() ? catalogue.agent_name : composer.agent_name);
  json.number("created", composer.created).number("updated", composer.updated);
  json.number("context_tokens", composer.context_tokens).number("cost_cents", composer.cost_cents);
  json.number("lines_added", composer.lines_added).number("lines_removed", composer.lines_removed);
  return std::move(json).finish();
}

std::string record_id(const std::string& conversation, const std::string& entry) {
  return is_uuid(entry) ? entry : conversation + "/" + entry;
}

std::uint64_t version_of(std::string_view value) { return std::max<std::uint64_t>(hash64(value), 1); }

}  // namespace memd::cursor
