#include "daemon/interchange/transcript.hpp"
#include "daemon/version.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/time.hpp"

namespace memd::interchange {
namespace {

void write_tokens(json::Writer& w, const TokenUsage& t) {
  w.key("tokens");
  w.begin_object();
  for (const auto& [name, value] :
       {std::pair{"input", t.input}, std::pair{"output", t.output}, std::pair{"cache_read", t.cache_read},
        std::pair{"cache_creation", t.cache_creation}})
    w.member_number(name, value);
  w.end_object();
}

void write_reasons(json::Writer& w, const std::vector<OutcomeReason>& reasons) {
  w.member_objects("outcome_reasons", reasons, [&](const OutcomeReason& reason) {
    w.member("sign", to_string(reason.sign));
    w.member("speaks_for", to_string(reason.speaks_for));
  });
}

class Fields : public json::Writer {
 public:
  using json::Writer::Writer;
  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) member(name, value);
  }
  void flag(std::string_view name, bool value) {
    if (value) member_bool(name, true);
  }
};

// Writes {"format": …, "sessions": [{"session": …, "exchanges": [ … ], "events": …}]}, one exchange a line.
class JsonWriter final : public TranscriptWriter {
 public:
  JsonWriter(WriteLine line, AsOf as_of) : line_(std::move(line)), as_of_(as_of) {}

  Result<void> begin(const SessionRow& s) override {
    std::string out = first_session_
                          ? "{\"format\":\"transcript.v1\",\"memd\":\"" + std::string(version()) + "\",\"sessions\":[\n"
                          : ",\n";
    first_session_ = false;
    first_exchange_ = true;
    std::string facts;
    Fields w(facts);
    w.begin_object();
    w.member("session_id", s.uid);
    w.member("platform", to_string(s.platform));
    w.member("kind", to_string(s.kind));
    w.text("title", s.title);
    w.text("parent", s.parent_uid);
    w.text("forked_from", s.forked_from);
    w.text("agent_name", s.agent_name);
    w.text("project", s.project_name);
    w.text("project_key", s.project_key);
    w.text("working_directory", s.cwd);
    w.text("git_branch", s.git_branch);
    w.text("model", s.model);
    w.text("agent_version", s.agent_version);
    w.text("started_at", format_rfc3339(s.started_at));
    w.text("last_event_at", format_rfc3339(s.ended_at));
    w.text("ended_at", format_rfc3339(s.end_time(as_of_.now, as_of_.stopped_after)));
    w.member("state", to_string(s.life.state(as_of_.now, as_of_.stopped_after)));
    w.member("outcome", to_string(s.outcome));
    write_reasons(w, s.outcome_reasons);
    write_tokens(w, s.cost.tokens);
    w.member_number("exchanges", s.exchanges);
    w.member_number("tool_calls", s.tool_calls);
    w.member_number("tool_errors", s.tool_errors);
    w.member_number("compactions", s.compactions);
    w.end_object();
    return line_(out + "{\"session\":" + facts + ",\"exchanges\":[");
  }

  Result<void> exchange(const TranscriptExchange& x) override {
    std::string out(first_exchange_ ? "" : ",");
    first_exchange_ = false;
    Fields w(out);
    w.begin_object();
    if (x.id != 0) {
      w.member("exchange_id", format_exchange_id(x.id));
      w.member_number("number", x.number);
      w.text("started_at", format_rfc3339(x.started_at));
      w.text("model", x.model);
      w.text("git_branch", x.git_branch);
      write_tokens(w, x.tokens);
      w.member_number("tool_calls", x.tool_calls);
      w.member_number("tool_errors", x.tool_errors);
    }
    w.key("entries");
    w.begin_array();
    for (const TranscriptEntry& e : x.entries)
      write_entry(w, e);
    w.end_array();
    w.end_object();
    return line_(out);
  }

  Result<void> end(const SessionRow&, const ExportReport& report) override {
    std::string out = "],\"events\":";
    Fields w(out);
    w.begin_object();
    w.member_number("total", report.events);
    w.member_number("derived", report.derived);
    w.member_number("partial", report.partial);
    w.end_object();
    return line_(out + "}");
  }

  Result<void> finish() override { return line_("]}"); }

 private:
  static void write_entry(Fields& w, const TranscriptEntry& e) {
    w.begin_object();
    w.member("kind", to_string(e.kind));
    w.text("time", format_rfc3339(e.time));
    w.text("name", e.name);
    w.text("tool", e.tool);
    w.text("summary", e.summary);
    w.text("text", e.text);
    if (e.result) w.member("result", *e.result);
    w.flag("is_error", e.is_error);
    w.flag("partial", e.partial || e.result_partial);
    w.end_object();
  }

  WriteLine line_;
  const AsOf as_of_;
  bool first_session_ = true;
  bool first_exchange_ = true;
};

}  // namespace

std::unique_ptr<TranscriptWriter> json_writer(WriteLine line, AsOf as_of) {
  return std::make_unique<JsonWriter>(std::move(line), as_of);
}

}  // namespace memd::interchange
