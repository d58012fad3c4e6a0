#include "daemon/interchange/session_walk.hpp"

#include "adapters/adapter.hpp"
#include "adapters/events_v1/line_ids.hpp"
#include "adapters/events_v1/line_writer.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_contents.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace memd::interchange {
namespace {

constexpr std::string_view kBetween = "\n\n";

// Returns the length in bytes of the first text in `rest` if its row counts `tokens`; npos when no cut fits.
std::size_t piece_length(std::string_view rest, std::int64_t tokens) {
  const auto most = static_cast<std::size_t>(tokens * 4);
  for (std::size_t n = most < 3 ? 0 : most - 3; n <= most && n <= rest.size(); ++n)
    if (n == rest.size() || rest.substr(n, kBetween.size()) == kBetween) return n;
  return std::string_view::npos;
}

// Texts of messages whose records are gone, recovered from the exchanges of the session. An exchange keeps the
// assistant's texts in one column and the interventions in another, joined by empty lines. The token counts of the
// events give the end of each text to within four bytes, the empty lines the exact position. Owns its texts; one
// thread.
class KeptTexts {
 public:
  KeptTexts(const StoredSession& session, const std::vector<ExchangeRow>& exchanges);
  // nullptr: the exchanges have no text of that event.
  const std::string* find(std::int64_t seq) const;

 private:
  void split(std::string_view column, const std::vector<const EventRow*>& messages);

  std::map<std::int64_t, std::string> by_seq_;
};

KeptTexts::KeptTexts(const StoredSession& session, const std::vector<ExchangeRow>& exchanges) {
  const bool own_words_only = session.facts.kind == SessionKind::main;
  auto event = session.events.begin();
  for (const ExchangeRow& exchange : exchanges) {
    while (event != session.events.end() && event->seq < exchange.first_seq)
      ++event;
    std::vector<const EventRow*> answers;
    std::vector<const EventRow*> interventions;
    for (; event != session.events.end() && event->seq <= exchange.last_seq; ++event) {
      const bool words = event->kind == EventKind::user_msg || event->kind == EventKind::human_intervention;
      const bool sidechain = (event->flags & kFlagSidechain) != 0;
      if (event->kind == EventKind::user_msg && event->seq == exchange.first_seq)
        by_seq_[event->seq] = exchange.user_message;
      else if (words && !sidechain && (event->flags & kFlagSuperseded) == 0)
        interventions.push_back(&*event);
      else if (event->kind == EventKind::assistant_msg && !(own_words_only && sidechain) &&
               (event->flags & kFlagSuperseded) == 0)
        answers.push_back(&*event);
    }
    split(exchange.assistant_response, answers);
    split(exchange.interventions, interventions);
  }
}

void KeptTexts::split(std::string_view rest, const std::vector<const EventRow*>& messages) {
  for (const EventRow* message : messages) {
    const std::size_t n = piece_length(rest, message->tokens);
    if (n == std::string_view::npos) {  // truncated, or masked after it was counted: this message gets the rest
      by_seq_[message->seq] = rest;
      return;
    }
    by_seq_[message->seq] = rest.substr(0, n);
    rest.remove_prefix(std::min(n + kBetween.size(), rest.size()));
  }
}

const std::string* KeptTexts::find(std::int64_t seq) const {
  const auto it = by_seq_.find(seq);
  return it == by_seq_.end() ? nullptr : &it->second;
}

// Masks names in rows written before the store masked them.
void mask_names(Event& e) {
  for (auto* text : {&e.tool, &e.cwd, &e.git_branch, &e.model})
    redact(*text);
  for (auto& file : e.files)
    redact(file.path);
}

std::string call_name(std::uint64_t call_key) { return "call/" + std::to_string(call_key); }

class SessionWalk {
 public:
  SessionWalk(Reader& reader, RecordFinder& records, StoredSession session, SessionVisitor& visitor)
      : reader_(reader), records_(records), session_(std::move(session)), visitor_(visitor) {}

  Result<ExportReport> run(const WalkProgress& progress, EventRange range) {
    as_it_came_ = visitor_.wants_lines() && came_as_lines();
    if (!as_it_came_) MEMD_TRY(tell_facts());
    double total = 0;
    for (const auto& e : session_.events)
      total += e.raw.length;
    double done = 0;
    for (const auto& e : session_.events) {
      if (e.seq >= range.from && e.seq < range.until) MEMD_TRY(tell(e));
      done += e.raw.length;
      if (progress) progress(done, total);
    }
    MEMD_TRY(visitor_.end(report_));
    return report_;
  }

 private:
  // Returns whether the session came from another program's events.v1 log and the line of its first event is still
  // available.
  bool came_as_lines() {
    if (!events_v1::is_of_events_v1(session_.facts.platform)) return false;
    const auto first = std::find_if(session_.events.begin(), session_.events.end(),
                                    [](const EventRow& e) { return (e.flags & kFlagDerived) == 0; });
    return first != session_.events.end() && line_of(*first).has_value();
  }

  // Returns the line from which the event was read, with secrets masked; nullopt: it is gone, or memd wrote it.
  std::optional<std::string> line_of(const EventRow& row) {
    if (decoded(row) == nullptr || !events_v1::is_of_events_v1(session_.sources.at(row.source).platform))
      return std::nullopt;
    std::string line = record_bytes_.substr(0, record_bytes_.size() - kRecordPadding);
    if (events_v1::is_event_line(line)) return std::nullopt;
    mask_record(line);
    return line;
  }

  // Passes the facts on without those that events state themselves: an import would take them for changes.
  Result<void> tell_facts() {
    SessionUpdate facts = session_.facts;
    for (const auto& row : session_.events) {
      if (!facts.has_context()) break;
      if (const Event* e = decoded(row)) facts.leave_out(*e);
    }
    for (auto* text :
         {&facts.title, &facts.description, &facts.agent_name, &facts.cwd, &facts.git_branch, &facts.model})
      redact(*text);
    return visitor_.begin(facts, session_);
  }

  Result<void> tell(const EventRow& row) {
    ++report_.events;
    WalkedEvent walked;
    walked.seq = row.seq;
    walked.flags = row.flags;
    if ((row.flags & kFlagDerived) != 0) {
      ++report_.derived;
      if (as_it_came_) return {};
      walked.derived_from = event_id_at(row.parent_seq.value_or(row.seq)).value_or(row.event_id);
      return visitor_.event(from_row(row), walked);
    }
    if (as_it_came_) {
      // The events of one line are consecutive: pass the line on once.
      const bool told = line_source_ == row.source && line_offset_ == row.raw.offset;
      if (told) return {};
      if (const auto line = line_of(row)) {
        line_source_ = row.source;
        line_offset_ = row.raw.offset;
        return visitor_.line(*line);
      }
    }
    const Event* e = decoded(row);
    if (e == nullptr) {
      ++report_.partial;
      walked.partial = true;
      return visitor_.event(from_row(row), walked);
    }
    Event whole = *e;
    if (whole.time == 0 || (whole.time_estimated && row.time != 0)) {
      // The record may be found where it was written again later.
      whole.time = row.time;
      whole.time_estimated = row.time != 0;
    }
    whole.session_uid = session_.facts.session_uid;
    whole.parent_id = parent_of(row);
    mask_names(whole);
    walked.told_response = whole.response_key;
    if (!session_.responses.contains(whole.response_key))
      whole.response_key = 0;  // its tokens are counted in another session
    const std::optional<std::string> text = full_text(row, whole);
    if (text) walked.full_text = *text;
    return visitor_.event(whole, walked);
  }

  // Returns the event of the row, decoded again from its record, with secrets masked; null when the record is gone.
  // Valid until the next call.
  const Event* decoded(const EventRow& row) {
    if (row.source == 0) return nullptr;
    const RawRef& raw = row.raw;
    if (source_ != row.source || record_.offset != raw.offset || record_.length != raw.length) {
      source_ = row.source;
      record_ = raw;
      decode(row);
    }
    for (const Event& e : batch_.events)
      if (e.event_id == row.event_id) return &e;
    return nullptr;
  }

  void decode(const EventRow& row) {
    batch_.clear();
    record_bytes_.clear();
    Source source = session_.sources.at(row.source);
    const Adapter* adapter = find_adapter(source.platform);
    if (adapter == nullptr) return;
    if (source.format != SourceFormat::jsonl) source.session_uid = session_.facts.session_uid;
    if (decoder_source_ != source.id) {
      decoder_ = adapter->open(source);
      decoder_source_ = source.id;
    }
    const auto has_it = [&](std::string_view record) {
      batch_.clear();
      decoder_->decode({record, row.raw.offset, false}, batch_);
      const bool found = std::any_of(batch_.events.begin(), batch_.events.end(),
                                     [&](const Event& e) { return e.event_id == row.event_id; });
      if (found) record_bytes_.assign(record.data(), record.size() + kRecordPadding);
      return found;
    };
    if (!records_.find(place_of(row), has_it, &items_read_)) return batch_.clear();
    mask_secrets(batch_);
  }

  EventSource place_of(const EventRow& row) {
    const Source& source = session_.sources.at(row.source);
    EventSource where{source, source.state, source.id, row.raw, {}};
    where.session_uid = session_.facts.session_uid;
    if (source.format == SourceFormat::jsonl) return where;
    const auto [it, fresh] = items_.try_emplace(source.id);
    if (fresh)
      if (auto items = reader_.ask(SessionItemsQuery{source.platform, source.path, where.session_uid}))
        it->second = std::move(*items);
    if (row.raw.offset > 0 && row.raw.offset <= it->second.added.size())
      where.item_key = it->second.added[row.raw.offset - 1].key;
    return where;
  }

  // Returns the whole text of an event whose text the decoder truncates; nullopt: no more than the event has.
  std::optional<std::string> full_text(const EventRow& row, const Event& e) const {
    const bool bounded = e.kind == EventKind::tool_call || e.kind == EventKind::tool_result ||
                         (e.kind == EventKind::lifecycle && e.text.size() + 4 > kResultTextLimit);
    if (!bounded) return std::nullopt;
    const Source& source = session_.sources.at(row.source);
    const auto text_of_record = [&]() -> std::optional<std::string> {
      // The text may have been moved to a file beside the log.
      if (source.format == SourceFormat::jsonl)
        if (auto whole = read_event_text(source.platform, source.path, e.kind, row.raw))
          return records_.without_forgotten(std::move(*whole));
      const auto record = std::string_view(record_bytes_).substr(0, record_bytes_.size() - kRecordPadding);
      return find_adapter(source.platform)->event_text(record, e.kind, row.raw.block);
    };
    auto text = text_of_record();
    if (!text) return std::nullopt;
    redact(*text);
    if (e.text.empty() && *text == e.summary) return std::nullopt;  // it has no text; its summary was read instead
    return text;
  }

  Event from_row(const EventRow& row) {
    Event e;
    static_cast<EventHead&>(e) = row;
    e.raw = {};
    e.session_uid = session_.facts.session_uid;
    e.time = row.time;
    e.summary = row.summary;
    if (row.call_key != 0) e.call_id = call_name(row.call_key);
    const bool message = row.kind == EventKind::user_msg || row.kind == EventKind::human_intervention;
    if (!message) e.input_hash = row.input_hash;
    if (!row.path.empty())
      e.files.push_back({row.path, (row.flags & kFlagModifies) != 0 || row.kind == EventKind::edit
                                       ? FileAccess::modified
                                       : FileAccess::referenced});
    if (const auto facts = session_.tool_facts.find(row.seq); facts != session_.tool_facts.end())
      e.facts = facts->second;
    e.is_error = row.is_error();
    e.is_sidechain = row.has(kFlagSidechain);
    e.is_test = row.has(kFlagTest);
    e.starts_exchange = row.has(kFlagStartsExchange);
    e.time_estimated = row.has(kFlagTimeEstimated);
    e.is_echo = row.has(kFlagEcho);
    if (row.kind == EventKind::lifecycle) {
      const auto colon = row.summary.find(": ");
      e.lifecycle = row.summary.substr(0, colon);
      e.summary = colon == std::string::npos ? std::string() : row.summary.substr(colon + 2);
    }
    if ((row.flags & kFlagDerived) != 0) return e;
    e.parent_id = parent_of(row);
    if (const std::string* kept = kept_text(row.seq)) {
      e.text = *kept;
      e.summary.clear();
    } else if (row.kind == EventKind::tool_call) {
      e.search_text = row.summary;
    } else if (row.kind != EventKind::lifecycle) {
      std::swap(e.text, e.summary);
    }
    mask_names(e);
    return e;
  }

  // Returns the parent as the store resolved it: the record may name one without an event.
  std::optional<std::uint64_t> parent_of(const EventRow& row) const {
    if ((row.flags & kFlagRoot) != 0) return 0;
    return row.parent_seq ? event_id_at(*row.parent_seq) : std::nullopt;
  }

  const std::string* kept_text(std::int64_t seq) {
    if (!kept_) {
      const auto exchanges = reader_.ask(ExchangeRangeQuery{session_.pk, 0, std::numeric_limits<std::int64_t>::max()});
      kept_.emplace(session_, exchanges ? *exchanges : std::vector<ExchangeRow>());
    }
    return kept_->find(seq);
  }

  std::optional<std::uint64_t> event_id_at(std::int64_t seq) const {
    const auto it = std::lower_bound(session_.events.begin(), session_.events.end(), seq,
                                     [](const EventRow& e, std::int64_t wanted) { return e.seq < wanted; });
    if (it == session_.events.end() || it->seq != seq) return std::nullopt;
    return it->event_id;
  }

  Reader& reader_;
  RecordFinder& records_;
  ItemWalk items_read_;
  const StoredSession session_;
  SessionVisitor& visitor_;
  ExportReport report_;
  std::optional<KeptTexts> kept_;
  bool as_it_came_ = false;
  SourceId line_source_ = 0;  // line passed on last
  std::uint64_t line_offset_ = 0;

  // The record decoded last, kept because consecutive events often share it.
  SourceId source_ = 0;
  RawRef record_;
  std::string record_bytes_;  // with padding
  EventBatch batch_;
  SourceId decoder_source_ = 0;
  std::unique_ptr<RecordDecoder> decoder_;
  std::map<SourceId, SessionItems> items_;  // for sources that are changed in place
};

// Writes events and lines as events.v1.
class EventLines final : public SessionVisitor {
 public:
  EventLines(const ExportSink& sink, AsOf as_of) : sink_(sink), as_of_(as_of) {}
  Result<void> begin(const SessionUpdate& facts, const StoredSession& session) override {
    SessionUpdate whole = facts;
    if (session.events.empty()) static_cast<WorkContext&>(whole) = {};
    const SessionRow& row = session.row;
    SessionRecord& record = whole.record.emplace();
    record.state = row.life.state(as_of_.now, as_of_.stopped_after);
    record.stopped_at = row.end_time(as_of_.now, as_of_.stopped_after);
    static_cast<SessionConclusions&>(record) = row;
    static_cast<WorkContext&>(record) = row;
    record.leave_out(whole);
    record.digest = session.digest;
    if (session.events.empty())
      for (const auto& [key, response] : session.responses)
        record.responses.push_back(response);
    std::ranges::sort(record.responses, {}, [](const RecordedResponse& r) { return std::pair(r.time, r.key); });
    mask(record);
    undated_ = facts.started_at != 0 ? facts.started_at : record.watermarks.discovered_at;
    return sink_.line(events_v1::session_line(whole, undated_));
  }
  Result<void> event(const Event& event, const WalkedEvent& walked) override {
    const events_v1::LineDetail detail{walked.full_text, walked.derived_from, walked.partial};
    if (event.time != 0) return sink_.line(events_v1::event_line(event, detail));
    Event dated = event;
    dated.time = undated_;
    dated.time_estimated = true;
    return sink_.line(events_v1::event_line(dated, detail));
  }
  bool wants_lines() const override { return sink_.as_it_came; }
  Result<void> line(std::string_view line) override { return sink_.line(line); }
  Result<void> end(const ExportReport&) override { return {}; }

 private:
  // Rows may date from before the store masked them.
  static void mask(SessionRecord& record) {
    for (auto* text : {&record.cwd, &record.git_branch, &record.model})
      redact(*text);
    if (!record.digest) return;
    for (auto* text : {&record.digest->request, &record.digest->result, &record.digest->abstract})
      redact(*text);
    for (auto& error : record.digest->errors)
      redact(error.text);
  }

  const ExportSink& sink_;
  const AsOf as_of_;
  TimeMs undated_ = 0;  // for events of a session without any time: when memd found it
};

}  // namespace

Result<ExportReport> walk_session(Reader& reader, RecordFinder& records, std::int64_t session_pk,
                                  SessionVisitor& visitor, const WalkProgress& progress, EventRange range) {
  MEMD_TRY_ASSIGN(StoredSession session, reader.ask(StoredSessionQuery{session_pk}));
  return SessionWalk(reader, records, std::move(session), visitor).run(progress, range);
}

Result<ExportReport> export_session(Reader& reader, RecordFinder& records, std::int64_t session_pk, AsOf as_of,
                                    const ExportSink& sink) {
  EventLines lines(sink, as_of);
  return walk_session(reader, records, session_pk, lines, sink.progress, sink.range);
}

}  // namespace memd::interchange
