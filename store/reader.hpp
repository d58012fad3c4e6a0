#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/error.hpp"
#include "schemas/file_history.hpp"
#include "schemas/ingestion_log.hpp"
#include "schemas/query.hpp"
#include "schemas/report.hpp"
#include "schemas/session_digest.hpp"
#include "schemas/source_item.hpp"
#include "schemas/stored_session.hpp"
#include "schemas/topic.hpp"
#include "store/insight/continuity/session_past.hpp"
#include "store/search/rank/semantic_index.hpp"
#include "store/write/retention/retention_plan.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace memd {

namespace search {
class DocumentLengths;
}

// All questions to the store, over one read-only connection. One thread at a time; keep it, opening costs a
// millisecond. Each call sees one snapshot: what was committed before it began, nothing later.
//
// A store that does not exist yet is an empty store: lists are empty, single things are not_found. The reader
// looks again at the start of each call, so it finds the store when it appears.
class Reader {
 public:
  // Without `semantic`, searches are by words alone. `lengths`: shared with the writer and other readers; may be null.
  explicit Reader(std::filesystem::path database, std::shared_ptr<search::SemanticIndex> semantic = {},
                  std::shared_ptr<search::DocumentLengths> lengths = {});
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // Calls running or made later end with Errc::cancelled soon after the token is triggered. A default-constructed
  // token ends the watch.
  void watch(std::stop_token token);

  // Newest first by their end.
  Result<SessionList> sessions(const SessionListQuery& query);
  // `reference`: uid, native id, a prefix of the native id (4 characters or more) that fits one session, or
  // "latest" (main session; of `project` when that is given). An error lists the candidates.
  Result<SessionRow> session(std::string_view reference, std::string_view project = {});
  // What to say when no project has `part` in its path or name: queries::unknown_project.
  Result<std::string> unknown_project(std::string_view part);
  // Subagents and workflow agents of a session, in the order they started.
  Result<std::vector<SessionRow>> subagents(std::string_view session_uid);

  Result<ExchangeRow> exchange(ExchangeId id);
  // In the order of `ids`; those that do not exist are left out.
  Result<std::vector<ExchangeRow>> exchanges(std::span<const ExchangeId> ids);
  // Of one session, always oldest first.
  Result<std::vector<ExchangeRow>> last_exchanges(std::int64_t session_pk, int count);
  Result<std::vector<ExchangeRow>> exchange_range(std::int64_t session_pk, std::int64_t first_number,
                                                  std::int64_t last_number);
  Result<std::vector<ExchangeRow>> exchanges_around(std::int64_t session_pk, std::int64_t number, int before,
                                                    int after);
  Result<std::vector<ExchangeFile>> files(std::int64_t session_pk, std::int64_t exchange_number);
  // Of the exchanges with first_number ≤ number ≤ last_number.
  Result<SessionDigest> session_digest(std::int64_t session_pk, std::int64_t first_number, std::int64_t last_number);
  // Events with first_seq ≤ seq ≤ last_seq, in order, at most `limit`.
  Result<std::vector<EventRow>> events(std::int64_t session_pk, std::int64_t first_seq, std::int64_t last_seq,
                                       int limit = 1000);
  // not_found also when the event was taken in without a place in a source.
  Result<EventSource> event_source(std::int64_t session_pk, std::int64_t seq);
  // What a session had been before a moment of it. The place of its full texts: event_source().
  Result<continuity::SessionPast> session_past(std::int64_t session_pk, const continuity::BoundaryChoice& choice);
  // Everything about one session, for its export.
  Result<StoredSession> stored_session(std::int64_t session_pk);

  // Which files a caller's words mean.
  Result<PathFinding> find_paths(std::string_view text);
  // Who touched them and why, and where each edit is recorded.
  Result<FileHistory> file_history(const FileHistoryQuery& query);
  Result<EditPlaces> edit_places(const FileHistoryQuery& query, int limit);
  // Commits that sessions tell of, by the beginning of their id (lower case) or by a longer form of it; newest first.
  Result<std::vector<CommitRow>> commits(std::string_view sha);
  Result<std::optional<CommitRow>> commit_before(const CommitRow& commit);  // in its session
  Result<std::vector<CommitCandidate>> commit_candidates(const CommitClues& clues);

  Result<Timeline> timeline(const TimelineQuery& query);
  // Reads all that the filter lets through: seconds for a hundred thousand exchanges.
  Result<Report> report(const ReportQuery& query, const ReportProgress& progress = {});
  // `embedded` is called when the question has been embedded, which may take a provider's time.
  Result<SearchAnswer> search(const SearchQuery& query, const std::function<void()>& embedded = {});
  // From the stored topics alone.
  Result<TopicList> topics(const TopicListQuery& query);
  Result<TopicFinding> find_topic(const TopicQuestion& question);

  // Exchanges with a bit of `missing`, newest first.
  Result<std::vector<PendingExchange>> pending_enrichment(unsigned missing, int limit);
  Result<EnrichmentBacklog> enrichment_backlog();
  Result<EmbeddingModels> embedding_models();
  Result<search::SemanticState> semantic_state();
  // In the order of `ids`; without chunks where there are none of this model.
  Result<std::vector<ExchangeVectors>> exchange_vectors(std::span<const ExchangeId> ids, std::string_view model);

  // The ledger: one line per source, record type, disposition and reason, or per platform (`path` empty).
  Result<std::vector<CoverageRow>> coverage_by_source(const QueryFilter& filter = {});
  Result<std::vector<CoverageRow>> coverage_by_platform(const QueryFilter& filter = {});
  // Platforms with at least one source or session, in the order of kAllPlatforms.
  Result<std::vector<PlatformTotals>> totals();
  // Behind as the store knows it (size at the last look against cursor); checked_at is 0.
  Result<std::vector<PlatformFreshness>> freshness();
  // What is remembered of a session in a source that is changed in place; nothing if there is nothing.
  Result<SessionItems> session_items(Platform platform, std::string_view source_path, std::string_view session_uid);
  Result<DiagnosticList> diagnostics(const DiagnosticQuery& query);
  Result<std::vector<IngestionLogEntry>> ingestion_log(const IngestionLogQuery& query);  // newest first
  Result<SourceHealth> source_health(int most_troubles);
  // What goes under the policy before `until`: see retention::plan().
  Result<std::vector<PlannedDrop>> planned_drops(const RetentionPolicy& policy, TimeMs now, TimeMs until);

 private:
  struct Connection;
  // Runs f(Connection&) in a read transaction; `empty` is the answer of a store that is not there.
  template <class T, class F>
  Result<T> ask(T empty, F&& f);
  template <class T, class F>
  Result<T> find(std::string_view what, F&& f);
  bool connect();

  std::filesystem::path database_;
  std::shared_ptr<search::SemanticIndex> semantic_;
  std::shared_ptr<search::DocumentLengths> lengths_;
  std::unique_ptr<Connection> connection_;  // null while there is no store
  std::stop_token stop_;
};

// Fenced code blocks of a text (``` or ~~~, any length ≥ 3), in order.
std::vector<CodeSnippet> code_snippets(std::string_view markdown);

}  // namespace memd
