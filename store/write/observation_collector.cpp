#include "store/write/observation_collector.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/sql_text.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/write/observation_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace memd::assembly {
namespace {

constexpr std::size_t kNamedFiles = 4;

bool has_changed_files(const ExchangeDraft& draft) {
  return std::any_of(draft.files.begin(), draft.files.end(),
                     [](const auto& file) { return file.first.second == FileAccess::modified; });
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string named(const std::vector<std::string>& paths) {
  std::string out;
  for (std::size_t i = 0; i < std::min(paths.size(), kNamedFiles); ++i) {
    if (i > 0) out += ", ";
    out += file_name(paths[i]);
  }
  if (paths.size() > kNamedFiles) out += " and " + std::to_string(paths.size() - kNamedFiles) + " more";
  return out;
}

std::string files_metadata(const std::vector<std::string>& paths) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member_texts("files", paths);
  w.end_object();
  return out;
}

Observation observation_of(const SessionWork& s, const Event& e, std::int64_t seq, ObservationType type,
                           std::string content) {
  Observation o;
  o.session_pk = s.pk;
  o.exchange_number = s.draft.number;
  o.event_seq = seq;
  o.time = e.time;
  o.type = type;
  o.summary = first_line(content, observations::kSummaryBytes);
  o.content = std::move(content);
  return o;
}

}  // namespace

BatchNotes::BatchNotes(EventBatch& batch) {
  mask_secrets(batch);
  for (const Event& e : batch.events) {
    if (e.kind != EventKind::assistant_msg || e.text.empty()) continue;
    if (auto found = find_observations(e.text); !found.empty()) notes_.try_emplace(e.event_id, std::move(found));
  }
}

const std::vector<FoundObservation>& BatchNotes::of(const Event& event) const {
  static const std::vector<FoundObservation> kNothing;
  const auto it = notes_.find(event.event_id);
  return it == notes_.end() ? kNothing : it->second;
}

void ObservationCollector::note_prompt(const SessionWork& s, const Event& e, std::int64_t seq,
                                       std::string_view offered) {
  if (e.origin == Origin::plan) return save_decision(s, e, seq, accepted_plan(e.text));
  if (e.origin != Origin::typed && e.origin != Origin::queued && e.origin != Origin::embedded) return;
  for (FoundObservation& found : find_rules(e.text))
    observations::save(db_, observation_of(s, e, seq, found.type, std::move(found.content)));
  if (const auto plan = plan_accepted_by(e.text, offered)) save_decision(s, e, seq, *plan);
}

void ObservationCollector::note_choice(const SessionWork& s, const Event& e, std::int64_t seq) {
  if (e.origin != Origin::embedded || !s.has_draft) return;  // memd extracted an imported choice from a text
  for (const Decision& decision : read_choices(e.text))
    save_decision(s, e, seq, decision);
}

void ObservationCollector::note_answer(const SessionWork& s, const Event& e, std::int64_t seq,
                                       const BatchNotes& notes) {
  for (const FoundObservation& found : notes.of(e))
    if (!needs_changed_files(found.type) || has_changed_files(s.draft))
      observations::save(db_, observation_of(s, e, seq, found.type, found.content));
}

void ObservationCollector::note_result(const SessionWork& s, const Event& result, std::int64_t seq,
                                       const OpenCall& call) {
  const bool works = result.facts.outcome.value_or(RunOutcome::passed) == RunOutcome::passed && !result.is_error;
  if (!works || call.input_hash == 0 || !s.has_draft || !s.draft.failed_inputs.contains(call.input_hash)) return;
  rows_.write();
  const auto edited = edits_since_failure(s.pk, s.draft.first_seq, call.seq, call.input_hash);
  if (edited.empty()) return;
  Observation o =
      observation_of(s, result, seq, call.is_test ? ObservationType::success : ObservationType::solution,
                     first_line(call.summary, observations::kSummaryBytes) +
                         (call.is_test ? " passes after edits to " : " works after edits to ") + named(edited));
  o.tool = call.tool;
  o.metadata = files_metadata(edited);
  observations::save(db_, o);
}

void ObservationCollector::save_decision(const SessionWork& s, const Event& e, std::int64_t seq, const Decision& d) {
  if (d.sentence.empty()) return;
  Observation o = observation_of(s, e, seq, ObservationType::decision, d.sentence);
  o.decision = d;
  const auto pk = observations::save(db_, o);
  if (pk && observations::may_reverse(d)) observations::mark_reversed(db_, *pk, o);
}

std::vector<std::string> ObservationCollector::edits_since_failure(std::int64_t session_pk, std::int64_t first_seq,
                                                                   std::int64_t call_seq, std::uint64_t input_hash) {
  const auto row =
      db_.query(sql_text("SELECT r.seq, r.flags FROM events c JOIN events r ON r.session_pk = c.session_pk"
                         " AND r.seq = c.pair_seq WHERE c.session_pk = ?1 AND c.seq >= ?2 AND c.seq < ?3"
                         " AND c.kind = EventKind::tool_call AND c.input_hash = ?4 ORDER BY c.seq DESC LIMIT 1"),
                session_pk, first_seq, call_seq, as_sql(input_hash))
          .row();
  std::optional<std::int64_t> failed_at;
  if ((static_cast<std::uint32_t>(row->int64(1)) & kFlagError) != 0) failed_at = row->int64(0);
  if (!failed_at) return {};
  return db_
      .query(sql_text("SELECT DISTINCT p.path FROM events e JOIN paths p ON p.path_pk = e.path_pk"
                      " WHERE e.session_pk = ?1 AND e.seq > ?2 AND e.seq < ?3 AND e.kind = EventKind::edit"
                      " AND e.flags & kFlagPlanned = 0 ORDER BY p.path"),
             session_pk, *failed_at, call_seq)
      .all(sqlite::first_text);
}

}  // namespace memd::assembly
