#pragma once

#include "daemon/cli/caller.hpp"
#include "daemon/cli/reopening.hpp"
#include "daemon/tools/get_exchange.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "daemon/tools/memory_read.hpp"
#include "daemon/tools/semantic_search.hpp"
#include "schemas/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

// The queries of `memd browse` and their answers. Plain values.
namespace memd::cli::browse {

struct Filters {
  std::string project;
  std::string platform;
  std::string since;
  std::string state;  // of sessions; searches do not know it

  bool operator==(const Filters&) const = default;
};

// Sessions, newest first, when the query is empty; else what it finds.
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

// Some exchanges of a session, one behind the other.
struct SessionQuestion {
  enum class Way : std::uint8_t { from, before, last } way = Way::from;
  std::string session;
  std::int64_t number = 0;  // from: the first one; before: they end before this one
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
  tools::GetExchangeAnswer exchanges;  // only those asked for
  std::string title;
  std::int64_t last_number = 0;  // of the session's last exchange
};

using Told = std::variant<tools::ListSessionsAnswer, tools::SemanticSearchAnswer, tools::GetExchangeAnswer, SessionPart,
                          tools::MemoryReadAnswer, Reopening>;

struct Asked {
  std::uint64_t ticket = 0;
  Question question;
};

struct Reply {
  std::uint64_t ticket = 0;
  Result<Told> told;
  bool from_daemon = false;  // which reads on; else the store stays as it is
};

// Asks one question; may take as long as the store does.
Result<Told> answer_to(const Question& question, Caller& caller, const Settings& settings);

}  // namespace memd::cli::browse
