#pragma once

#include "adapters/json/json_text.hpp"

#include <simdjson.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// simdjson helpers of the adapters. On-Demand for records: values are handled as raw tokens, and unused values are
// skipped, not materialised. DOM for small documents. Functions return false for broken JSON and never throw. Only for
// the adapters' private headers and sources: including simdjson costs seconds.
namespace memd::json {

namespace od = simdjson::ondemand;
namespace dom = simdjson::dom;

// Lookup of a key among N names. Compares only names of equal length. Built at compile time. Borrows the names.
template <std::size_t N>
class KeyTable {
 public:
  consteval explicit KeyTable(const std::array<std::string_view, N>& names) : names_(names) {
    std::size_t n = 0;
    for (std::size_t length = 0; length <= kLongest; ++length) {
      first_[length] = static_cast<std::uint8_t>(n);
      for (std::size_t i = 0; i < N; ++i)
        if (names[i].size() == length) order_[n++] = static_cast<std::uint8_t>(i);
    }
    first_[kLongest + 1] = static_cast<std::uint8_t>(n);
  }

  // Returns the index of the name, or size().
  constexpr std::size_t find(std::string_view key) const {
    if (key.empty() || key.size() > kLongest) return N;
    for (std::size_t i = first_[key.size()]; i < first_[key.size() + 1]; ++i)
      if (names_[order_[i]].front() == key.front() && names_[order_[i]] == key) return order_[i];
    return N;
  }
  constexpr std::string_view name(std::size_t index) const { return names_[index]; }
  static constexpr std::size_t size() { return N; }

 private:
  static constexpr std::size_t kLongest = 32;
  std::array<std::string_view, N> names_;
  std::array<std::uint8_t, N> order_{};
  std::array<std::uint8_t, kLongest + 2> first_{};
};

// The keys that an adapter reads of one kind of object, each told once:
//
//   MEMD_KEYS(Usage, input, output, cacheRead);
//
// makes a struct with a member of each name, which collect() fills with the token of the value; empty: the object has
// no such key. A key that is a word of C++ or a macro of the C library has a '_' at its end ("namespace_", "stdout_").
#define MEMD_KEYS(Name, ...)                                                                      \
  struct Name {                                                                                   \
    std::string_view __VA_ARGS__;                                                                 \
    static constexpr ::memd::json::KeyTable<::memd::json::detail::count_of(#__VA_ARGS__)> kTable{ \
        ::memd::json::detail::split<::memd::json::detail::count_of(#__VA_ARGS__)>(#__VA_ARGS__)}; \
    auto members() { return ::memd::json::detail::addresses_of(__VA_ARGS__); }                    \
    auto members() const { return ::memd::json::detail::addresses_of(__VA_ARGS__); }              \
  }

namespace detail {

consteval std::size_t count_of(std::string_view list) {
  std::size_t count = 1;
  for (const char c : list)
    count += c == ',';
  return count;
}

template <std::size_t N>
consteval std::array<std::string_view, N> split(std::string_view list) {
  std::array<std::string_view, N> names;
  for (std::string_view& name : names) {
    name = list.substr(0, list.find(','));
    list.remove_prefix(name.size() + (name.size() < list.size()));
    name.remove_prefix(name.find_first_not_of(' '));
    if (name.ends_with('_')) name.remove_suffix(1);
  }
  return names;
}

template <class First, class... Members>
std::array<First*, sizeof...(Members) + 1> addresses_of(First& first, Members&... members) {
  return {&first, &members...};
}

}  // namespace detail

// Returns a key as written in the source, without quotes.
inline std::string_view key_text(od::field& field) {
  const char* begin = field.key().raw();
  const char* end = begin;
  while (*end != '"')
    end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<std::size_t>(end - begin)};
}

// Returns the first token of a value, without trailing blanks. Does not consume the value.
inline std::string_view token_of(od::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() &&
         (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
    token.remove_suffix(1);
  return token;
}

namespace detail {

// Calls a visitor. One that returns nothing never stops.
template <class Visit, class... Arguments>
bool goes_on(Visit& visit, Arguments&&... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<Visit&, Arguments...>>) {
    visit(std::forward<Arguments>(arguments)...);
    return true;
  } else {
    return visit(std::forward<Arguments>(arguments)...);
  }
}

}  // namespace detail

// The functions for_each_… return false for broken JSON, and when a visitor returns false; it may return nothing.

// Calls visit(key, value) for each field in order.
template <class Visit>
bool for_each_field(od::object& object, Visit&& visit) {
  for (auto result : object) {
    od::field field;
    if (std::move(result).get(field)) return false;
    const std::string_view key = key_text(field);
    od::value value = std::move(field).value();
    if (!detail::goes_on(visit, key, value)) return false;
  }
  return true;
}

// Calls visit(value, index) for each element.
template <class Visit>
bool for_each_element(od::array& array, Visit&& visit) {
  std::size_t index = 0;
  for (auto result : array) {
    od::value value;
    if (std::move(result).get(value)) return false;
    if (!detail::goes_on(visit, value, index++)) return false;
  }
  return true;
}

// Goes back to the first field. Returns false once a pass through the record has met invalid JSON: simdjson has then
// released its parser (json_iterator::abandon), and reset() would dereference a null pointer.
inline bool restart(od::object& object) {
  struct Iterator : od::object {
    static auto& of(od::object& object) { return object.*&Iterator::iter; }
  };
  return Iterator::of(object).json_iter().is_alive() && !object.reset().error();
}

// Keeps the token of a field, if its key is one of `keys`.
template <class Keys>
void keep(Keys& keys, std::string_view key, od::value& value) {
  const auto members = keys.members();
  if (const std::size_t i = Keys::kTable.find(key); i < members.size()) *members[i] = token_of(value);
}

// Fills `keys` with the tokens of their fields, in one pass from the first field.
template <class Keys>
bool collect(od::object& object, Keys& keys) {
  keys = {};
  const auto members = keys.members();
  return restart(object) && for_each_field(object, [&](std::string_view key, od::value& value) {
           if (const std::size_t i = Keys::kTable.find(key); i < members.size()) *members[i] = token_of(value);
         });
}

// Finds `key`, searching from the first field. Returns false when it is missing.
inline bool seek(od::object& object, std::string_view key, od::value& value) {
  return restart(object) && !object.find_field(key).get(value);
}
inline bool seek_object(od::object& object, std::string_view key, od::object& inner) {
  od::value value;
  return seek(object, key, value) && !value.get_object().get(inner);
}

// Fills `keys` from the object under `key`. Returns false when there is none, or it is broken.
template <class Keys>
bool collect_in(od::object& object, std::string_view key, Keys& keys) {
  od::object inner;
  return seek_object(object, key, inner) && collect(inner, keys);
}

// Calls visit(value, index) for each element of the array under `key`, if there is one.
template <class Visit>
bool for_each_in(od::object& outer, std::string_view key, Visit&& visit) {
  od::value value;
  od::array array;
  if (!seek(outer, key, value) || value.get_array().get(array)) return true;
  return for_each_element(array, visit);
}

// Calls visit(keys, object, index) for each object of the array under `key`, if there is one.
template <class Keys, class Visit>
bool for_each_object(od::object& outer, std::string_view key, Visit&& visit) {
  return for_each_in(outer, key, [&](od::value& element, std::size_t index) {
    od::object object;
    Keys keys;
    if (element.get_object().get(object)) return true;
    return collect(object, keys) && detail::goes_on(visit, keys, object, index);
  });
}

// Calls visit(keys, object) for each block of the content under `key`: the objects of a list; a string is one block of
// type "text". `Keys` has `type` and `text`.
template <class Keys, class Visit>
void for_each_block(od::object& outer, std::string_view key, Visit&& visit) {
  od::value content;
  od::array blocks;
  od::object object;
  Keys keys;
  if (!seek(outer, key, content)) return;
  if (is_string(token_of(content))) {
    keys.type = "\"text\"";
    keys.text = token_of(content);
    visit(keys, object);
  } else if (!content.get_array().get(blocks)) {
    for_each_element(blocks, [&](od::value& element, std::size_t) {
      if (!element.get_object().get(object) && collect(object, keys)) visit(keys, object);
    });
  }
}

// Returns what stands for an image, a file or another block that is no text: "[image: image/png, sha256:…]" (Media),
// never its data.
std::string media_mark(TextReader& reader, std::string_view kind, od::object& block);

// Returns the token of a member of an object in `outer`; empty: there is none.
std::string_view token_in(od::object& outer, std::string_view object, std::string_view key);

// Returns the object under `key` as JSON; empty: there is none.
std::string object_text(od::object& outer, std::string_view key);

// Appends the text of a content value: a string, or blocks whose texts are joined by newlines. Returns false only for
// broken JSON.
bool append_texts(TextReader& reader, od::value& content, std::string& text);

// Return a member of a parsed object; empty, 0 or false when it is missing or has another type.
std::string_view text_of(const dom::object& object, std::string_view key);
std::int64_t number_of(const dom::object& object,
                       std::string_view key);  // also 0 beyond 64 bits; truncates fractions
bool flag_of(const dom::object& object, std::string_view key);
std::optional<dom::object> object_of(const dom::object& object, std::string_view key);

// Calls visit(element), or visit(object) for the objects, of a list in a parsed object, if there is one.
template <class Visit>
void for_each_in(const dom::object& object, std::string_view key, Visit&& visit) {
  dom::array list;
  if (object[key].get(list)) return;
  for (const dom::element element : list)
    visit(element);
}
template <class Visit>
void for_each_object(const dom::object& object, std::string_view key, Visit&& visit) {
  for_each_in(object, key, [&](const dom::element& element) {
    dom::object inner;
    if (!element.get(inner)) visit(inner);
  });
}

// JSON stored as text inside JSON. Owns a copy; what is read from `root` must not outlive it.
class InnerJson {
 public:
  // Returns false when the text is no JSON object.
  bool open(std::string_view text);
  const char* text() const { return padded_.data(); }  // the copy, to which the offsets of raw JSON refer
  od::object root;

 private:
  std::string padded_;
  od::parser parser_;
  od::document document_;
};

// Parses JSON to a DOM. JSON with encoding errors only (agents truncate strings within a character) is parsed from a
// cleaned copy. A result is valid until the next call. One thread at a time.
class DomParser {
 public:
  // Return false when `json` is no JSON, or no object if one is asked for. parse_padded() makes no copy of what is
  // whole: `json` must be followed by SIMDJSON_PADDING readable bytes.
  bool parse(std::string_view json, dom::element& root);
  bool parse(std::string_view json, dom::object& object);
  bool parse_padded(std::string_view json, dom::object& object);

  bool replaced() const { return replaced_; }  // text of the last JSON had to be replaced

 private:
  bool parse_cleaned(std::string_view json, dom::element& root);

  dom::parser parser_;
  bool replaced_ = false;
};

}  // namespace memd::json
