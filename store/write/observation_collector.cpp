#include "store/write/observation_collector.hpp"

#include "schemas/hash.hpp"
#include "schemas/json_writer.hpp"
#include "schemas/sql_text.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/text/plain_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace memd::assembly {
namespace {

constexpr std::size_t kObservationBytes = 160;
constexpr std::size_t kNamedFiles = 4;
constexpr int kDecisionsLookedAt = 200;  // of a session, for the one that is taken back

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
  w.key("files");
  w.begin_array();
  for (const std::string& path : paths)
    w.string(path);
  w.end_array();
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
  o.summary = first_line(content, kObservationBytes);
  o.content = std::move(content);
  return o;
}

}  // namespace

BatchNotes::BatchNotes(const EventBatch& batch) {
  for (const Event& e : batch.events) {
    if (e.kind != EventKind::assistant_msg || e.text.empty()) continue;
    EventNotes notes{find_decisions(e.text), find_observations(e.text)};
    if (notes.decisions.empty() && notes.observations.empty()) continue;
    notes_.try_emplace(e.event_id, std::move(notes));
  }
}

const EventNotes& BatchNotes::of(const Event& event) const {
  static const EventNotes kNothing;
  const auto it = notes_.find(event.event_id);
  return it == notes_.end() ? kNothing : it->second;
}

void ObservationCollector::note_prompt(const SessionWork& s, const Event& e, std::int64_t seq,
                                       std::string_view offered) {
  if (e.origin == Origin::plan) return save_decision(s, e, seq, accepted_plan(e.text));
  if (e.origin != Origin::typed && e.origin != Origin::queued && e.origin != Origin::embedded) return;
  for (FoundObservation& found : find_rules(e.text))
    save(observation_of(s, e, seq, found.type, std::move(found.content)));
  for (const Decision& decision : find_decisions_of_person(e.text, offered))
    save_decision(s, e, seq, decision);
}

void ObservationCollector::note_choice(const SessionWork& s, const Event& e, std::int64_t seq) {
  if (e.origin != Origin::embedded || !s.has_draft) return;  // an imported one that memd drew from a text
  for (const Decision& decision : read_choices(e.text))
    save_decision(s, e, seq, decision);
}

void ObservationCollector::note_answer(SessionWork& s, const Event& e, std::int64_t seq, AssemblyContext& context) {
  const auto& [decisions, observations] = context.notes.of(e);
  for (const Decision& decision : decisions) {
    const std::int64_t decision_seq = s.next_seq;
    events_.derive(s, e, seq, {.kind = EventKind::decision, .summary = decision.sentence}, context);
    save_decision(s, e, decision_seq, decision);
  }
  for (const FoundObservation& found : observations) {
    if (needs_changed_files(found.type) && !has_changed_files(s.draft)) continue;
    // "Replaced A with B instead of …" is a decision and no more.
    const std::uint64_t words = words_hash(found.content);
    const bool decided = std::any_of(decisions.begin(), decisions.end(),
                                     [&](const Decision& d) { return words_hash(d.sentence) == words; });
    if (!decided) save(observation_of(s, e, seq, found.type, found.content));
  }
}

void ObservationCollector::note_result(const SessionWork& s, const Event& result, std::int64_t seq,
                                       const OpenCall& call) {
  if (result.is_error || call.input_hash == 0 || !s.has_draft || !s.draft.failed_inputs.contains(call.input_hash))
    return;
  rows_.write();
  const auto edited = edits_since_failure(s.pk, s.draft.first_seq, call.seq, call.input_hash);
  if (edited.empty()) return;
  Observation o =
      observation_of(s, result, seq, call.is_test ? ObservationType::success : ObservationType::solution,
                     first_line(call.summary, kObservationBytes) +
                         (call.is_test ? " passes after edits to " : " works after edits to ") + named(edited));
  o.tool = call.tool;
  o.metadata = files_metadata(edited);
  save(o);
}

bool ObservationCollector::save(const Observation& o) {
  db_.prepare(
         "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, tool,"
         " metadata, content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?) ON CONFLICT DO NOTHING")
      .bind(o.session_pk, o.exchange_number, o.event_seq, o.time, to_string(o.type), o.summary, o.content, o.tool,
            o.metadata, as_sql(words_hash(o.content)))
      .run();
  return db_.changes() > 0;
}

void ObservationCollector::save_decision(const SessionWork& s, const Event& e, std::int64_t seq, const Decision& d) {
  if (d.sentence.empty() || !save(observation_of(s, e, seq, ObservationType::decision, d.sentence))) return;
  const std::int64_t pk = db_.last_insert_rowid();
  db_.prepare(
         "INSERT INTO decisions (observation_pk, kind, decided_by, chosen, rejected, reason) VALUES (?, ?, ?, ?, ?, ?)")
      .bind(pk, static_cast<int>(d.kind), static_cast<int>(d.by), d.chosen, d.rejected, d.reason)
      .run();
  if (d.kind == DecisionKind::reversal || !d.rejected.empty()) mark_reversed(s.pk, pk, d);
}

void ObservationCollector::mark_reversed(std::int64_t session_pk, std::int64_t pk, const Decision& later) {
  auto& q = db_.prepare(
      "SELECT o.observation_pk, o.content, d.chosen FROM observations o JOIN decisions d USING (observation_pk)"
      " WHERE o.session_pk = ?1 AND o.type = ?2 AND o.observation_pk <> ?3 AND d.reversed_by IS NULL"
      " ORDER BY o.event_seq DESC, o.observation_pk DESC LIMIT ?4");
  q.bind(session_pk, to_string(ObservationType::decision), pk, kDecisionsLookedAt);
  std::optional<std::int64_t> found;
  while (!found && q.step()) {
    Decision earlier;
    earlier.sentence = q.str(1);
    earlier.chosen = q.str(2);
    if (reverses(later, earlier)) found = q.int64(0);
  }
  q.reset();
  if (found) db_.prepare("UPDATE decisions SET reversed_by = ? WHERE observation_pk = ?").bind(pk, *found).run();
}

std::vector<std::string> ObservationCollector::edits_since_failure(std::int64_t session_pk, std::int64_t first_seq,
                                                                   std::int64_t call_seq, std::uint64_t input_hash) {
  auto& last =
      db_.prepare(sql_text("SELECT r.seq, r.flags FROM events c JOIN events r ON r.session_pk = c.session_pk"
                           " AND r.seq = c.pair_seq WHERE c.session_pk = ?1 AND c.seq >= ?2 AND c.seq < ?3"
                           " AND c.kind = EventKind::tool_call AND c.input_hash = ?4 ORDER BY c.seq DESC LIMIT 1"));
  last.bind(session_pk, first_seq, call_seq, as_sql(input_hash));
  std::optional<std::int64_t> failed_at;
  if (last.step() && (static_cast<std::uint32_t>(last.int64(1)) & kFlagError) != 0) failed_at = last.int64(0);
  last.reset();
  std::vector<std::string> paths;
  if (!failed_at) return paths;
  auto& q =
      db_.prepare(sql_text("SELECT DISTINCT p.path FROM events e JOIN paths p ON p.path_pk = e.path_pk"
                           " WHERE e.session_pk = ?1 AND e.seq > ?2 AND e.seq < ?3 AND e.kind = EventKind::edit"
                           " AND e.flags & kFlagPlanned = 0 ORDER BY p.path"));
  q.bind(session_pk, *failed_at, call_seq);
  while (q.step())
    paths.push_back(q.str(0));
  q.reset();
  return paths;
}

}  // namespace memd::assembly
