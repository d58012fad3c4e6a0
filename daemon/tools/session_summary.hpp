#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/scope_params.hpp"
#include "daemon/tools/session_facts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

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
};

struct ProvenanceOut {
  std::string strategy;
  std::string model;
  std::string inputs;
  bool cached = false;
  std::int64_t model_requests = 0;
};

struct SessionSummaryAnswer : Answer, SessionFactsOut {
  std::string session_id;
  std::string session_name;
  std::string platform;
  std::string project;
  std::string data_completeness;
  std::string outcome;
  std::vector<std::string> outcome_reasons;
  TimeRangeOut time_range;
  std::int64_t total_exchanges = 0;
  std::string summary;
  std::int64_t source_tokens = 0;
  std::int64_t summary_tokens = 0;
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

namespace memd::mcp {

template <>
struct Describe<tools::SessionSummaryParams> {
  using T = tools::SessionSummaryParams;
  static constexpr auto fields = join_fields(
      tools::kSessionFields,
      fields_of(
          field(
              "strategy", &T::strategy, "The last three need a language model.",
              one_of("auto", "extractive", "chronological", "hierarchical", "map_reduce", "recursive", "abstractive")),
          field("style", &T::style, "", one_of("technical", "narrative", "topical")),
          field("level", &T::level, "", range(1, 3)), field("chunk", &T::chunk, "", range(0, 1e6), limits_unlisted),
          field("first_exchange", &T::first_exchange, "Only from this number on.", range(0, 1e9), limits_unlisted),
          field("last_exchange", &T::last_exchange, "", range(0, 1e9), limits_unlisted),
          field("compression", &T::compression, "Percent to leave out.", range(0, 99), limits_unlisted),
          field("max_seconds", &T::max_seconds, "", clamped(1, 600), unlisted)),
      tools::kPageFields);
};
template <>
struct Describe<tools::NotedOut> {
  using T = tools::NotedOut;
  static constexpr auto fields =
      fields_of(field("exchange_id", &T::exchange_id, "For get_exchange."), field("text", &T::text, "As it was said."));
};
template <>
struct Describe<tools::ChangedFileOut> {
  using T = tools::ChangedFileOut;
  static constexpr auto fields =
      fields_of(field("path", &T::path, "File."),
                field("last_exchange_id", &T::last_exchange_id, "The last exchange that changed it."),
                field("lines_added", &T::lines_added, "Where the agent says so."),
                field("lines_removed", &T::lines_removed, "Where the agent says so."));
};
template <>
struct Describe<tools::SessionCommitOut> {
  using T = tools::SessionCommitOut;
  static constexpr auto fields = fields_of(
      field("sha", &T::sha, "As git showed it."), field("exchange_id", &T::exchange_id, "The exchange that made it."),
      field("subject", &T::subject, "First line of its message."),
      field("pull_request", &T::pull_request,
            "Number of the session's pull request that it is likely part of, by branch and time."));
};
template <>
struct Describe<tools::SummaryChunkOut> {
  using T = tools::SummaryChunkOut;
  static constexpr auto fields =
      fields_of(field("chunk", &T::chunk, "Number of the chunk, to open it."),
                field("first_exchange_id", &T::first_exchange_id, "For get_exchange."),
                field("last_exchange_id", &T::last_exchange_id, "For get_exchange."),
                field("exchange_count", &T::exchange_count, "Exchanges in it."),
                field("time_range", &T::time_range, "From the first to the last of them."),
                field("summary", &T::summary, "Of the chunk; what it began with, when the session is shown."));
};
template <>
struct Describe<tools::ProvenanceOut> {
  using T = tools::ProvenanceOut;
  static constexpr auto fields =
      fields_of(field("strategy", &T::strategy, "How the summary was made."),
                field("model", &T::model, "Language model that wrote it; empty: none, it quotes."),
                field("inputs", &T::inputs, "What it was made from."),
                field("cached", &T::cached, "The model was not asked again."),
                field("model_requests", &T::model_requests, "Asked of the model for this answer."));
};
template <>
struct Describe<tools::SessionSummaryAnswer> {
  using T = tools::SessionSummaryAnswer;
  static constexpr auto fields = join_fields(
      Describe<tools::Answer>::head,
      fields_of(
          field("session_id", &T::session_id, "Session."), field("session_name", &T::session_name, "Title."),
          field("platform", &T::platform, "Agent."), field("project", &T::project, "Project."),
          field("data_completeness", &T::data_completeness, "full, partial, metadata_only or unknown."),
          field("outcome", &T::outcome, "success, fail, abandoned or unknown, judged by its end."),
          field("outcome_reasons", &T::outcome_reasons, "Signs at its end: those for the outcome first, then others."),
          field("time_range", &T::time_range, "From the first to the last exchange summarized."),
          field("total_exchanges", &T::total_exchanges, "Of the session."),
          field("summary", &T::summary, "What was asked, done and found."),
          field("source_tokens", &T::source_tokens, "Tokens of what was summarized."),
          field("summary_tokens", &T::summary_tokens, "Tokens of the summary."),
          field("chunks", &T::chunks, "Parts that can be opened, in order."),
          field("chunks_total", &T::chunks_total, "Parts there are."),
          field("topics", &T::topics, "What it was about."),
          field("key_decisions", &T::key_decisions, "What was settled, by whom, the latest first."),
          field("key_decisions_total", &T::key_decisions_total, "Decisions there are."),
          field("files_modified", &T::files_modified, "What was changed, most changed first."),
          field("files_modified_total", &T::files_modified_total, "Files there are."),
          field("commits", &T::commits, "Commits made, newest first."),
          field("commits_total", &T::commits_total, "Commits there are."),
          field("pull_requests", &T::pull_requests, "Pull requests the session opened or was linked to, newest first."),
          field("pull_requests_total", &T::pull_requests_total, "Pull requests there are."),
          field("observation_counts", &T::observation_counts, "Type to the number of observations of it."),
          field("open_ends", &T::open_ends, "What the end left open."),
          field("provenance", &T::provenance, "Where the summary comes from."),
          field("more", &T::more, "The call that opens more.")),
      Describe<tools::SessionFactsOut>::fields, Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
