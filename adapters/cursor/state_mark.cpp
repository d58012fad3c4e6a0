#include "adapters/cursor/state_mark.hpp"

#include <algorithm>
#include <charconv>

namespace memd::cursor {
namespace {

constexpr std::string_view kVersion = "cursor1";

std::string_view take_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto word = take_word(text);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

}  // namespace

std::string StateMark::to_text() const {
  std::string text(kVersion);
  text.append(" ").append(change);
  text.append(" ").append(std::to_string(schema_version));
  text.append(" ").append(std::to_string(last_rowid));
  text.append(" ").append(std::to_string(counted_rowid));
  text.append(" ").append(std::to_string(size));
  text.append(" ");
  for (std::size_t i = 0; i < active.size(); ++i)
    text.append(i > 0 ? "," : "").append(active[i]);
  text.append(" ").append(last_key);  // last: it may hold anything
  return text;
}

std::optional<StateMark> StateMark::parse(std::string_view text) {
  StateMark mark;
  if (take_word(text) != kVersion) return std::nullopt;
  mark.change = take_word(text);
  if (!take_number(text, mark.schema_version) || !take_number(text, mark.last_rowid) ||
      !take_number(text, mark.counted_rowid) || !take_number(text, mark.size))
    return std::nullopt;
  for (auto ids = take_word(text); !ids.empty();) {
    const auto end = std::min(ids.find(','), ids.size());
    mark.active.emplace_back(ids.substr(0, end));
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
  mark.last_key = text;
  return mark;
}

}  // namespace memd::cursor
