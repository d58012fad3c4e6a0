// What the assembler notes as worth remembering of a session.
#include "schemas/json_writer.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/text/plain_text.hpp"
#include "store/write/assembler.hpp"
#include "store/write/exchange_text.hpp"

#include <algorithm>
#include <utility>

namespace memd::assembly {
namespace {

constexpr std::size_t kAssemblerObservationsSummaryBytes = 160;
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
  o.summary = first_line(content, kAssemblerObservationsSummaryBytes);
  o.content = std::move(content);
  return o;
}

}  // namespace

void Assembler::note_observations(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  const auto& [decisions, observations] = context.notes.of(e);
  for (const std::string& decision : decisions) {
    const std::int64_t decision_seq = s.next_seq;
    insert_derived(s, e, seq, EventKind::decision, decision, 0, 0, context);
    observations_.save(observation_of(s, e, decision_seq, ObservationType::decision, decision));
  }
  for (const FoundObservation& found : observations) {
    if (needs_changed_files(found.type) && !has_changed_files(s.draft)) continue;
    // "Replaced A with B instead of …" is a decision and no more.
    const std::uint64_t words = words_hash(found.content);
    const bool decided =
        std::any_of(decisions.begin(), decisions.end(), [&](const std::string& d) { return words_hash(d) == words; });
    if (!decided) observations_.save(observation_of(s, e, seq, found.type, found.content));
  }
}

void Assembler::note_rules(SessionWork& s, const Event& e, std::int64_t seq) {
  if (e.origin != Origin::typed && e.origin != Origin::queued && e.origin != Origin::embedded) return;
  for (FoundObservation& found : find_rules(e.text))
    observations_.save(observation_of(s, e, seq, found.type, std::move(found.content)));
}

// A call that failed works after edits: that is how an error was solved, or a test made to pass.
void Assembler::note_recovery(SessionWork& s, const Event& result, std::int64_t seq, const OpenCall& call) {
  if (result.is_error || call.input_hash == 0 || !s.has_draft || !s.draft.failed_inputs.contains(call.input_hash))
    return;
  events_.write();
  const auto edited = observations_.edits_since_failure(s.pk, s.draft.first_seq, call.seq, call.input_hash);
  if (edited.empty()) return;
  Observation o =
      observation_of(s, result, seq, call.is_test ? ObservationType::success : ObservationType::solution,
                     first_line(call.summary, kAssemblerObservationsSummaryBytes) +
                         (call.is_test ? " passes after edits to " : " works after edits to ") + named(edited));
  o.tool = call.tool;
  o.metadata = files_metadata(edited);
  observations_.save(o);
}

}  // namespace memd::assembly
