#include "store/reader.hpp"

#include "schemas/ids.hpp"
#include "schemas/migrations.hpp"
#include "store/enrich/enrichment_queue.hpp"
#include "store/enrich/enrichment_target.hpp"
#include "store/read/coverage.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/ingestion_log.hpp"
#include "store/read/projects.hpp"
#include "store/read/session_digest.hpp"
#include "store/read/session_past.hpp"
#include "store/read/sessions.hpp"
#include "store/read/source_items.hpp"
#include "store/read/stored_session.hpp"
#include "store/read/timeline.hpp"
#include "store/read/topic_index.hpp"
#include "store/read/totals.hpp"
#include "store/reader_connection.hpp"
#include "store/report/report.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

namespace memd {
namespace {

// nullopt when there is no such file.
std::optional<ReaderFileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat st {};
  if (::stat(file.c_str(), &st) == 0) return ReaderFileIdentity{st.st_dev, st.st_ino};
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw ErrorException(Error::from_errno(errno, "stat", file.string()));
}

}  // namespace

Reader::Reader(std::filesystem::path database, std::shared_ptr<search::SemanticIndex> semantic,
               std::shared_ptr<search::DocumentLengths> lengths)
    : database_(std::move(database)), semantic_(std::move(semantic)), lengths_(std::move(lengths)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

void Reader::watch(std::stop_token token) {
  stop_ = std::move(token);
  if (connection_) connection_->db.watch(stop_);
}

// False: there is no store.
bool Reader::connect() {
  const auto identity = identity_of(database_);
  if (connection_ && identity != connection_->identity) {  // deleted or replaced under us
    connection_.reset();
    if (lengths_) lengths_->clear();
  }
  if (connection_) return true;
  if (!identity) return false;
  auto fresh = std::make_unique<Connection>(database_, *identity);
  const auto version = fresh->db.pragma("user_version");
  if (version == 0) return false;  // the writer has made the file and not yet its tables
  const auto known = static_cast<std::int64_t>(migrations().size());
  if (version != known)
    throw ErrorException(
        Error(Errc::store_version,
              "the store has schema version " + std::to_string(version) + ", this memd reads version " +
                  std::to_string(known) +
                  (version > known ? ": install the newer memd" : ": start the daemon, it upgrades the store")));
  if (stop_.stop_possible()) fresh->db.watch(stop_);
  fresh->search = std::make_unique<search::HybridSearch>(fresh->db);
  connection_ = std::move(fresh);
  return true;
}

// For single things: `f` gives an optional.
template <class T, class F>
Result<T> Reader::find(std::string_view what, F&& f) {
  auto found = ask(std::optional<T>(), std::forward<F>(f));
  if (!found) return std::move(found).error();
  if (!*found) return Error(Errc::not_found, "there is no " + std::string(what));
  return std::move(**found);
}

Result<SessionList> Reader::sessions(const SessionListQuery& query) {
  return ask(SessionList(), [&](Connection& c) { return queries::list_sessions(c.db, query); });
}

Result<SessionRow> Reader::session(std::string_view reference, std::string_view project) {
  return find<SessionRow>("session yet: nothing has been read", [&](Connection& c) {
    return std::optional(queries::session_by_pk(c.db, queries::resolve_session(c.db, reference, project)));
  });
}

Result<std::string> Reader::unknown_project(std::string_view part) {
  return ask(std::string(), [&](Connection& c) { return queries::unknown_project(c.db, part); });
}

Result<std::vector<SessionRow>> Reader::subagents(std::string_view session_uid) {
  return ask(std::vector<SessionRow>(), [&](Connection& c) { return queries::subagents_of(c.db, session_uid); });
}

Result<ExchangeRow> Reader::exchange(ExchangeId id) {
  return find<ExchangeRow>("exchange " + format_exchange_id(id),
                           [&](Connection& c) { return queries::exchange_by_id(c.db, id); });
}

Result<std::vector<ExchangeRow>> Reader::exchanges(std::span<const ExchangeId> ids) {
  return ask(std::vector<ExchangeRow>(), [&](Connection& c) { return queries::exchanges_by_id(c.db, ids); });
}

Result<std::vector<ExchangeRow>> Reader::last_exchanges(std::int64_t session_pk, int count) {
  return ask(std::vector<ExchangeRow>(),
             [&](Connection& c) { return queries::last_exchanges(c.db, session_pk, count); });
}

Result<std::vector<ExchangeRow>> Reader::exchange_range(std::int64_t session_pk, std::int64_t first_number,
                                                        std::int64_t last_number) {
  return ask(std::vector<ExchangeRow>(),
             [&](Connection& c) { return queries::exchange_range(c.db, session_pk, first_number, last_number); });
}

Result<std::vector<ExchangeRow>> Reader::exchanges_around(std::int64_t session_pk, std::int64_t number, int before,
                                                          int after) {
  return exchange_range(session_pk, number - std::max(before, 0), number + std::max(after, 0));
}

Result<std::vector<ExchangeFile>> Reader::files(std::int64_t session_pk, std::int64_t exchange_number) {
  return ask(std::vector<ExchangeFile>(),
             [&](Connection& c) { return queries::exchange_files(c.db, session_pk, exchange_number); });
}

Result<SessionDigest> Reader::session_digest(std::int64_t session_pk, std::int64_t first_number,
                                             std::int64_t last_number) {
  return ask(SessionDigest(),
             [&](Connection& c) { return queries::session_digest(c.db, session_pk, first_number, last_number); });
}

Result<std::vector<EventRow>> Reader::events(std::int64_t session_pk, std::int64_t first_seq, std::int64_t last_seq,
                                             int limit) {
  return ask(std::vector<EventRow>(),
             [&](Connection& c) { return queries::events(c.db, session_pk, first_seq, last_seq, limit); });
}

Result<EventSource> Reader::event_source(std::int64_t session_pk, std::int64_t seq) {
  return find<EventSource>("source record of event " + std::to_string(seq),
                           [&](Connection& c) { return queries::event_source(c.db, session_pk, seq); });
}

Result<continuity::SessionPast> Reader::session_past(std::int64_t session_pk,
                                                     const continuity::BoundaryChoice& choice) {
  return ask(continuity::SessionPast(), [&](Connection& c) { return continuity::load_past(c.db, session_pk, choice); });
}

Result<StoredSession> Reader::stored_session(std::int64_t session_pk) {
  return find<StoredSession>("such session",
                             [&](Connection& c) { return std::optional(queries::stored_session(c.db, session_pk)); });
}

Result<Timeline> Reader::timeline(const TimelineQuery& query) {
  return ask(Timeline(), [&](Connection& c) { return queries::timeline(c.db, c.days, query); });
}

Result<Report> Reader::report(const ReportQuery& query, const ReportProgress& progress) {
  return ask(Report(), [&](Connection& c) { return report::make_report(c.db, query, progress); });
}

Result<std::vector<PendingExchange>> Reader::pending_enrichment(unsigned missing, int limit) {
  return ask(std::vector<PendingExchange>(), [&](Connection& c) { return enrichment::pending(c.db, missing, limit); });
}

Result<EnrichmentBacklog> Reader::enrichment_backlog() {
  return ask(EnrichmentBacklog(), [](Connection& c) { return enrichment::backlog(c.db); });
}

Result<EmbeddingModels> Reader::embedding_models() {
  return ask(EmbeddingModels(), [](Connection& c) { return enrichment::models(c.db); });
}

Result<search::SemanticState> Reader::semantic_state() {
  return ask(search::SemanticState(),
             [&](Connection& c) { return semantic_ ? semantic_->state(c.db) : search::SemanticState(); });
}

Result<std::vector<ExchangeVectors>> Reader::exchange_vectors(std::span<const ExchangeId> ids, std::string_view model) {
  return ask(std::vector<ExchangeVectors>(ids.size()),
             [&](Connection& c) { return enrichment::stored_vectors(c.db, ids, model); });
}

Result<SearchAnswer> Reader::search(const SearchQuery& query, const std::function<void()>& embedded) {
  // The question is embedded first: a provider may take its time, and no snapshot is to wait for it.
  search::SemanticQuestion question;
  if (query.mode != SearchMode::lexical && !semantic_) question.trouble = "no embedding model is at work here";
  if (const std::string text = search::question_of(query.text);
      query.mode != SearchMode::lexical && semantic_ && !text.empty()) {
    auto vector = semantic_->embed(text, stop_);
    if (!vector && vector.error().code == Errc::cancelled) return std::move(vector).error();
    question.index = semantic_.get();
    if (!vector)
      question.trouble = vector.error().message();
    else if (vector->vector.empty())
      question.trouble = "the model knows none of these words";
    else
      question.vector = std::move(*vector);
  }
  if (embedded) embedded();
  search::KnownLengths lengths(lengths_.get());
  return ask(SearchAnswer(), [&](Connection& c) {
    SearchAnswer answer = c.search->search(query, question, lengths);
    answer.left_out =
        static_cast<std::int64_t>(std::erase_if(answer.hits, [](const SearchHit& h) { return h.session_uid.empty(); }));
    return answer;
  });
}

Result<TopicList> Reader::topics(const TopicListQuery& query) {
  return ask(TopicList(), [&](Connection& c) { return topics::list(c.db, query); });
}

Result<TopicFinding> Reader::find_topic(const TopicQuestion& question) {
  return ask(TopicFinding(), [&](Connection& c) { return topics::find(c.db, question); });
}

Result<std::vector<CoverageRow>> Reader::coverage_by_source(const QueryFilter& filter) {
  return ask(std::vector<CoverageRow>(), [&](Connection& c) { return queries::coverage_by_source(c.db, filter); });
}

Result<std::vector<CoverageRow>> Reader::coverage_by_platform(const QueryFilter& filter) {
  return ask(std::vector<CoverageRow>(), [&](Connection& c) { return queries::coverage_by_platform(c.db, filter); });
}

Result<std::vector<PlatformTotals>> Reader::totals() {
  return ask(std::vector<PlatformTotals>(), [&](Connection& c) { return queries::totals(c.db); });
}

Result<std::vector<PlatformFreshness>> Reader::freshness() {
  return ask(std::vector<PlatformFreshness>(), [&](Connection& c) { return queries::freshness(c.db); });
}

Result<std::vector<PlannedDrop>> Reader::planned_drops(const RetentionPolicy& policy, TimeMs now, TimeMs until) {
  return ask(std::vector<PlannedDrop>(), [&](Connection& c) { return retention::plan(c.db, policy, now, until); });
}

Result<SessionItems> Reader::session_items(Platform platform, std::string_view source_path,
                                           std::string_view session_uid) {
  return ask(SessionItems(),
             [&](Connection& c) { return queries::session_items(c.db, platform, source_path, session_uid); });
}

Result<DiagnosticList> Reader::diagnostics(const DiagnosticQuery& query) {
  return ask(DiagnosticList(), [&](Connection& c) { return queries::diagnostics(c.db, query); });
}

Result<std::vector<IngestionLogEntry>> Reader::ingestion_log(const IngestionLogQuery& query) {
  return ask(std::vector<IngestionLogEntry>(), [&](Connection& c) { return queries::ingestion_log(c.db, query); });
}

Result<SourceHealth> Reader::source_health(int most_troubles) {
  return ask(SourceHealth(), [&](Connection& c) { return queries::source_health(c.db, most_troubles); });
}

}  // namespace memd
