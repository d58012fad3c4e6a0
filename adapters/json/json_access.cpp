#include "adapters/json/json_access.hpp"

namespace memd::json {

namespace {

MEMD_KEYS(TextBlock, text);

}  // namespace

bool append_texts(TextReader& reader, od::value& content, std::string& text) {
  if (const auto token = token_of(content); is_string(token)) {
    reader.append_text(token, text);
    return true;
  }
  od::array blocks;
  if (content.get_array().get(blocks)) return true;
  return for_each_element(blocks, [&](od::value& value, std::size_t) {
    od::object object;
    TextBlock block;
    if (value.get_object().get(object)) return true;
    if (!collect(object, block)) return false;
    if (!is_string(block.text)) return true;
    if (!text.empty()) text.push_back('\n');
    reader.append_text(block.text, text);
    return true;
  });
}

std::string_view token_in(od::object& outer, std::string_view object, std::string_view key) {
  od::object inner;
  od::value value;
  return seek_object(outer, object, inner) && seek(inner, key, value) ? token_of(value) : std::string_view{};
}

std::string object_text(od::object& outer, std::string_view key) {
  od::object inner;
  std::string_view raw;
  return seek_object(outer, key, inner) && !inner.raw_json().get(raw) ? std::string(raw) : std::string();
}

bool InnerJson::open(std::string_view text) {
  padded_ = text;
  padded_.resize(text.size() + simdjson::SIMDJSON_PADDING, ' ');
  return trimmed(text).starts_with('{') &&
         !parser_.iterate(padded_.data(), text.size(), padded_.size()).get(document_) &&
         !document_.get_object().get(root);
}

std::string_view text_of(const dom::object& object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) ? std::string_view{} : text;
}

std::int64_t number_of(const dom::object& object, std::string_view key) {
  std::int64_t number = 0;
  double fraction = 0;
  if (!object[key].get(number)) return number;
  constexpr double kBeyond = 9'223'372'036'854'775'808.0;  // 2^63
  if (object[key].get(fraction) || !(fraction >= -kBeyond && fraction < kBeyond)) return 0;
  return static_cast<std::int64_t>(fraction);
}

bool flag_of(const dom::object& object, std::string_view key) {
  bool flag = false;
  return !object[key].get(flag) && flag;
}

std::optional<dom::object> object_of(const dom::object& object, std::string_view key) {
  dom::object inner;
  return object[key].get(inner) ? std::nullopt : std::optional(inner);
}

bool DomParser::parse(std::string_view json, dom::element& root) {
  replaced_ = false;
  if (json.empty()) return false;  // simdjson copies from its address, which may be null
  return !parser_.parse(json.data(), json.size()).get(root) || parse_cleaned(json, root);
}

bool DomParser::parse(std::string_view json, dom::object& object) {
  dom::element root;
  return parse(json, root) && !root.get(object);
}

bool DomParser::parse_padded(std::string_view json, dom::object& object) {
  replaced_ = false;
  dom::element root;
  return (!parser_.parse(json.data(), json.size(), false).get(root) || parse_cleaned(json, root)) && !root.get(object);
}

bool DomParser::parse_cleaned(std::string_view json, dom::element& root) {
  const std::string cleaned = cleaned_json(json, replaced_);
  return !parser_.parse(cleaned).get(root);
}

}  // namespace memd::json
