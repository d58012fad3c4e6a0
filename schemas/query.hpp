#pragma once

#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"
#include "schemas/observation.hpp"
#include "schemas/outcome.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"
#include "schemas/store_health.hpp"
#include "schemas/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Questions to the store and its answers, as the tools use them.
namespace memd {

// Returns a value for QueryFilter::project that selects the project with this identity key and those in directories
// below it.
inline std::string project_tree(std::string_view identity_key) {
  std::string out = "\x01";
  out += identity_key;
  if (!out.ends_with('/')) out += '/';
  return out;
}

struct QueryFilter {
  std::vector<Platform> platforms;  // empty: all
  bool no_platform = false;         // none is left: nothing is found
  std::string project;              // part of the project's identity key or name, or project_tree(); empty: all
  std::string session;              // uid, native id or unique prefix of either; empty: all
  TimeMs since = 0;                 // inclusive; 0: open
  TimeMs until = 0;                 // exclusive; 0: open
  bool include_subagents = true;
  std::optional<ObservationType> observed{};  // searches: only exchanges with such an observation
};

// lexical: by words; semantic: by meaning alone; hybrid: both.
enum class SearchMode { hybrid, lexical, semantic };

struct SearchQuery {
  std::string text;  // as the user typed it; never a syntax error
  // Other ways to say it, words alone: searched and ranked together with `text`. What `text` filters and excludes holds
  // for all.
  std::vector<std::string> also{};
  QueryFilter filter;
  int limit = 20;
  int offset = 0;
  SearchMode mode = SearchMode::hybrid;
  bool explain = false;        // hits carry their features
  std::string near_project{};  // identity key of the project the question is asked from; its hits come a little earlier
  TimeMs now = 0;              // for what is recent; 0: age does not count
  bool count_outside = false;  // also look at what filter.project leaves out
  bool operators = true;       // whether "-word", "path:x" and the like in `text` mean more than words
};

// Features that a hit was ranked by. 0 when a feature does not apply.
struct RankingFeatures {
  double bm25 = 0;             // 0…1, of the most this query can reach
  double coverage = 0;         // idf-weighted share of the query's words found
  double adjacency = 0;        // share of neighbouring words found side by side
  double title = 0;            // share of the query's weight in the session's title
  double identifier = 0;       // share of the query's identifiers found exactly
  double brevity = 1;          // 0…1, how much it needs those around it: 1 up to sixty words, ½ at 120, …
  double neighbour_turns = 0;  // 0…1, how well the exchanges before and after fit
  double surroundings = 0;     // share of the query's weight found in it and a few exchanges around it
  double cosine = 0;
  double dense_z = 0;  // standardised over all vectors scanned
  double recency = 0;  // 0…1
  double tokens = 0;   // how well a text holds the question's tokens in meaning, in deviations among those compared
  double date = 0;     // 0…1, 1 at the time the question speaks of ("last week", "in March")
  double same_project = 0;  // 0 or 1
  double abandoned = 0;     // 0 or 1: the session went back to before it
  double subagent = 0;      // 0 or 1: of a session that another one started
  double decision = 0;      // 0 or 1: a decision is recorded in it, and the question asks for one
  double verbatim = 0;      // 0 or 1: the question stands in it as a whole, as typed
};

enum class Confidence { low, medium, high };

// Identification of the session that a result belongs to.
struct SessionHead {
  std::int64_t session_pk = 0;
  std::string session_uid;
  std::string session_title;
  Platform platform{};
  std::string project;  // its name; empty: none
};

// The same of an exchange.
struct ExchangeHead : SessionHead {
  ExchangeId id = 0;
  std::int64_t number = 0;  // in its session
  TimeMs started_at = 0;
  // The person went back to before this exchange, and the session on with that one. 0: it was not left.
  ExchangeId abandoned_for = 0;
};

// A stretch of a text, in bytes.
struct TextSpan {
  std::size_t start = 0;
  std::size_t length = 0;

  bool operator==(const TextSpan&) const = default;
};

struct SearchHit : ExchangeHead {
  double relevance_score = 0;  // 0…1, 1 best
  std::string user_message;
  std::string assistant_response;  // the final answer, not every text on the way
  std::string snippet;             // best passage
  std::vector<TextSpan> matches;   // in the snippet, in order
  std::string matched_in;          // user_message | interventions | assistant_response | tool_text
  std::int64_t text_bytes = 0;     // of the whole exchange as get_exchange gives it without tools
  Confidence confidence = Confidence::high;
  double likelihood = 1;                    // 0…1, that it is about what was asked
  std::uint32_t found_by = 1;               // phrasings that found it; bit 0: `text`, bit 1: also[0], …
  bool is_evicted = false;                  // only its first lines are left
  std::int64_t copies = 0;                  // further exchanges with the same text that this hit stands for
  std::optional<RankingFeatures> features;  // when asked to explain
};

// Coverage of the semantic side of a search.
struct SemanticCoverage {
  bool used = false;
  std::string model;
  std::int64_t pending = 0;  // exchanges without vectors of their present text
  std::string trouble;       // reason why it was not used or is incomplete; empty: none
};

// A hit that filter.project leaves out, for which clearly more speaks than for all that it lets through.
struct BetterElsewhere {
  ExchangeId id = 0;
  std::string project;    // its identity key; empty: the session has none
  double likelihood = 0;  // as SearchHit::likelihood
};

// Hits among the best `limit` of all projects that filter.project excludes.
struct OutsideHits {
  std::int64_t count = 0;  // without hits of low confidence
  double likelihood = 0;   // as SearchAnswer::likelihood
  std::optional<BetterElsewhere> better;
};

struct SearchAnswer {
  std::vector<SearchHit> hits;
  SearchMode mode = SearchMode::lexical;  // that was possible
  SemanticCoverage semantic;
  bool nothing_relevant = false;           // hits, if any, are the nearest there is, and not near
  double likelihood = 1;                   // 0…1, that something among the best hits is about what was asked
  bool more = false;                       // there are hits after offset + limit
  std::vector<std::string> ignored_terms;  // too common to help, without letters, or in no exchange at all
  std::vector<std::string> unknown_terms;  // those of them that are in no exchange at all
  std::vector<std::string> excluded;       // what hits do not hold, because the text excludes it
  std::vector<std::string> dropped;    // operators of the text, as typed, with which nothing was found: read as words
  std::string unknown_project;         // what to say of a typed `project:` that there is not; empty: all is well
  std::int64_t left_out = 0;           // hits that an index names and the store does not hold: it is damaged
  std::optional<OutsideHits> outside;  // on request
};

struct SessionRow {
  std::int64_t pk = 0;
  std::string uid;
  Platform platform{};
  std::string native_id;
  SessionKind kind = SessionKind::main;
  std::string parent_uid;
  std::string forked_from;
  std::string agent_name;
  std::string title;  // the stored one, else the first prompt's first line
  std::string project_key;
  std::string project_name;
  std::string cwd;
  std::string git_branch;
  std::string model;
  std::string agent_version;
  TimeMs started_at = 0;
  TimeMs ended_at = 0;  // last event; when the session stopped: life.ended_at()
  SessionLife life;
  Outcome outcome = Outcome::unknown;
  std::vector<OutcomeReason> outcome_reasons;  // those for the outcome first, then the heaviest
  Cost cost;
  std::int64_t exchanges = 0;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t compactions = 0;
  std::int64_t subagents = 0;
  std::string repo;              // where its repository comes from; empty: not told
  std::string description;       // as its agent says; empty: it does not
  std::string mode;              // likewise
  std::int64_t lines_added = 0;  // as its agent counts them, else of its edits
  std::int64_t lines_removed = 0;
  std::optional<double> cost_usd;   // as its agent reckons it
  std::int64_t context_tokens = 0;  // how full the context was when last heard of; 0: not told
  std::string source_path;
  std::int64_t source_bytes = 0;  // of this session in it
  Watermarks watermarks;
};

struct SessionList {
  std::vector<SessionRow> sessions;  // newest first
  std::int64_t total = 0;
};

// Access of an exchange to one file.
struct ExchangeFile {
  std::int64_t exchange_number = 0;
  std::int64_t path_pk = 0;
  std::string path;
  FileAccess access{};
  std::int64_t touches = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

// An event as its row has it.
struct EventRow {
  std::int64_t seq = 0;
  std::uint64_t event_id = 0;
  TimeMs time = 0;
  EventKind kind{};
  Role role{};
  Origin origin{};
  std::optional<std::int64_t> parent_seq;  // the event it follows; of a derived one, that it was derived from
  std::optional<std::int64_t> pair_seq;    // call and result
  std::string tool;
  std::uint64_t call_key = 0;  // 0: none
  std::uint64_t input_hash = 0;
  std::string path;         // first file; empty: none
  std::uint32_t flags = 0;  // kFlag…
  std::string summary;
  std::int64_t tokens = 0;
  SourceId source = 0;  // 0: it came without a place in a source
  RawRef raw;
  bool is_error() const { return (flags & kFlagError) != 0; }
};

struct ExchangeRow : ExchangeHead {
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
  TimeMs ended_at = 0;
  Origin origin{};
  DataCompleteness completeness = DataCompleteness::full;
  std::string user_message;
  std::string interventions;
  std::string assistant_response;
  std::int64_t answer_offset = 0;  // the final answer starts here in assistant_response
  std::string tool_text;
  std::string git_branch;
  std::string working_directory;
  std::string model_used;
  TokenUsage tokens;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  std::string raw_format_version;
  std::string adapter_version;
  TimeMs ingested_at = 0;

  // Only its first lines are left.
  bool is_evicted() const { return completeness == DataCompleteness::metadata_only; }
  // Offset of the final answer in assistant_response, clamped: a damaged store may contain any value.
  std::size_t answer_begin() const {
    return std::min(static_cast<std::size_t>(std::max<std::int64_t>(answer_offset, 0)), assistant_response.size());
  }
  std::string_view final_answer() const { return std::string_view(assistant_response).substr(answer_begin()); }
};

// Location of the record of an event, to read it again.
struct EventSource {
  Platform platform{};
  std::string path;
  SourceFormat format = SourceFormat::jsonl;
  SourceState state = SourceState::active;
  std::string session_uid;
  SourceId source = 0;
  RawRef raw;
  std::string item_key;  // of a source that is changed in place: which item; `raw.offset` is its number
};

struct DaySlice : SessionHead {
  std::int64_t exchange_count = 0;
  TimeRange range;
  ExchangeId first_exchange = 0;
  ExchangeId last_exchange = 0;
  bool is_evicted = false;  // only first lines are left
  // Beginnings, at most kSliceTextBytes each: what the first and the last exchange were asked, and the final answer of
  // the last one.
  std::string first_request;
  std::string last_request;
  std::string last_answer;
};
inline constexpr std::size_t kSliceTextBytes = 3000;

// Activity between two times: one entry per local day and session, in order of time.
struct Timeline {
  std::vector<std::pair<std::string, DaySlice>> slices;  // "2026-02-09" -> slice
  std::int64_t total_exchanges = 0;
  std::int64_t total_sessions = 0;
  std::vector<std::pair<Platform, std::int64_t>> platform_breakdown;  // exchanges
  bool more = false;
};

}  // namespace memd
