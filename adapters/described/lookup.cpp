#include "adapters/described/lookup.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/value_scanner.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/base/time.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>

namespace memd::described {
namespace {

using json::dom::element;
using json::dom::element_type;

std::optional<element> member(element holder, std::string_view name) {
  element found;
  if (const auto type = holder.type(); type == element_type::OBJECT) {
    if (holder.get_object().value_unsafe().at_key(name).get(found)) return std::nullopt;
  } else if (type == element_type::ARRAY) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
    if (holder.get_array().value_unsafe().at(index).get(found)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return found;
}

void append_line(std::string& out, std::string_view text) {
  if (!out.empty() && !text.empty()) out.push_back('\n');
  out.append(text);
}

std::string_view string_in(element holder, std::string_view name) {
  std::string_view text;
  const auto found = member(holder, name);
  if (found && found->is_string()) text = found->get_string().value_unsafe();
  return text;
}

bool is_type(element value, std::string_view name) {
  switch (value.type()) {
    case element_type::STRING: return name == "string";
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE: return name == "number";
    case element_type::OBJECT: return name == "object";
    case element_type::ARRAY: return name == "array";
    case element_type::BOOL: return name == "bool";
    default: return false;
  }
}

// Returns the text at the end of the way; empty: there is none, or the value is cut off.
std::string text_at(json::ValueScanner& scanner, std::span<const Pointer::Step> steps) {
  std::string out;
  if (steps.empty()) {
    const auto value = scanner.value();
    return json::is_string(value) ? json::unescaped(value) : json::is_number(value) ? std::string(value) : out;
  }
  if (scanner.peek() != '{') return out;
  const auto open = [&](std::string_view key) {
    if (key != steps.front().name || !out.empty()) return false;
    out = text_at(scanner, steps.subspan(1));
    return true;
  };
  scanner.members(open, [](std::string_view, std::string_view) {});
  return out;
}

}  // namespace

std::string head_text(const Term& term, std::string_view lines) {
  while (!lines.empty()) {
    const auto line = ascii::take_until(lines, '\n');
    for (const Pointer& pointer : term.pointers) {
      json::ValueScanner scanner(line);
      if (auto text = text_at(scanner, pointer.steps); !text.empty()) return text;
    }
  }
  return {};
}

std::string text_of(element value) {
  if (value.is_string()) return std::string(value.get_string().value_unsafe());
  if (value.is_null()) return {};
  if (value.type() == element_type::OBJECT) {
    if (const auto text = string_in(value, "text"); !text.empty()) return std::string(text);
  } else if (value.type() == element_type::ARRAY) {
    std::string out;
    bool only_texts = true;
    const json::dom::array blocks = value.get_array().value_unsafe();
    for (const element block : blocks) {
      const auto text = block.is_string() ? block.get_string().value_unsafe() : string_in(block, "text");
      const auto type = string_in(block, "type");
      if (!text.empty())
        append_line(out, text);
      else if (type == "image" || type == "image_url" || type == "input_image")
        append_line(out, "[image]");
      else
        only_texts = only_texts && block.is_string();
    }
    if (only_texts) return out;
  }
  return simdjson::minify(value);
}

void Lookup::begin(element record) {
  record_ = record;
  used_ = 0;
  met_broken_ = false;
}

std::optional<element> Lookup::open(std::string_view text) {
  if (json::trimmed(text).empty()) return std::nullopt;
  for (std::size_t i = 0; i < used_; ++i)
    if (opened_[i].text == text.data()) return opened_[i].is_good ? std::optional(opened_[i].root) : std::nullopt;
  if (used_ == opened_.size()) opened_.emplace_back().parser = std::make_unique<json::dom::parser>();
  Opened& opened = opened_[used_++];
  opened.text = text.data();
  opened.is_good = !opened.parser->parse(text.data(), text.size(), true).get(opened.root);
  met_broken_ |= !opened.is_good;
  return opened.is_good ? std::optional(opened.root) : std::nullopt;
}

std::optional<element> Lookup::follow(const Pointer& pointer, const Place& place) {
  std::optional<element> at = pointer.from_record ? record_ : place.here;
  for (const auto& step : pointer.steps) {
    if (!step.name.empty()) at = member(*at, step.name);
    if (at && step.opens && at->is_string()) at = open(at->get_string().value_unsafe());
    if (!at) return at;
  }
  return at;
}

std::optional<element> Lookup::find(const Term& term, const Place& place) {
  for (const Pointer& pointer : term.pointers)
    if (!pointer.is_key)
      if (auto found = follow(pointer, place); found && !found->is_null()) return found;
  return std::nullopt;
}

bool Lookup::finds_null(const Term& term, const Place& place) {
  return std::any_of(term.pointers.begin(), term.pointers.end(), [&](const Pointer& pointer) {
    const auto found = follow(pointer, place);
    return found && found->is_null();
  });
}

std::string Lookup::text(const Term& term, const Place& place) {
  for (const Pointer& pointer : term.pointers) {
    if (pointer.is_key) {
      if (!place.key.empty()) return std::string(place.key);
    } else if (const auto found = follow(pointer, place); found && !found->is_null()) {
      return text_of(*found);
    }
  }
  constexpr std::string_view kFolder = "{folder}";
  const auto at = term.text.find(kFolder);
  if (at == std::string::npos) return term.text;
  auto path = term.text;
  path = std::filesystem::path(path.replace(at, kFolder.size(), folder_)).lexically_normal().string();
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::int64_t Lookup::integer(const Term& term, const Place& place) {
  return static_cast<std::int64_t>(std::clamp(fraction(term, place).value_or(0), -9e15, 9e15));
}

std::optional<double> Lookup::fraction(const Term& term, const Place& place) {
  const auto found = find(term, place);
  double number = 0;
  if (!found) return std::nullopt;
  if (!found->get_double().get(number)) return number;
  return found->is_string() ? json::fraction(found->get_string().value_unsafe()) : std::nullopt;
}

std::optional<TimeMs> Lookup::time(const Term& term, const Place& place, bool is_local) {
  const auto found = find(term, place);
  std::string text = found && found->is_string() ? std::string(found->get_string().value_unsafe()) : std::string();
  double number = 0;
  std::optional<TimeMs> time;
  if (found && !found->get_double().get(number))
    time = from_unix_number(number);
  else if (is_local)
    time = parse_local_time(text);
  else
    time = parse_stamp(text);
  return time && *time > 0 ? time : std::nullopt;
}

bool Lookup::holds(const Condition& condition, const Place& place) {
  return std::all_of(condition.begin(), condition.end(), [&](const Test& test) { return holds(test, place); });
}

bool Lookup::holds(const Test& test, const Place& place) {
  const auto any = [&](const auto& fits) { return std::any_of(test.values.begin(), test.values.end(), fits); };
  const auto found = find(test.at, place);
  const bool is_key = !test.at.pointers.empty() && test.at.pointers.front().is_key;
  const auto as_text = [&] {
    const bool whole = !found || found->type() == element_type::OBJECT || found->type() == element_type::ARRAY;
    return whole && !is_key ? std::string() : text(test.at, place);
  };
  bool value = false;
  switch (test.kind) {
    case Test::Kind::exists: value = found.has_value() || (is_key && !place.key.empty()); break;
    case Test::Kind::is_type:
      value = found && any([&](const std::string& name) { return is_type(*found, name); });
      break;
    case Test::Kind::holds: {
      bool flag = false;
      value = found && (found->get_bool().get(flag) || flag);
      double number = 0;
      if (value && !found->get_double().get(number)) value = number != 0;
      if (value && found->is_string()) value = !found->get_string().value_unsafe().empty();
      break;
    }
    case Test::Kind::equals:
      if (found || is_key) value = any([said = as_text()](const std::string& v) { return v == said; });
      break;
    case Test::Kind::starts:
      value = any([said = as_text()](const std::string& v) { return said.starts_with(v); });
      break;
    case Test::Kind::has:
      value = any([said = as_text()](const std::string& v) { return said.find(v) != std::string::npos; });
      break;
  }
  return value != test.is_negated;
}

}  // namespace memd::described
