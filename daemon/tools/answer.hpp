#pragma once

#include "daemon/tools/answer_text.hpp"
#include "daemon/tools/scope_params.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/outcome.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd {
struct ExchangeHead;
struct SearchAnswer;
enum class SearchMode;
}  // namespace memd

// The parts that all answers share: the frame, the token budget, paging and rendering. Free
// functions without shared state; each may be called on any thread.
namespace memd::tools {

struct Scope;
struct ToolServices;

struct FreshnessOut {
  std::string platform;
  std::string last_event;
  std::string checked_at;
  std::int64_t sources_behind = 0;
  std::int64_t bytes_behind = 0;
};

// The session that a part of an answer is about.
struct SessionRefOut {
  std::string session_id;
  std::string session_name;
  std::string platform;
};
// The title is cut to `tokens`.
SessionRefOut session_ref(std::string_view uid, std::string_view title, Platform platform, std::size_t tokens);

struct MemoryNameOut {
  std::string slug;
  std::string type;
  std::string scope;
  std::string path;
};

// A turn: its id, when it began, and the one that the session went on with instead.
struct TurnRefOut {
  std::string exchange_id;
  std::string timestamp;
  std::optional<std::string> abandoned_for;
};
// The id is x42, or the name of a turn that is not in this store.
TurnRefOut turn_ref(const ExchangeHead& turn);

struct TimeRangeOut {
  std::string start;
  std::string end;
};

// The frame of an answer: the fields that all answers share. Defaults are omitted to save tokens: freshness when no
// source is behind, platforms_searched when all platforms with history were searched.
struct Answer {
  std::optional<AnswerText> searched;   // Scope::words
  std::optional<std::int64_t> outside;  // matches outside the scope; absent if it was not narrowed
  std::optional<std::vector<FreshnessOut>> freshness;
  std::optional<std::vector<std::string>> platforms_searched;
  std::optional<std::vector<std::pair<std::string, AnswerText>>> platforms_skipped;
  AnswerText lead;  // beginning of `notice`: what the answer does not cover. First line of the text
  AnswerText notice;
  std::int64_t est_tokens = 0;
  std::optional<std::string> next;
  std::optional<std::string> time_zone;  // time_zone_label(); none: UTC
  // The text form, if it has room for more than the structured form; its cursor then continues from the end of this
  // text. Not a field of the structured form. Empty: render_text() makes the text.
  std::string fuller_text;
};

Answer answer_for(const Scope& scope);
// Returns the freshness of every searched platform, including those that are not behind. For `capabilities`.
std::vector<FreshnessOut> freshness_of(const Scope& scope);
// Appends a sentence to the lead, and so to the notice. Ignores an empty sentence.
void lead_with(Answer& answer, const AnswerText& sentence);
// Returns the frame, without freshness if it would cost more than `tokens` with it. `left_out` and the end of the
// notice then say so.
Answer shorten_frame(const Answer& frame, std::size_t tokens, AnswerText& left_out);
Error too_little_room(std::size_t max_tokens, std::size_t needed);
// Returns what the notice has to say about a search, such as: nothing fits, hits are missing, semantic search was
// incomplete. May be empty. `scope`: that of the search.
AnswerText search_notice(const SearchAnswer& found, SearchMode asked, const Scope& scope);
// Adds to the notice that retention dropped the texts of `exchanges` exchanges of the answer. 0 adds nothing.
void tell_evicted(AnswerText& notice, std::int64_t exchanges);
TimeRangeOut to_out(const TimeRange& range);

// The position at which the next page of an answer begins. Opaque to clients.
struct PageCursor {
  std::int64_t offset = 0;  // items before the page
  std::int64_t part = 0;    // how much of the item at `offset` was already returned, in the tool's own unit

  bool operator==(const PageCursor&) const = default;
};

// Returns a hash of the arguments that define a question. max_tokens and the cursor are not among them.
std::uint64_t question_key(std::initializer_list<std::string_view> parts);

std::string encode_cursor(const PageCursor& cursor, std::uint64_t question);

// Returns the beginning for an absent or empty text. Errc::invalid_argument for a cursor that encode_cursor() did not
// make for `question`.
Result<PageCursor> decode_cursor(const std::optional<std::string>& text, std::uint64_t question);

// Returns the first lines of an answer: the lead, platforms whose sources are behind, skipped platforms; for a search
// also its scope and the number of hits outside it.
AnswerText answer_header(const Answer& answer);
// Returns the last lines of an answer: platforms searched, the zone of its times, the rest of the notice, and the
// cursor of the next page.
AnswerText answer_footer(const Answer& answer);

// Returns "2026-02-09 06:01", in the time zone of schemas/base/time.hpp.
std::string short_time(TimeMs t);
std::string short_time(std::string_view rfc3339);
// Returns the text on one line, cut to at most `max_tokens`.
std::string short_line(std::string_view text, std::size_t max_tokens);
// Returns "1 exchange" or "3 exchanges".
std::string counted(std::int64_t n, std::string_view noun);
template <std::size_t size>
AnswerText counted_words(std::int64_t n, const char (&noun)[size]) {
  AnswerText out;
  out.add(n, " ", noun);
  if (n != 1) out.add("s");
  return out;
}
struct SummaryOut {
  std::string data_completeness;
  TimeRangeOut time_range;
  std::string summary;
  std::int64_t source_tokens = 0;
  std::int64_t summary_tokens = 0;
};
// Adds "300 of 1000 tokens", or "55 tokens, no shorter than its source (34)" for a summary longer than its source.
void add_share(AnswerText& out, std::int64_t summary_tokens, std::int64_t source_tokens);
// Returns the names of the first `most` signs.
std::vector<std::string> sign_names(const std::vector<OutcomeReason>& reasons, std::size_t most);
// The marks of an exchange that its session has abandoned: the description of the JSON field, and the text form.
inline constexpr std::string_view kAbandonedFor =
    "The person went back to before this turn: the session went on with that one instead.";
void add_abandoned(HistoryText& out, std::string_view instead);
// Returns "a, b, c".
std::string joined(const std::vector<std::string>& names);
// Returns nullopt for an empty value.
template <class T>
std::optional<T> unless_empty(T value) {
  if (value.empty()) return std::nullopt;
  return value;
}

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::FreshnessOut, field<&T::platform>(), field<&T::last_event>("Newest event known."),
              field<&T::checked_at>("When its files were last looked at; empty: not yet."),
              field<&T::sources_behind>("Files with unread bytes."), field<&T::bytes_behind>());
MEMD_DESCRIBE(memd::tools::TimeRangeOut, field<&T::start>("RFC 3339."), field<&T::end>("RFC 3339."));

namespace memd::mcp {

template <>
struct Describe<tools::Answer> {
  using T = tools::Answer;
  // Derived answers put their own fields between `head` and `tail`.
  static constexpr auto head =
      fields_of(field<&T::notice>("What to keep in mind about this answer; first what it could not cover.", recurring),
                field<&T::searched>("Which part of the history was looked at.", recurring),
                field<&T::outside>("How many more all_projects=true would look at or find.", recurring),
                field<&T::freshness>("Sources with unread bytes; absent: none.", recurring),
                field<&T::platforms_searched>("Agents looked at; absent: all that have history here.", recurring),
                field<&T::platforms_skipped>("Agent to the reason it was not; absent: none.", recurring));
  static constexpr auto tail =
      fields_of(field<&T::est_tokens>("Tokens of this answer, estimated.", recurring),
                field<&T::next>("Send as `cursor` for the rest; absent at the end."),
                field<&T::time_zone>("Of days and times inside texts; absent: UTC.", recurring));
  template <class>
  static constexpr auto fields = join_fields(head, tail);
};

}  // namespace memd::mcp

// Describes an answer that derives from Answer by the fields of its own.
#define MEMD_DESCRIBE_ANSWER(type, ...) \
  MEMD_DESCRIBE(type, Describe<memd::tools::Answer>::head, __VA_ARGS__, Describe<memd::tools::Answer>::tail)

namespace memd::tools {

// The forms of an answer that have to fit the budget.
enum class Fit { both, text };

// An answer that fits, and its text form.
template <class Out>
struct Fitting {
  Out answer;
  std::string text;
  std::size_t text_tokens = 0;
  std::size_t allowed = 0;  // build(allowed) made it
};

// Searches for the number of tokens with which build(tokens) → Out makes the largest answer that costs at most
// max_tokens, and sets its est_tokens unless only the text has to fit. Tries `first`, then at most `most`. Returns
// nullopt if even build(0) costs more.
template <class Out, class Build>
std::optional<Fitting<Out>> largest_that_fits(std::size_t max_tokens, Fit fit, std::size_t first, std::size_t most,
                                              Build&& build) {
  std::size_t cost = 0;  // of the answer tried last
  const auto try_with = [&](std::size_t allowed) {
    Fitting<Out> tried{build(allowed), {}, 0, allowed};
    Out& out = tried.answer;
    cost = 0;
    if (fit == Fit::both) {  // the text does not show est_tokens
      // A placeholder with as many digits as the final number.
      out.est_tokens = static_cast<std::int64_t>(std::min<std::size_t>(max_tokens, 9999));
      cost = estimate_tokens(mcp::to_json(out));
      out.est_tokens = static_cast<std::int64_t>(cost);
    }
    if (cost <= max_tokens) {
      tried.text = render_text(out).str();
      tried.text_tokens = estimate_tokens(tried.text);
      cost = std::max(cost, tried.text_tokens);
    }
    return tried;
  };
  std::optional<Fitting<Out>> best;
  std::size_t best_cost = 0;
  std::size_t enough = 0;
  std::size_t too_much = most + 1;
  std::size_t allowed = std::min(first, most);
  for (int attempt = 0; attempt < 8; ++attempt) {
    Fitting<Out> out = try_with(allowed);
    // Answers cost more or less than what was allowed (names, quotes, short texts): the difference corrects the next
    // guess.
    std::size_t guess = 0;
    if (cost <= max_tokens) {
      const bool same = best && cost == best_cost;
      best = std::move(out);
      best_cost = cost;
      enough = allowed;
      if (allowed == most || max_tokens - cost <= max_tokens / 32) return best;
      guess = same ? most : allowed + (max_tokens - cost) * 7 / 8;  // the same: probably nothing was left out
    } else {
      too_much = allowed;
      const std::size_t off = cost - max_tokens + max_tokens / 100 + 1;
      guess = allowed - std::min(allowed, off);
    }
    if (too_much - enough <= 8) break;
    allowed = guess > enough && guess < too_much ? guess : enough + (too_much - enough) * 3 / 4;
  }
  if (best) return best;
  Fitting<Out> least = try_with(0);
  if (cost > max_tokens) return std::nullopt;
  return least;
}

// Whether the text form may use its spare room for more content than the structured form has. Only for answers whose
// larger forms begin like the smaller ones.
enum class TextRoom { as_structured, its_own };

// Returns the largest answer that costs at most max_tokens in both forms, JSON and text. Calls build(tokens) → Out
// several times, so `build` must not query the store. build(0) has to make the smallest useful answer; if even that
// costs too much, the error names the max_tokens to send. A build(tokens, const Out* structured) gets null, or, for a
// text with more content (TextRoom::its_own), the structured form: the text has to contain all that this form does.
template <class Out, class Build>
Result<Out> fit_answer(std::size_t max_tokens, const Answer& frame, Build&& build,
                       TextRoom room = TextRoom::as_structured) {
  const Out* structured = nullptr;
  const auto build_with = [&](std::size_t tokens) -> Out {
    if constexpr (std::is_invocable_v<Build&, std::size_t, const Out*>)
      return build(tokens, structured);
    else
      return build(tokens);
  };
  if (max_tokens == kNoTokenLimit) return build_with(kNoTokenLimit);
  AnswerText left_out;
  const Answer shorter = shorten_frame(frame, max_tokens / 3, left_out);
  const std::size_t frame_tokens = estimate_tokens(mcp::to_json(shorter));
  const auto with_frame = [&](std::size_t tokens) {
    Out out = build_with(tokens);
    out.freshness = shorter.freshness;
    if (!left_out.empty()) out.notice.say(left_out);
    return out;
  };
  const std::size_t most = max_tokens - std::min(max_tokens, frame_tokens);
  auto fitting = largest_that_fits<Out>(max_tokens, Fit::both, most, most, with_frame);
  if (!fitting) {
    const Out least = with_frame(0);
    return too_little_room(max_tokens,
                           std::max(estimate_tokens(mcp::to_json(least)), estimate_tokens(render_text(least).str())));
  }
  // JSON spends tokens on member names that the text form can use for content.
  constexpr std::size_t kWorthIt = 10;  // percent of max_tokens
  structured = &fitting->answer;
  const std::size_t spare = max_tokens - fitting->text_tokens;
  if (room == TextRoom::its_own && spare * 100 > max_tokens * kWorthIt)
    if (auto fuller =
            largest_that_fits<Out>(max_tokens, Fit::text, fitting->allowed + spare, most + max_tokens, with_frame))
      if (fuller->text_tokens > fitting->text_tokens) fitting->answer.fuller_text = std::move(fuller->text);
  return std::move(fitting->answer);
}

// A part of a list, from row `offset` on.
template <class Row>
struct ListPage {
  std::vector<Row> rows;
  std::int64_t offset = 0;
  std::int64_t total = 0;      // rows of the whole list
  std::uint64_t question = 0;  // question_key() of the call
};

struct AllRows {
  bool operator()(const auto&) const { return true; }
};

// Returns a page of a list: as many rows as fit, at least one, and the cursor of the next page. Sets `total`. Rows of
// which `is_of_list` is false stand on this page only.
template <class Out, class Row, class IsOfList = AllRows>
Result<Out> fit_list(std::size_t max_tokens, const Answer& frame, const ListPage<Row>& page,
                     std::vector<Row> Out::*list, IsOfList is_of_list = {}) {
  const auto build = [&](std::size_t tokens) {
    Out out;
    static_cast<Answer&>(out) = frame;
    out.total = page.total + std::ranges::count_if(page.rows, std::not_fn(is_of_list));
    TokenBudget budget(tokens);
    std::vector<Row>& shown = out.*list;
    for (const Row& row : page.rows) {
      if (!budget.take_text(mcp::to_json(row)) && !shown.empty()) break;
      shown.push_back(row);
    }
    const std::int64_t end = page.offset + std::ranges::count_if(shown, is_of_list);
    if (end < page.total && !shown.empty()) out.next = encode_cursor({end, 0}, page.question);
    return out;
  };
  return fit_answer<Out>(max_tokens, frame, build, TextRoom::its_own);
}

}  // namespace memd::tools
