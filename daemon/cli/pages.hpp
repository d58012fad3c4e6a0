#pragma once

#include "daemon/cli/asking.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/tools/get_exchange.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/base/harmless.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Answers that come in pages: fetches them one after the other, and merges or prints them. One thread.
namespace memd::cli {

// The request for one page.
struct PageWanted {
  std::optional<std::int64_t> rows;  // none: the tool's default
  std::string cursor;                // empty: the first page
};

// The number of rows to fetch: `asked` if set (0: all), else `usual`.
struct RowsWanted {
  std::optional<std::int64_t> asked;
  std::int64_t usual = 0;
  std::int64_t a_page = 0;  // maximum rows per page of the tool; 0: its pages are not counted in rows
};

// Truncates a page to the wanted number of rows, for tools whose pages are not counted in rows.
template <class Answer>
using KeepFirst = std::function<void(Answer& page, std::int64_t rows)>;

// Fetches pages until the wanted number of rows is reached or no page is left. `count` returns the rows of a page.
// `on_page` returns false to stop. Returns the last page; its `next` is set if more rows exist.
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
      if (!answer.next) answer.next.emplace();  // there is more, but no cursor for it
    }
    left -= rows;
    const bool goes_on = on_page(answer);
    if (!goes_on || !answer.next || (all != 0 && left <= 0)) return answer;
    page.cursor = *answer.next;
  }
}

using MakeArguments = std::function<std::string(const PageWanted&)>;

// The arguments of a page. `rows`: the parameter that limits them.
template <class Params, class Rows>
MakeArguments pages_of(Params params, Rows Params::*rows) {
  return [params = std::move(params), rows](const PageWanted& page) mutable {
    params.cursor = page.cursor;
    if (page.rows) params.*rows = *page.rows;
    return mcp::to_arguments(params);
  };
}
template <class Params>
MakeArguments pages_of(Params params) {
  return [params = std::move(params)](const PageWanted& page) mutable {
    params.cursor = page.cursor;
    return mcp::to_arguments(params);
  };
}

// Functions that count and merge the pages of an answer.
template <class Answer>
struct Pages {
  std::string_view tool;
  std::function<std::int64_t(const Answer&)> count;
  std::function<void(Answer& all, Answer& page)> append;
  KeepFirst<Answer> keep_first{};
};

// Fetches and merges all pages. Its `next` is that of the last page.
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

// Pages over the ids of one get_exchange call.
Pages<tools::GetExchangeAnswer> exchange_pages();

// Describes a list within an answer. `name` is its JSON name. `joins` merges a row into the one before if it continues
// it, and then returns true. `count` and `keep_first` count and truncate an answer (empty: count its rows, keep them
// all).
template <class Answer, class Row>
struct ListOf {
  std::string_view name;
  std::vector<Row> Answer::*rows;
  std::function<bool(Row& before, const Row& row)> joins = {};
  std::function<std::int64_t(const Answer&)> count = {};
  KeepFirst<Answer> keep_first = {};
};

ListOf<tools::GetExchangeAnswer, tools::ExchangeOut> exchange_list();

// Prints an answer with a long list as one JSON document, page by page, so that neither the list nor its text is ever
// held whole. The members before the list come from the first page, those after it from the last. One thread.
template <class Answer, class Row>
class StreamedJson {
 public:
  StreamedJson(const Invocation& call, ListOf<Answer, Row> list) : screen_(call.plain_look()), list_(std::move(list)) {}

  // Removes the rows from the page and prints them. Returns false when the reader has closed the output.
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
  // Returns the document before and after the rows. The search is exact, because quotes within a JSON string are
  // escaped.
  std::pair<std::string, std::string> halves(const Answer& answer) const {
    const std::string text = mcp::to_json(answer, mcp::Texts::as_they_are);
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
    print((printed_++ > 0 ? "," : "") + mcp::to_json(*waiting_, mcp::Texts::as_they_are));
    waiting_.reset();
  }

  Screen screen_;
  ListOf<Answer, Row> list_;
  std::optional<Row> waiting_;  // the last row, held back because the next page may continue it
  bool begun_ = false;
  std::size_t printed_ = 0;
};

}  // namespace memd::cli
