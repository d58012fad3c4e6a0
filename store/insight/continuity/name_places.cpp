#include "store/insight/continuity/name_places.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/code_names.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace memd::continuity {
namespace {

constexpr std::size_t kLongestLine = 400;  // bytes of a line of code; a longer line is data

constexpr std::array<std::string_view, 24> kDeclaring{
    "func",  "def",      "class",     "struct",  "enum",   "type",      "const",     "var",
    "let",   "function", "interface", "fn",      "static", "export",    "namespace", "trait",
    "macro", "impl",     "public",    "#define", "async",  "constexpr", "private",   "record"};

bool declares(std::string_view word) {
  return std::find(kDeclaring.begin(), kDeclaring.end(), word) != kDeclaring.end();
}

// Returns the end of the last declaring keyword among the first three words; npos if there is none.
std::size_t end_of_keyword(std::string_view line) {
  std::size_t at = 0;
  std::size_t end = std::string_view::npos;
  for (int words = 0; words < 3; ++words) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const std::size_t stop = std::min(line.find_first_of(" \t(", at), line.size());
    if (declares(line.substr(at, stop - at))) end = stop;
    at = std::max(stop, at + 1);
  }
  return end;
}

// Removes and returns the line number of tool output: "   41→func …" and "41:func …".
std::int64_t take_line_number(std::string_view& line) {
  const auto digits = line.find_first_not_of(" \t");
  if (digits == std::string_view::npos) return 0;
  std::int64_t number = 0;
  const auto [end, ec] = std::from_chars(line.data() + digits, line.data() + line.size(), number);
  if (ec != std::errc() || number <= 0) return 0;
  std::string_view rest = line.substr(static_cast<std::size_t>(end - line.data()));
  for (const std::string_view mark : {std::string_view("→"), std::string_view("\t"), std::string_view(":"),
                                      std::string_view("|"), std::string_view(" |")})
    if (rest.starts_with(mark)) {
      line = rest.substr(mark.size());
      return number;
    }
  return 0;
}

// Removes and returns the place at the start of a line of search, compiler or test output: "summarize.go:41:5: …".
NamePlace take_place(std::string_view& line) {
  const auto begin = line.find_first_not_of(" \t");
  const auto colon = line.find(':');
  if (begin == std::string_view::npos || colon == std::string_view::npos || colon <= begin) return {};
  const std::string_view path = line.substr(begin, colon - begin);
  const auto dot = path.rfind('.');
  if (dot == std::string_view::npos || path.find(' ') != std::string_view::npos ||
      !words(WordClass::file_ending).has(path.substr(dot + 1)))
    return {};
  NamePlace out{std::string(path), 0};
  std::string_view rest = line.substr(colon + 1);
  const auto [end, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), out.line);
  if (ec != std::errc()) return {};
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (rest.starts_with(':')) rest.remove_prefix(1);
  line = rest;
  return out;
}

// Returns whether the path looks like a file; the argument of a search may be a directory.
bool is_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.find('.') != std::string_view::npos || (!name.empty() && ascii::is_upper(name.front()));
}

}  // namespace

NamePlaces::NamePlaces(const SessionPast& past) {
  for (const PastEvent& e : past.events) {
    const bool call = e.kind == EventKind::tool_call;
    const bool result = e.kind == EventKind::tool_result;
    if (!call && !result) continue;
    const std::string_view whole = past.full_text(e.seq);
    const std::string_view text = whole.empty() ? std::string_view(e.summary) : whole;
    const PastEvent* made_by = result && e.pair_seq ? past.event(*e.pair_seq) : nullptr;
    read_event(text, made_by != nullptr ? made_by->path : e.path, e.age);
  }
}

void NamePlaces::read_event(std::string_view text, const std::string& path, std::size_t age) {
  while (!text.empty()) {
    std::string_view line = ascii::take_until(text, '\n');
    if (line.size() > kLongestLine) continue;
    NamePlace place = take_place(line);
    if (place.path.empty()) place = {path, path.empty() ? 0 : take_line_number(line)};
    if (is_file(place.path)) read_line(line, place, age);
  }
}

void NamePlaces::read_line(std::string_view line, const NamePlace& place, std::size_t age) {
  const std::size_t keyword = end_of_keyword(line);
  bool declared = false;  // the first name after the keyword is the declared one; a receiver's type is a plain word
  for_each_code_name(line, [&](std::string_view name) {
    const bool behind = keyword != std::string_view::npos && name.data() >= line.data() + keyword;
    const bool called = name.data() + name.size() < line.data() + line.size() && name.data()[name.size()] == '(';
    note(name, place, behind && (!declared || called), age);
    declared = declared || behind;
  });
}

void NamePlaces::note(std::string_view name, const NamePlace& place, bool declared, std::size_t age) {
  const int rank = (declared ? 2 : 0) + (place.line > 0 ? 1 : 0);
  Found& found = found_[std::string(name)];
  const bool better = found.place.path.empty() || rank > found.rank || (rank == found.rank && age < found.age);
  if (better) found = {{place.path, declared ? place.line : 0}, rank, age};
}

NamePlace NamePlaces::of(std::string_view name) const {
  auto at = found_.find(std::string(name));
  if (const auto dot = name.find_last_of(".:"); dot != std::string_view::npos) {
    const auto last = found_.find(std::string(name.substr(dot + 1)));
    if (last != found_.end() && (at == found_.end() || last->second.rank >= 2)) at = last;
  }
  return at == found_.end() ? NamePlace{} : at->second.place;
}

}  // namespace memd::continuity
