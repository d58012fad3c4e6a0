#pragma once

#include "daemon/tools/answer_text.hpp"
#include "daemon/tools/scope.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/error.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What all answers have in common: the frame, how they are kept within their tokens, paging and rendering. Free
// functions without shared state; each may be called on any thread.
namespace memd::tools {

struct FreshnessOut {
  std::string platform;
  std::string last_event;
  std::string checked_at;
  std::int64_t sources_behind = 0;
  std::int64_t bytes_behind = 0;
};

struct TimeRangeOut {
  std::string start;
  std::string end;
};

struct Answer {
  std::optional<AnswerText> searched;   // Scope::words
  std::optional<std::int64_t> outside;  // of the same kind as what is found
  std::vector<FreshnessOut> freshness;
  std::vector<std::string> platforms_searched;
  std::vector<std::pair<std::string, AnswerText>> platforms_skipped;
  AnswerText trouble;  // Scope::trouble: the first line of the text, and the beginning of the notice
  AnswerText notice;
  std::int64_t est_tokens = 0;
  std::optional<std::string> next;
  std::optional<std::string> time_zone;  // time_zone_label(); none: UTC
};

Answer answer_for(const Scope& scope);
// Makes the frame fit `tokens` if it can: drops the freshness of sources that are up to date, then all freshness.
// `left_out`, and the end of the notice, say what was dropped.
Answer shorten_frame(const Answer& frame, std::size_t tokens, AnswerText& left_out);
Error too_little_room(std::size_t max_tokens, std::size_t needed);
// Tells a reader of a search that nothing fits, that hits are left out, or that meaning was not looked at everywhere.
// Empty when there is nothing to tell.
AnswerText search_notice(const SearchAnswer& found, SearchMode asked);
// Adds to a notice that retention dropped the texts of so many of the exchanges told of. 0: nothing.
void tell_evicted(AnswerText& notice, std::int64_t exchanges);
TimeRangeOut to_out(const TimeRange& range);

// Where the next page of an answer begins. Opaque to clients.
struct PageCursor {
  std::int64_t offset = 0;  // items before it
  std::int64_t part = 0;    // what of the item at `offset` was given already; each tool's own unit

  bool operator==(const PageCursor&) const = default;
};

// A number for the arguments that decide what is asked: not max_tokens, and not the cursor itself.
std::uint64_t question_key(std::initializer_list<std::string_view> parts);

std::string encode_cursor(const PageCursor& cursor, std::uint64_t question);

// Absent or empty text: the beginning. invalid_argument for a cursor that encode_cursor() did not make for `question`.
Result<PageCursor> decode_cursor(const std::optional<std::string>& text, std::uint64_t question);

// The first line of an answer to a search: where it looked, and what lies outside; empty for other answers.
AnswerText scope_line(const Answer& answer);
// The lines under an answer: the zone of its times, where sources are behind, platforms searched and skipped, notice,
// and how to go on.
AnswerText answer_footer(const Answer& answer);

// "2026-02-09 06:01", in the time zone.
std::string short_time(TimeMs t);
std::string short_time(std::string_view rfc3339);
// The text on one line, cut to at most `max_tokens`.
std::string short_line(std::string_view text, std::size_t max_tokens);
// "1 exchange", "3 exchanges"
std::string counted(std::int64_t n, std::string_view noun);
template <std::size_t size>
AnswerText counted_words(std::int64_t n, const char (&noun)[size]) {
  AnswerText out;
  out.add(n, " ", noun);
  if (n != 1) out.add("s");
  return out;
}
// The names of the signs, the first `most` of them.
std::vector<std::string> sign_names(const std::vector<OutcomeReason>& reasons, std::size_t most);
// What answers say beside an exchange that its session has left, in a field and in a line.
inline constexpr std::string_view kAbandonedFor =
    "The person went back to before this exchange: the session went on with that one instead.";
void add_abandoned(HistoryText& out, std::string_view instead);
// "a, b, c"
std::string joined(const std::vector<std::string>& names);
// Absent instead of empty.
template <class T>
std::optional<T> unless_empty(T value) {
  if (value.empty()) return std::nullopt;
  return value;
}
// An argument as an answer repeats it: cut when it is long.
std::string echo_of(std::string_view argument);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::FreshnessOut> {
  using T = tools::FreshnessOut;
  static constexpr auto fields = std::make_tuple(
      field("platform", &T::platform, "Agent."), field("last_event", &T::last_event, "Newest event known."),
      field("checked_at", &T::checked_at, "When its files were last looked at; empty: not yet."),
      field("sources_behind", &T::sources_behind, "Files with unread bytes."),
      field("bytes_behind", &T::bytes_behind, "Unread bytes."));
};
template <>
struct Describe<tools::TimeRangeOut> {
  using T = tools::TimeRangeOut;
  static constexpr auto fields =
      std::make_tuple(field("start", &T::start, "RFC 3339."), field("end", &T::end, "RFC 3339."));
};
template <>
struct Describe<tools::Answer> {
  using T = tools::Answer;
  static constexpr auto fields =
      std::make_tuple(field("searched", &T::searched, "Which part of the history was looked at."),
                      field("outside", &T::outside, "How many more all_projects=true would look at or find."),
                      field("freshness", &T::freshness, "How far each searched source is behind."),
                      field("platforms_searched", &T::platforms_searched, "Agents whose history was looked at."),
                      field("platforms_skipped", &T::platforms_skipped, "Agent to the reason it was not."),
                      field("notice", &T::notice, "What to keep in mind about this answer."),
                      field("est_tokens", &T::est_tokens, "Tokens of this answer, estimated."),
                      field("next", &T::next, "Send as `cursor` for the rest; absent at the end."),
                      field("time_zone", &T::time_zone, "Of days and times inside texts; absent: UTC."));
};

}  // namespace memd::mcp

namespace memd::tools {

// Calls build(tokens) → Out with different numbers of tokens. Gives the largest answer that costs no more than
// max_tokens in either form, JSON and text. build(0) has to give the least that makes sense; when even that costs too
// much, the error says what to send instead. `build` is called several times, so it must not ask the store each time.
template <class Out, class Build>
Result<Out> fit_answer(std::size_t max_tokens, const Answer& frame, Build&& build) {
  if (max_tokens == kNoTokenLimit) {
    Out whole = build(kNoTokenLimit);
    return whole;
  }
  AnswerText left_out;
  const Answer shorter = shorten_frame(frame, max_tokens / 3, left_out);
  const std::size_t frame_tokens = estimate_tokens(mcp::to_json(shorter));
  std::size_t cost = 0;  // of the last one tried
  const auto try_with = [&](std::size_t allowed) {
    Out out = build(allowed);
    out.freshness = shorter.freshness;
    if (!left_out.empty()) out.notice.say(left_out);
    out.est_tokens = static_cast<std::int64_t>(std::min<std::size_t>(max_tokens, 9999));  // digits of what is to come
    out.est_tokens = static_cast<std::int64_t>(estimate_tokens(mcp::to_json(out)));
    cost = static_cast<std::size_t>(out.est_tokens);
    if (cost <= max_tokens) cost = std::max(cost, estimate_tokens(render_text(out).str()));
    return out;
  };

  std::size_t too_much = max_tokens - std::min(max_tokens, frame_tokens);
  Out out = try_with(too_much);
  if (cost <= max_tokens) return out;
  // Answers cost more or less than what was allowed (names, quotes, short texts): the difference corrects the next
  // guess.
  std::optional<Out> best;
  std::size_t enough = 0;
  std::size_t allowed = too_much;
  for (int attempt = 0; attempt < 7 && too_much - enough > 8; ++attempt) {
    const std::size_t off = cost > max_tokens ? cost - max_tokens + max_tokens / 100 + 1 : (max_tokens - cost) * 3 / 4;
    const std::size_t guess = cost > max_tokens ? allowed - std::min(allowed, off) : allowed + off;
    allowed = guess > enough && guess < too_much ? guess : enough + (too_much - enough) * 3 / 4;
    out = try_with(allowed);
    if (cost <= max_tokens) {
      best = std::move(out);
      enough = allowed;
      if (max_tokens - cost <= max_tokens / 32) break;
    } else {
      too_much = allowed;
    }
  }
  if (best) return std::move(*best);
  out = try_with(0);
  if (cost > max_tokens) return too_little_room(max_tokens, cost);
  return out;
}

// Some rows of a list, from `offset` on.
template <class Row>
struct ListPage {
  std::vector<Row> rows;
  std::int64_t offset = 0;
  std::int64_t total = 0;      // of the whole list
  std::uint64_t question = 0;  // of the cursor
};

// An answer that is a page of a list: as many rows as fit, at least one, and the cursor behind them. Sets `total`.
template <class Out, class Row>
Result<Out> fit_list(std::size_t max_tokens, const Answer& frame, const ListPage<Row>& page,
                     std::vector<Row> Out::*list) {
  return fit_answer<Out>(max_tokens, frame, [&](std::size_t tokens) {
    Out out;
    static_cast<Answer&>(out) = frame;
    out.total = page.total;
    TokenBudget budget(tokens);
    std::vector<Row>& shown = out.*list;
    for (const Row& row : page.rows) {
      if (!budget.take_text(mcp::to_json(row)) && !shown.empty()) break;
      shown.push_back(row);
    }
    const std::int64_t end = page.offset + static_cast<std::int64_t>(shown.size());
    if (end < page.total && !shown.empty()) out.next = encode_cursor({end, 0}, page.question);
    return out;
  });
}

}  // namespace memd::tools
