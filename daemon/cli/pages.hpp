#pragma once

#include "daemon/cli/asking.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/tools/get_exchange.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/harmless.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Answers that come in pages: asked for one after the other, put together, or printed as they come. One thread.
namespace memd::cli {

// The request for one page.
struct PageWanted {
  std::optional<std::int64_t> rows;  // none: as many as a page has
  std::string cursor;                // empty: the first
};

// How many rows a person wants: `asked`, 0 for all, else `usual`. No number: all.
struct RowsWanted {
  std::optional<std::int64_t> asked;
  std::int64_t usual = 0;
  std::int64_t a_page = 0;  // the most that the tool gives at once; 0: its pages are not counted in rows
};

// Leaves as many rows of a page as are wanted, where the tool's pages are not counted in rows.
template <class Answer>
using KeepFirst = std::function<void(Answer& page, std::int64_t rows)>;

// Asks page after page until there are as many rows as wanted, or no more. `count` says how many a page has. `on_page`
// returns false to end it. Gives the last page, whose `next` is there if more could be asked for.
template <mcp::Described Answer>
Result<Answer> ask_pages(Caller& caller, std::string_view tool,
                         const std::function<std::string(const PageWanted&)>& arguments, const RowsWanted& wanted,
                         const std::function<std::int64_t(const Answer&)>& count,
                         const std::function<bool(Answer&)>& on_page, const KeepFirst<Answer>& keep_first = {}) {
  const std::int64_t all = wanted.asked.value_or(wanted.usual);
  std::int64_t left = all;
  PageWanted page;
  while (true) {
    if (wanted.a_page > 0) page.rows = all == 0 ? wanted.a_page : std::min(left, wanted.a_page);
    MEMD_TRY_ASSIGN(Answer answer, ask_history<Answer>(caller, tool, arguments(page)));
    const std::int64_t rows = count(answer);
    if (keep_first && all != 0 && rows > left) {
      keep_first(answer, left);
      if (!answer.next) answer.next.emplace();  // there is more; no cursor leads to it
    }
    left -= rows;
    const bool goes_on = on_page(answer);
    if (!goes_on || !answer.next || (all != 0 && left <= 0)) return answer;
    page.cursor = *answer.next;
  }
}

using MakeArguments = std::function<std::string(const PageWanted&)>;

// Functions that count and merge the pages of an answer.
template <class Answer>
struct Pages {
  std::string_view tool;
  std::function<std::int64_t(const Answer&)> count;
  std::function<void(Answer& all, Answer& page)> append;
  KeepFirst<Answer> keep_first{};
};

// All of it. Its `next` is that of the last page.
template <mcp::Described Answer>
Result<Answer> collect(Caller& caller, const Pages<Answer>& pages, const RowsWanted& wanted,
                       const MakeArguments& arguments) {
  std::optional<Answer> all;
  const auto take = [&](Answer& page) {
    if (all)
      pages.append(*all, page);
    else
      all = page;
    return true;
  };
  MEMD_TRY_ASSIGN(const Answer last,
                  ask_pages<Answer>(caller, pages.tool, arguments, wanted, pages.count, take, pages.keep_first));
  all->next = last.next.value_or("").empty() ? std::nullopt : last.next;
  return std::move(*all);
}

// Of one call's ids.
Pages<tools::GetExchangeAnswer> exchange_pages();

// A list within an answer: its name there, what to do with a row that goes on with the one before (true: it is in that
// one now), and what of an answer is counted and kept (empty: the rows, all of them).
template <class Answer, class Row>
struct ListOf {
  std::string_view name;
  std::vector<Row> Answer::*rows;
  std::function<bool(Row& before, const Row& row)> joins = {};
  std::function<std::int64_t(const Answer&)> count = {};
  KeepFirst<Answer> keep_first = {};
};

ListOf<tools::GetExchangeAnswer, tools::ExchangeOut> exchange_list();

// Prints an answer with a long list as one JSON document, page by page: neither the list nor its text is ever held
// whole. What stands before the list is the first page's, what stands behind it the last one's.
template <class Answer, class Row>
class StreamedJson {
 public:
  StreamedJson(const Invocation& call, ListOf<Answer, Row> list) : screen_(call.plain_look()), list_(std::move(list)) {}

  // Takes the rows out of the page. False: nobody reads on.
  bool page(Answer& page) {
    std::vector<Row> rows = std::exchange(page.*list_.rows, {});
    if (!begun_) print(halves(page).first);
    for (Row& row : rows) {
      if (waiting_ && list_.joins && list_.joins(*waiting_, row)) continue;
      print_waiting();
      waiting_ = std::move(row);
    }
    return !screen_.is_closed();
  }
  Result<int> end(Answer last) {
    print_waiting();
    (last.*list_.rows).clear();
    if (last.next.value_or("").empty()) last.next.reset();
    print(halves(last).second + "\n");
    return finish(screen_);
  }

 private:
  // The document before the rows, and behind them. Within a text the quotes of the name would be escaped.
  std::pair<std::string, std::string> halves(const Answer& answer) const {
    const std::string text = mcp::to_json(answer);
    const std::string name = "\"" + std::string(list_.name) + "\":[";
    const auto at = text.find(name + "]") + name.size();
    return {text.substr(0, at), text.substr(at)};
  }
  void print(std::string_view json) {
    begun_ = true;
    screen_.as_it_is(harmless_json(json));
  }
  void print_waiting() {
    if (!waiting_) return;
    print((printed_++ > 0 ? "," : "") + mcp::to_json(*waiting_));
    waiting_.reset();
  }

  Screen screen_;
  ListOf<Answer, Row> list_;
  std::optional<Row> waiting_;  // the next page may go on with it
  bool begun_ = false;
  std::size_t printed_ = 0;
};

}  // namespace memd::cli
