#include "adapters/cursor/prompt_text.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/names.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

namespace memd::cursor {
namespace {

constexpr Names kElements(
    "timestamp user_info system_reminder system-reminder rules project_layout git_status agent_transcripts "
    "agent_skills additional_data attached_files environment_details open_and_recently_viewed_files "
    "available_subagent_types always_applied_workspace_rules");

constexpr std::string_view kQueryTag = "<user_query>";

// An element at the start of a text.
struct PromptElement {
  std::string_view name;
  std::string_view content;
  std::string_view rest;  // behind it
};

std::optional<std::string_view> name_at(std::string_view text) {
  if (!text.starts_with('<')) return std::nullopt;
  const auto end =
      std::find_if_not(text.begin() + 1, text.end(), [](char c) { return ascii::is_lower(c) || c == '_' || c == '-'; });
  if (end == text.begin() + 1 || end == text.end() || *end != '>') return std::nullopt;
  return text.substr(1, static_cast<std::size_t>(end - text.begin()) - 1);
}

// Returns the element. One without an end tag extends to the query, or to the end of the text.
PromptElement element_at(std::string_view text, std::string_view name) {
  const std::string_view behind = text.substr(name.size() + 2);
  const std::string close = "</" + std::string(name) + ">";
  const auto end = behind.find(close);
  if (end == std::string_view::npos) {
    const auto query = std::min(behind.find(kQueryTag), behind.size());
    return {name, behind.substr(0, query), behind.substr(query)};
  }
  return {name, behind.substr(0, end), behind.substr(end + close.size())};
}

std::optional<int> number_in(std::string_view digits) {
  int n = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return ec == std::errc() && end == digits.data() + digits.size() ? std::optional(n) : std::nullopt;
}

int month_named(std::string_view word) {
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (word.size() < 3) return 0;
  const auto at = kMonths.find(ascii::lowered(word.substr(0, 3)));
  return at == std::string_view::npos || at % 3 != 0 ? 0 : static_cast<int>(at / 3) + 1;
}

// "3", "-05", "+5:30", behind UTC or GMT: minutes.
std::optional<int> offset_in(std::string_view zone) {
  if (zone.empty()) return 0;
  if (zone.front() != '+' && zone.front() != '-') return std::nullopt;
  const auto colon = zone.find(':');
  const auto hours = number_in(zone.substr(1, colon == std::string_view::npos ? colon : colon - 1));
  const auto minutes = colon == std::string_view::npos ? std::optional(0) : number_in(zone.substr(colon + 1));
  if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
  return (zone.front() == '-' ? -1 : 1) * (*hours * 60 + *minutes);
}

struct WallTime {
  int year = 0;
  int month = 0;
  int day = 0;
  std::array<int, 3> clock{-1, 0, 0};
  int half = 0;  // 1: AM, 2: PM
  std::optional<int> offset;
};

void read_clock(std::string_view word, WallTime& out) {
  for (std::size_t i = 0; i < out.clock.size() && !word.empty(); ++i) {
    const auto n = number_in(ascii::take_until(word, ':'));
    if (!n) return void(out.clock[0] = -1);
    out.clock[i] = *n;
  }
}

void read_word(std::string_view word, WallTime& out) {
  const std::string low = ascii::lowered(word);
  if (low == "am" || low == "pm") return void(out.half = low == "am" ? 1 : 2);
  if (low.starts_with("utc") || low.starts_with("gmt")) return void(out.offset = offset_in(word.substr(3)));
  if (word.find(':') != std::string_view::npos) return read_clock(word, out);
  if (const auto n = number_in(word)) return void((*n > 31 ? out.year : out.day) = *n);
  if (const int month = month_named(word); month != 0) out.month = month;
}

}  // namespace

TimeMs parse_prompt_time(std::string_view stamp) {
  constexpr std::int64_t kLeastMilliseconds = 100'000'000'000;  // as seconds this is in the year 5138
  stamp = json::trimmed(stamp);
  if (!stamp.empty() && stamp.find_first_not_of("0123456789.") == std::string_view::npos) {
    std::int64_t n = 0;
    std::from_chars(stamp.data(), stamp.data() + stamp.size(), n);
    return n < kLeastMilliseconds ? from_unix_seconds(n) : n;
  }
  if (const auto t = parse_local_time(stamp)) return *t;
  WallTime wall;
  for (std::size_t at = 0; at < stamp.size();) {
    const auto end = std::min(stamp.find_first_of(" ,()", at), stamp.size());
    if (end > at) read_word(stamp.substr(at, end - at), wall);
    at = end + 1;
  }
  int hour = wall.clock[0];
  if (wall.month == 0 || wall.day == 0 || wall.year == 0 || hour < 0) return 0;
  if (wall.half != 0) hour = hour % 12 + (wall.half == 2 ? 12 : 0);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d", wall.year, wall.month, wall.day, hour,
                wall.clock[1], wall.clock[2]);
  if (!wall.offset) return parse_local_time(text.data()).value_or(0);
  const auto utc = parse_rfc3339(text.data());
  return utc ? *utc - *wall.offset * 60'000LL : 0;
}

PromptText read_prompt_text(std::string_view text) {
  PromptText out;
  text = json::trimmed(text);
  const auto query = text.find(kQueryTag);
  bool any = false;
  while (const auto name = name_at(text)) {
    if (*name == "user_query") break;
    // Behind one that is known, others of the same kind follow.
    const bool known = kElements.has(*name);
    if (!known && !((any || query != std::string_view::npos) && name->find('_') != std::string_view::npos)) break;
    const PromptElement element = element_at(text, *name);
    if (*name == "timestamp" && out.time == 0)
      out.time = parse_prompt_time(element.content);
    else
      out.injected = true;
    any = true;
    text = json::trimmed(element.rest);
  }
  if (const auto at = text.find(kQueryTag); at != std::string_view::npos) {
    text.remove_prefix(at + kQueryTag.size());
    text = json::trimmed(text.substr(0, text.rfind("</user_query>")));
  }
  out.text = text;
  out.injected = out.injected && text.empty();
  return out;
}

}  // namespace memd::cursor
