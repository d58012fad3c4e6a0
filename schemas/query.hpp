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

// Queries to the store and their results, as the tools use them.
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
  bool no_platform = false;         // no platform remains: nothing is found
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
  // Further phrasings, without operators: searched and ranked together with `text`. Filters and exclusions in `text`
  // apply to all.
  std::vector<std::string> also{};
  QueryFilter filter;
  int limit = 20;
  std::optional<int> load_at_most{};  // loads only the first of these hits
  int offset = 0;
  SearchMode mode = SearchMode::hybrid;
  bool explain = false;        // hits carry their features
  std::string near_project{};  // identity key of the project the question is asked from; its hits come a little earlier
  TimeMs now = 0;              // reference time for recency; 0: age is ignored
  bool count_outside = false;  // also search what filter.project excludes (SearchAnswer::outside)
  bool operators = true;       // whether "-word", "path:x" and the like in `text` mean more than words
};

// Features that a hit was ranked by. 0 when a feature does not apply.
struct RankingFeatures {
  double bm25 = 0;             // 0…1, share of the highest score that this query can reach
  double coverage = 0;         // idf-weighted share of the query's words found
  double adjacency = 0;        // share of neighbouring words found side by side
  double title = 0;            // share of the query's weight in the session's title
  double identifier = 0;       // share of the query's identifiers found exactly
  double brevity = 1;          // 0…1, weight of the exchanges around it: 1 up to sixty words, ½ at 120, …
  double neighbour_turns = 0;  // 0…1, match of the exchanges before and after
  double surroundings = 0;     // share of the query's weight found in it and a few exchanges around it
  double cosine = 0;
  double dense_z = 0;       // standardised over all vectors scanned
  double recency = 0;       // 0…1
  double tokens = 0;        // similarity to the question token by token, in standard deviations over the texts compared
  double second_look = 0;   // the same of its vector by the network of the second look, over the best hits
  double date = 0;          // 0…1, 1 at the time that the question names ("last week", "in March")
  double same_project = 0;  // 0 or 1
  double abandoned = 0;     // 0 or 1: the session was rewound to before it
  double subagent = 0;      // 0 or 1: another session started its session
  double decision = 0;      // 0 or 1: it contains a recorded decision, and the question asks for one
  double verbatim = 0;      // 0 or 1: it contains the whole question as typed
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

// Identification of an exchange.
struct ExchangeHead : SessionHead {
  ExchangeId id = 0;
  std::int64_t number = 0;  // in its session
  TimeMs started_at = 0;
  // The exchange with which the session continued after the person rewound it to before this one. 0: not rewound.
  ExchangeId abandoned_for = 0;
};

// A range of a text, in bytes.
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
  double likelihood = 1;                    // 0…1, probability that it is about the question
  std::uint32_t found_by = 1;               // phrasings that found it; bit 0: `text`, bit 1: also[0], …
  bool is_evicted = false;                  // only its first lines are left
  std::int64_t copies = 0;                  // further exchanges with the same text that this hit stands for
  std::optional<RankingFeatures> features;  // set if SearchQuery::explain
};

// Coverage of the semantic side of a search.
struct SemanticCoverage {
  bool used = false;
  std::string model;
  std::int64_t pending = 0;  // exchanges without vectors of their present text
  std::string trouble;       // reason why it was not used or is incomplete; empty: none
};

// A hit that filter.project excludes and whose evidence is clearly stronger than that of all hits it admits.
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
  SearchMode mode = SearchMode::lexical;  // the requested mode, or lexical if the semantic side was not used
  SemanticCoverage semantic;
  bool nothing_relevant = false;           // hits, if any, are the nearest found, but not relevant
  double likelihood = 1;                   // 0…1, probability that one of the best hits is about the question
  bool more = false;                       // there are hits after these
  std::vector<std::string> ignored_terms;  // too common to help, without letters, or in no exchange at all
  std::vector<std::string> unknown_terms;  // those of them that are in no exchange at all
  std::vector<std::string> excluded;       // terms and phrases that `text` excludes
  std::vector<std::string> dropped;        // operators in the text that found nothing and were read as words, as typed
  std::string unknown_project;             // message about a typed `project:` that does not exist; empty: none
  std::int64_t left_out = 0;               // hits in an index that are missing in the store, which is damaged
  std::optional<OutsideHits> outside;      // on request
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
  TimeMs ended_at = 0;  // time of the last event; for the time of the stop see life.ended_at()
  SessionLife life;
  Outcome outcome = Outcome::unknown;
  std::vector<OutcomeReason> outcome_reasons;  // those that support the outcome first, then by weight, highest first
  Cost cost;                                   // of its own responses
  TokenUsage subagent_tokens;                  // of its subagents and theirs
  TokenUsage account_tokens;                   // what its agent's account says beyond all these
  std::int64_t exchanges = 0;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t compactions = 0;
  std::int64_t subagents = 0;
  std::string repo;              // URL of its repository; empty: not recorded
  std::string description;       // given by its agent; empty: none
  std::string mode;              // likewise
  std::int64_t lines_added = 0;  // as counted by its agent, else of its edits
  std::int64_t lines_removed = 0;
  std::optional<double> cost_usd;   // as calculated by its agent
  std::int64_t context_tokens = 0;  // tokens in the context, as last reported; 0: not reported
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

// An event, as stored in its row.
struct EventRow {
  std::int64_t seq = 0;
  std::uint64_t event_id = 0;
  TimeMs time = 0;
  EventKind kind{};
  Role role{};
  Origin origin{};
  std::optional<std::int64_t> parent_seq;  // the event it follows; of a derived event, the one it was derived from
  std::optional<std::int64_t> pair_seq;    // call and result
  std::string tool;
  std::uint64_t call_key = 0;  // 0: none
  std::uint64_t input_hash = 0;
  std::string path;         // first file; empty: none
  std::uint32_t flags = 0;  // kFlag…
  std::string summary;
  std::int64_t tokens = 0;
  SourceId source = 0;  // 0: it has no position in a source
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
  bool is_gone = false;  // the source no longer has the record; `raw` is its place before
};

struct DaySlice : SessionHead {
  std::int64_t exchange_count = 0;
  TimeRange range;
  ExchangeId first_exchange = 0;
  ExchangeId last_exchange = 0;
  bool is_evicted = false;  // only first lines are left
  // Beginnings, at most kSliceTextBytes each: the requests of the first and the last exchange, and the final answer of
  // the last.
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
