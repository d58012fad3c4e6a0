#pragma once

#include "protocol/mcp/describe.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"
#include "schemas/share.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
class MemoryHost;
}

// `memd share`: a project's history shared with other machines through a place (docs/sharing.md).
namespace memd::admin {

inline constexpr std::array<std::string_view, 8> kShareActions{"status", "init",  "join",   "sync",
                                                               "leave",  "audit", "verify", "export"};

struct ShareParams {
  std::string action = "status";
  std::string place;
  std::string project;
  std::string invitation;
  bool sealed = false;
  std::string to;
};

struct ShareMember {
  std::string machine;
  std::string name;
  bool own = false;
  bool left = false;
};

// What of this machine's is at a place.
struct SharedSums {
  std::string project;
  std::string place;
  std::int64_t segments = 0;
  std::int64_t events = 0;
  std::int64_t bytes = 0;
};

struct ShareLine : SharedSums {
  bool sealed = false;
  std::string invitation;
  std::vector<ShareMember> members;
  std::int64_t sessions = 0;
  std::int64_t others_sessions = 0;
  std::int64_t others_segments = 0;
  std::int64_t others_events = 0;
  std::int64_t sessions_out = 0;
  std::string trouble;
};

struct SharedSession : SharedSums {
  std::string session_id;
  std::string written;  // RFC 3339, the newest segment
};

struct ShareReport : SyncSums {
  std::string change;
  std::vector<ShareLine> shares;
  std::vector<SharedSession> sessions;
  std::vector<std::string> problems;
};

// Only status, audit and export do without a host that ingests. Errors name the place and say what to do.
Result<ShareReport> share(MemoryHost& host, const ShareParams& params, mcp::ToolContext& context);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::ShareParams, field<&T::action>("What to do.", one_of(admin::kShareActions)),
              field<&T::place>("A directory, absolute; user@host; postgres://… Empty: every place of the project."),
              field<&T::project>("The project: its name, or its path. Empty: every one that is shared."),
              field<&T::invitation>("join: the word of a sealed share."),
              field<&T::sealed>("init: only members can read what is written there."),
              field<&T::to>("export: a directory, absolute."));
MEMD_DESCRIBE(memd::admin::ShareMember, field<&T::machine>("Its id."), field<&T::name>("Person and machine."),
              field<&T::own>("This machine."), field<&T::left>("It shares no more."));
MEMD_DESCRIBE(memd::admin::ShareLine, plain<&T::project, &T::place>(),
              field<&T::sealed>("Only members can read what is there."),
              field<&T::invitation>("What others give to join; empty: the share is not sealed."),
              field<&T::members>("Machines that share the project."),
              field<&T::sessions>("Of this machine, at the place; likewise the next three."),
              plain<&T::segments, &T::events, &T::bytes>(),
              field<&T::others_sessions>("Of other machines, taken in; likewise the next two."),
              plain<&T::others_segments, &T::others_events>(),
              field<&T::sessions_out>("Forgotten, excluded or taken out: nobody gets them any more."),
              field<&T::trouble>("Why the place cannot be read; empty: it can."));
MEMD_DESCRIBE(memd::admin::SharedSession, plain<&T::session_id, &T::project, &T::place>(),
              plain<&T::segments, &T::events, &T::bytes>(), field<&T::written>("The newest segment, RFC 3339."));
MEMD_DESCRIBE(memd::admin::ShareReport, field<&T::change>("What was done; empty: nothing."),
              field<&T::shares>("What is shared."), field<&T::sent_segments>("sync: written; likewise the next one."),
              field<&T::sent_events>(), field<&T::taken_segments>("sync: taken in; likewise the next one."),
              field<&T::taken_events>(), field<&T::waiting>("sync: segments that cannot be read yet."),
              field<&T::sessions>("audit: this machine's sessions at the places."),
              field<&T::problems>("sync, verify: what is wrong."));
