#pragma once

#include "schemas/event.hpp"
#include "schemas/query.hpp"
#include "schemas/usage.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What models were used for, from the ledger of responses. Every sum of tokens that memd shows comes from here. All
// functions: on the connection's thread; throw ErrorException.
namespace memd {

// The session of a response.
struct UsageSession {
  std::int64_t pk = 0;
  std::string uid;
  Platform platform{};
  bool is_subagent = false;
  std::string project;      // name; empty: none
  std::string project_key;  // identity key; empty: none
  std::string branch;       // the last one
  std::string title;
  std::string agent_name;  // type of the subagent
};

struct ResponseRow {
  const UsageSession* session = nullptr;  // valid until the visit ends
  const UsageSession* root = nullptr;     // the main session that it works for; `session` itself for a main session
  std::int64_t exchange = -1;             // number in the session; −1: before the first prompt, or of an account
  TimeMs time = 0;                        // of the response's first record; 0: unknown
  std::string_view model;                 // empty: the agent does not say; valid until the visit ends
  // Of its exchange with UsageDetail::branches, of its session without; valid until the visit ends.
  std::string_view branch;
  TokenUsage tokens;
  ResponseFacts facts;
  // Not a response: what the agent's own account of the session exceeds the transcripts by ("not in the transcript"),
  // as one row for each model. Its tokens may be 0 if only the cost is the account's.
  bool is_account = false;
};
using ResponseVisitor = std::function<void(const ResponseRow&)>;

// Visits the responses that pass the filter, session by session. since and until are compared with the response's own
// time; a filtered session includes its subagents; include_subagents and the rest select sessions as in all queries.
enum class UsageDetail { sessions, branches };  // branches of exchanges are slow to read
void for_each_response(sqlite::Database& db, const QueryFilter& filter, const ResponseVisitor& visit,
                       UsageDetail detail = UsageDetail::sessions);

enum class UsageBy { day, week, month, block, model, day_model, platform, project, branch, session };
std::string_view to_string(UsageBy by);  // as in --by: "day,model", "agent" for a platform
std::optional<UsageBy> parse_usage_by(std::string_view text);

// The length of a block: from the hour of a first response, the responses of five hours.
inline constexpr TimeMs kUsageBlock = 5LL * 60 * 60 * 1000;

// What a row of usage says of itself, and what needs no words of its own.
struct UsageLine {
  // What the row is the sum of: "2026-02-01", "2026-W05" (ISO), "2026-02", the beginning of a block (RFC 3339), a
  // model, a platform's key, a project's or branch's name, a session's uid; of day_model "2026-02-01 claude-opus-4-6".
  std::string key;
  // Empty: several, or not known.
  std::string model;
  std::string project;
  std::string session;  // uid of the main session
  std::string title;
  std::optional<double> cost_usd;        // computed by the pricer; nullopt: nothing has a price
  std::optional<double> agent_cost_usd;  // as agents calculate it
  std::int64_t unpriced_tokens = 0;
  std::int64_t web_searches = 0;
  std::int64_t responses = 0;
};

struct UsageRow : UsageLine {
  TimeMs start = 0;                  // of day, week, month, block; 0: others, and unknown times
  std::optional<Platform> platform;  // nullopt: several
  TimeMs first = 0;                  // of its responses; 0: unknown
  TimeMs last = 0;
  TokenUsage tokens;
  TokenUsage subagent_tokens;   // part of it
  TokenUsage account_tokens;    // part of tokens that is not in a transcript
  std::int64_t unfinished = 0;  // responses whose output is a lower bound

  void add(const ResponseRow& response, std::optional<double> cost);
  void add_sums(const UsageRow& other);  // all but what names the row
};

// Returns the cost of a response, nullopt if its model has no known price.
using Pricer = std::function<std::optional<double>(const ResponseRow&)>;

struct UsageAnswer {
  std::vector<UsageRow> rows;  // times in order, others with the most tokens first
  UsageRow total;              // key "total"
};

struct UsageQuery {
  QueryFilter filter{};
  UsageBy by = UsageBy::day;
  Pricer pricer{};  // may be empty: all is unpriced
  UsageAnswer run(sqlite::Database& db) const;
};

// What a session used: its own responses, those of its subagents and theirs, and what its agent's account says beyond.
struct SessionTokens {
  TokenUsage own;
  TokenUsage subagents;
  TokenUsage account;
};
SessionTokens session_tokens(sqlite::Database& db, std::int64_t session_pk);
TokenUsage exchange_tokens(sqlite::Database& db, std::int64_t session_pk, std::int64_t exchange_number);

// The newest report of each limit of a platform.
struct KnownLimit : RateLimit {
  Platform platform{};
};
struct RateLimitQuery {
  std::vector<KnownLimit> run(sqlite::Database& db) const;
};

}  // namespace memd
