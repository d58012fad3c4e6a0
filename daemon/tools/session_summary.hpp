#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/scope_params.hpp"
#include "daemon/tools/session_facts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memd::tools {

// The level above the session: a project over its sessions.
inline constexpr std::int64_t kProjectLevel = 4;

struct SessionSummaryParams : SessionParams {
  std::string strategy = "auto";
  std::string style = "technical";
  std::optional<std::int64_t> level;
  std::optional<std::int64_t> chunk;
  std::optional<std::int64_t> first_exchange;
  std::optional<std::int64_t> last_exchange;
  std::optional<double> compression;
  std::optional<std::int64_t> max_seconds;
};

// A quoted sentence and its exchange.
struct NotedOut {
  std::string exchange_id;
  std::string text;
};

struct ChangedFileOut {
  std::string path;
  std::string last_exchange_id;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

struct SessionCommitOut {
  std::string sha;
  std::string exchange_id;
  std::string subject;
  std::optional<std::string> pull_request;
};

struct SummaryChunkOut {
  std::int64_t chunk = 0;
  std::string first_exchange_id;
  std::string last_exchange_id;
  std::int64_t exchange_count = 0;
  TimeRangeOut time_range;
  std::string summary;
  std::optional<std::string> session_id;  // of a project's summary, whose chunks are sessions
};

struct ProvenanceOut {
  std::string strategy;
  std::string model;
  std::string inputs;
  bool cached = false;
  std::int64_t model_requests = 0;
};

struct SessionSummaryAnswer : Answer, SessionFactsOut, SessionRefOut, SummaryOut {
  std::string project;
  std::string outcome;
  std::vector<std::string> outcome_reasons;
  std::int64_t total_exchanges = 0;
  std::vector<SummaryChunkOut> chunks;
  std::int64_t chunks_total = 0;
  std::vector<std::string> topics;
  std::vector<DecisionOut> key_decisions;
  std::int64_t key_decisions_total = 0;
  std::vector<ChangedFileOut> files_modified;
  std::int64_t files_modified_total = 0;
  std::vector<SessionCommitOut> commits;
  std::int64_t commits_total = 0;
  std::vector<std::string> pull_requests;
  std::int64_t pull_requests_total = 0;
  std::vector<std::pair<std::string, std::int64_t>> observation_counts;
  std::vector<NotedOut> open_ends;
  ProvenanceOut provenance;
  std::string more;
};
AnswerText render_text(const SessionSummaryAnswer& answer);

void add_session_summary(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::SessionSummaryParams, tools::kSessionFields,
              field<&T::strategy>("The last three need a language model.",
                                  one_of("auto", "extractive", "chronological", "hierarchical", "map_reduce",
                                         "recursive", "abstractive")),
              field<&T::style>(one_of("technical", "narrative", "topical")), field<&T::level>(range(1, 4)),
              field<&T::chunk>(range(0, 1e6), limits_unlisted),
              field<&T::first_exchange>("Only from this number on.", range(0, 1e9), limits_unlisted),
              field<&T::last_exchange>(range(0, 1e9), limits_unlisted),
              field<&T::compression>("Percent to leave out.", range(0, 99), limits_unlisted),
              field<&T::max_seconds>(clamped(1, 600), unlisted), tools::kPageFields);
MEMD_DESCRIBE(memd::tools::NotedOut, field<&T::exchange_id>("For get_exchange."), field<&T::text>("As it was said."));
MEMD_DESCRIBE(memd::tools::ChangedFileOut, field<&T::path>(),
              field<&T::last_exchange_id>("The last turn that changed it."),
              field<&T::lines_added>("Where the agent says so."), field<&T::lines_removed>("Where the agent says so."));
MEMD_DESCRIBE(
    memd::tools::SessionCommitOut, field<&T::sha>("As git showed it."), field<&T::exchange_id>(),
    field<&T::subject>("First line of its message."),
    field<&T::pull_request>("Number of the session's pull request that it is likely part of, by branch and time."));
MEMD_DESCRIBE(memd::tools::SummaryChunkOut, field<&T::chunk>("Number of the chunk, to open it."),
              field<&T::first_exchange_id>("For get_exchange."), field<&T::last_exchange_id>("For get_exchange."),
              field<&T::exchange_count>(), field<&T::time_range>("From the first to the last of them."),
              field<&T::summary>("Of the chunk; what it began with, when the session is shown."),
              field<&T::session_id>("In a project, whose chunks are sessions."));
MEMD_DESCRIBE(memd::tools::ProvenanceOut, field<&T::strategy>("How the summary was made."),
              field<&T::model>("Language model that wrote it; empty: none, it quotes."), field<&T::inputs>(),
              field<&T::cached>("The model was not asked again."),
              field<&T::model_requests>("Asked of the model for this answer."));
MEMD_DESCRIBE_ANSWER(
    memd::tools::SessionSummaryAnswer, plain<&T::session_id, &T::session_name, &T::platform, &T::project>(),
    field<&T::data_completeness>("full, partial, metadata_only or unknown."),
    field<&T::outcome>("success, fail, abandoned or unknown, judged by its end."),
    field<&T::outcome_reasons>("Signs at its end: those for the outcome first, then others."),
    field<&T::time_range>("From the first to the last turn summarized."), field<&T::total_exchanges>("Of the session."),
    field<&T::summary>("What was asked, done and found."), field<&T::source_tokens>("Tokens of what was summarized."),
    field<&T::summary_tokens>(), field<&T::chunks>("Parts that can be opened, in order."),
    plain<&T::chunks_total, &T::topics>(), field<&T::key_decisions>("What was settled, by whom, the latest first."),
    field<&T::key_decisions_total>(), field<&T::files_modified>("What was changed, most changed first."),
    field<&T::files_modified_total>(), field<&T::commits>("Commits made, newest first."), field<&T::commits_total>(),
    field<&T::pull_requests>("Pull requests the session opened or was linked to, newest first."),
    field<&T::pull_requests_total>(), field<&T::observation_counts>("Type to the number of observations of it."),
    field<&T::open_ends>("What the end left open."), field<&T::provenance>("Where the summary comes from."),
    field<&T::more>("The call that opens more."), kFieldsOf<tools::SessionFactsOut>);
