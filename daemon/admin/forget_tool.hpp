#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "schemas/session_row.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd {
class MemoryHost;
}

// `memd forget`: a preview of what is removed, and the removal.
namespace memd::admin {

struct ForgetParams {
  std::string session;
  std::vector<std::string> exchanges;
  std::string text;
  std::string project;
  std::string query;
  std::string before;
  bool excluded = false;
  bool yes = false;
};

struct ForgetLine : SessionRemoval {
  std::string project;
  std::string ended;          // RFC 3339
  std::int64_t sessions = 0;  // including subagents
};

// An exchange of a session that stays.
struct ForgetExchange {
  std::string id;
  std::string session_id;
  std::int64_t exchange_number = 0;
  std::string started;  // RFC 3339
  std::string prompt;   // first line
  std::int64_t events = 0;
  std::int64_t subagents = 0;
};

struct ForgetReport {
  std::vector<ForgetLine> sessions;
  std::vector<ForgetExchange> single_exchanges;
  std::int64_t all_sessions = 0;
  std::int64_t exchanges = 0;
  std::int64_t events = 0;
  std::uint64_t raw_bytes = 0;
  bool of_text = false;
  std::int64_t records = 0;
  std::vector<std::string> memories;
  bool done = false;
};

// Removes what the parameters select; without `yes` only reports it. Errc::invalid_argument when nothing is selected.
Result<ForgetReport> forget(MemoryHost& host, const ForgetParams& params);

}  // namespace memd::admin

MEMD_DESCRIBE(
    memd::admin::ForgetParams, field<&T::session>("Select the session with this id or id prefix."),
    field<&T::exchanges>("Select these turns of sessions that stay: x42 or SESSION#3. Sessions of subagents that were "
                         "started in them go, too. Nothing else may be selected."),
    field<&T::text>("Remove this text wherever it stands, and remember it by a keyed hash only, so that it is masked "
                    "where it is read again. At least 8 bytes. Nothing else may be selected."),
    field<&T::project>("Select sessions of projects whose path or name contains this text."),
    field<&T::query>("Select sessions that contain this text."),
    field<&T::before>("Select sessions that ended before this time."),
    field<&T::excluded>("Select stored sessions that the configuration excludes."),
    field<&T::yes>("Forget the selected sessions. If false, only report what would be removed."));
MEMD_DESCRIBE(memd::admin::ForgetLine, field<&T::session_id>("Id of the main session."),
              plain<&T::title, &T::project>(), field<&T::ended>("Last event, RFC 3339."),
              field<&T::reason>("Why it is removed, if the parameters do not select it directly."),
              field<&T::sessions>("Number of sessions, subagents included."), plain<&T::exchanges, &T::events>(),
              field<&T::raw_bytes>("Their bytes in the original records."));
MEMD_DESCRIBE(memd::admin::ForgetExchange, field<&T::id>(), field<&T::session_id>("Its session, which stays."),
              field<&T::exchange_number>("Its number there, which no other one gets."),
              field<&T::started>("When it began, RFC 3339."), field<&T::prompt>("First line of the prompt."),
              field<&T::events>(), field<&T::subagents>("Sessions that were started in it and go, too."));
MEMD_DESCRIBE(memd::admin::ForgetReport, field<&T::sessions>("The sessions that are removed, oldest first."),
              field<&T::single_exchanges>("Turns that are removed from sessions that stay."),
              field<&T::all_sessions>("Number of sessions, subagents included."),
              plain<&T::exchanges, &T::events, &T::raw_bytes>(),
              field<&T::of_text>("True: a text is removed, and the figures count what holds it."),
              field<&T::records>("Original records that hold the text."),
              field<&T::memories>("Files of memories that hold the text; memd does not write them."),
              field<&T::done>("True: they were removed. False: this is a preview."));
