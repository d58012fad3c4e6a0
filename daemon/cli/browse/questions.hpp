#pragma once

#include "daemon/cli/caller.hpp"
#include "daemon/cli/reopening.hpp"
#include "daemon/tools/get_exchange.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "daemon/tools/memory_read.hpp"
#include "daemon/tools/semantic_search.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <string>
#include <variant>

// The queries of `memd browse` and their answers. Plain values.
namespace memd::cli::browse {

struct Filters {
  std::string project;
  std::string platform;
  std::string since;
  std::string state;  // applies to session lists; searches ignore it

  bool operator==(const Filters&) const = default;
};

// Lists the sessions, newest first, if the query is empty; else its hits.
struct ListQuestion {
  std::string query;
  Filters filters;
  std::string cursor;  // empty: the first page

  bool operator==(const ListQuestion&) const = default;
};

struct ExchangeQuestion {
  std::string id;
  bool tools = false;

  bool operator==(const ExchangeQuestion&) const = default;
};

// Requests consecutive exchanges of a session.
struct SessionQuestion {
  enum class Way : std::uint8_t { from, before, last } way = Way::from;
  std::string session;
  std::int64_t number = 0;  // from: the first exchange; before: the exchanges end before this one
  bool tools = false;

  bool operator==(const SessionQuestion&) const = default;
};

struct MemoryQuestion {
  std::string slug;

  bool operator==(const MemoryQuestion&) const = default;
};

struct ReopenQuestion {
  std::string session;

  bool operator==(const ReopenQuestion&) const = default;
};

using Question = std::variant<ListQuestion, ExchangeQuestion, SessionQuestion, MemoryQuestion, ReopenQuestion>;

struct SessionPart {
  tools::GetExchangeAnswer exchanges;  // only the requested ones
  std::string title;
  std::int64_t last_number = 0;  // number of the session's last exchange
};

using Answer = std::variant<tools::ListSessionsAnswer, tools::SemanticSearchAnswer, tools::GetExchangeAnswer,
                            SessionPart, tools::MemoryReadAnswer, Reopening>;

struct Asked {
  std::uint64_t ticket = 0;
  Question question;
};

struct Reply {
  std::uint64_t ticket = 0;
  Result<Answer> answer;
  bool from_daemon = false;  // true: the daemon answered and keeps ingesting; false: the store does not change
};

// Answers one question. Blocks until the store or the daemon has answered.
Result<Answer> answer_to(const Question& question, Caller& caller, const Settings& settings);

}  // namespace memd::cli::browse
