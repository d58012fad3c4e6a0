#include "adapters/json/patched_value.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/value_scanner.hpp"

#include <algorithm>

namespace memd::json {

std::vector<PatchedValue>& PatchedValue::inner() {
  if (open_) return inner_;
  open_ = true;
  is_array_ = text_.starts_with('[');
  ValueScanner scanner(text_);
  if (is_array_)
    scanner.elements([&](std::string_view element) { inner_.emplace_back(element); });
  else if (text_.starts_with('{'))
    scanner.members([&](std::string_view key, std::string_view value) { inner_.emplace_back(value, key); });
  return inner_;
}

PatchedValue* PatchedValue::find(std::string_view path_element) {
  auto& list = inner();
  if (is_number(path_element)) {
    const auto at = static_cast<std::size_t>(integer(path_element));
    return is_array_ && at < list.size() ? &list[at] : nullptr;
  }
  const auto name = string_body(path_element);
  const auto it = std::find_if(list.begin(), list.end(), [&](auto& v) { return v.key_ == name; });
  return it == list.end() ? nullptr : &*it;
}

std::string PatchedValue::text_at(std::string_view path_element) {
  const PatchedValue* const value = find(path_element);
  return value == nullptr ? std::string() : value->text();
}

void PatchedValue::set(std::string_view path_element, std::string_view value) {
  if (PatchedValue* const old = find(path_element))
    *old = PatchedValue(value, old->key_);
  else
    inner_.emplace_back(value, is_array_ ? std::string_view() : string_body(path_element));
}

void PatchedValue::erase(std::string_view path_element) {
  PatchedValue* const old = find(path_element);
  if (old == nullptr) return;
  if (is_array_)
    *old = PatchedValue("null");
  else
    inner_.erase(inner_.begin() + (old - inner_.data()));
}

void PatchedValue::splice(std::size_t keep, std::string_view values) {
  if (!open_ && !text_.starts_with('[')) text_ = "[]";  // there was none
  auto& list = inner();
  if (keep < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(keep), list.end());
  ValueScanner scanner(values);
  if (values.starts_with('[')) scanner.elements([&](std::string_view element) { list.emplace_back(element); });
}

std::string PatchedValue::text() const {
  if (!open_) return std::string(text_);
  std::string out(1, is_array_ ? '[' : '{');
  for (const PatchedValue& value : inner_) {
    if (out.size() > 1) out.push_back(',');
    if (!is_array_) out.append("\"").append(value.key_).append("\":");
    out += value.text();
  }
  out.push_back(is_array_ ? ']' : '}');
  return out;
}

}  // namespace memd::json
