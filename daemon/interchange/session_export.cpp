#include "daemon/interchange/session_export.hpp"

#include "adapters/events_v1/line_writer.hpp"

namespace memd::interchange {
namespace {

class EventLines final : public SessionVisitor {
 public:
  explicit EventLines(const ExportSink& sink) : sink_(sink) {}
  Result<void> begin(const SessionUpdate& facts) override {
    return sink_.line(events_v1::session_line(facts, facts.started_at));
  }
  Result<void> event(const Event& event, const WalkedEvent& walked) override {
    return sink_.line(events_v1::event_line(event, {walked.full_text, walked.derived_from, walked.partial}));
  }
  Result<void> end(const ExportReport&) override { return {}; }

 private:
  const ExportSink& sink_;
};

}  // namespace

Result<ExportReport> export_session(Reader& reader, RecordFinder& records, std::int64_t session_pk,
                                    const ExportSink& sink) {
  EventLines lines(sink);
  return walk_session(reader, records, session_pk, lines, sink.progress);
}

}  // namespace memd::interchange
