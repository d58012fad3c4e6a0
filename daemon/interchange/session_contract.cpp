#include "daemon/interchange/session_contract.hpp"

#include "schemas/base/json_writer.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"
#include "store/read/session_contents.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"

#include <string>
#include <string_view>

namespace memd::interchange {
namespace {

constexpr double kMsOfSecond = 1000;

// The contract's name of an agent where it differs from memd's.
std::string_view flavor_of(Platform platform) {
  return platform == Platform::claude_code ? std::string_view("claude") : to_string(platform);
}

// Writes the members of a record; what is not known is null, as the contract has it.
class ContractFields : public json::Writer {
 public:
  using json::Writer::Writer;
  void text(std::string_view name, std::string value) {
    redact(value);
    if (value.empty())
      member_raw(name, "null");
    else
      member(name, value);
  }
  void time(std::string_view name, TimeMs value) { text(name, value == 0 ? std::string() : format_rfc3339(value)); }
};

void write_cost(ContractFields& w, const Cost& cost) {
  w.key("cost");
  w.begin_object();
  w.member_number("input_tokens", cost.tokens.input);
  w.member_number("output_tokens", cost.tokens.output);
  w.member_number("cache_tokens", cost.tokens.cache_read + cost.tokens.cache_creation);
  w.member_number("wall_clock_s", static_cast<double>(cost.wall_clock) / kMsOfSecond);
  w.member_number("turns", cost.turns);
  w.member_number("retries", cost.retries);
  w.end_object();
}

std::string session_record(const std::string& uid, const SessionRow& row, AsOf as_of) {
  std::string out;
  ContractFields w(out);
  w.begin_object();
  w.member("session_uid", uid);
  w.member("flavor", flavor_of(row.platform));
  w.member("native_session_id", row.native_id);
  w.text("repo", row.repo);
  w.text("domain", {});
  w.text("cwd", row.cwd);
  w.text("git_branch", row.git_branch);
  w.text("model", row.model);
  w.time("started_at", row.started_at);
  w.time("ended_at", row.end_time(as_of.now, as_of.stopped_after));
  w.member("outcome", to_string(row.outcome));
  write_cost(w, row.cost);
  w.text("task_ref", {});
  w.text("source_path", row.source_path);
  w.member_number("source_bytes", row.source_bytes);
  w.member_number("schema_version", kSessionSchemaVersion);
  w.time("discovered_at", row.watermarks.discovered_at);
  w.time("ingested_at", row.watermarks.ingested_at);
  w.time("analyzed_at", row.watermarks.analyzed_at);
  w.time("evicted_at", row.watermarks.evicted_at);
  w.end_object();
  return out;
}

std::string event_record(const std::string& uid, const EventRow& row) {
  std::string out;
  ContractFields w(out);
  w.begin_object();
  w.member("session_uid", uid);
  w.member_number("seq", row.seq);
  w.time("ts", row.time);
  w.member("kind", to_string(row.kind));
  if (row.parent_seq)
    w.member_number("parent_seq", *row.parent_seq);
  else
    w.text("parent_seq", {});
  w.text("role", std::string(to_string(row.role)));
  w.text("tool", row.tool);
  w.text("summary", row.summary);
  w.text("payload_ref", row.source == 0 ? std::string() : "evt_" + format_key(row.event_id));
  w.member_number("tokens", row.tokens);
  w.member_bool("is_sidechain", (row.flags & kFlagSidechain) != 0);
  w.end_object();
  return out;
}

}  // namespace

Result<ExportReport> export_session_contract(Reader& reader, std::int64_t session_pk, const WriteLine& line,
                                             AsOf as_of) {
  MEMD_TRY_ASSIGN(const StoredSession session, reader.ask(StoredSessionQuery{session_pk}));
  const std::string uid = std::string(flavor_of(session.row.platform)) + ":" + session.row.native_id;
  MEMD_TRY(line(session_record(uid, session.row, as_of)));
  ExportReport report;
  for (const EventRow& row : session.events) {
    ++report.events;
    if ((row.flags & kFlagDerived) != 0) ++report.derived;
    MEMD_TRY(line(event_record(uid, row)));
  }
  return report;
}

}  // namespace memd::interchange
