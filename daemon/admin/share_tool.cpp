#include "daemon/admin/share_tool.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/sharing/exchange.hpp"
#include "daemon/sharing/sharing.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/read/projects.hpp"
#include "store/read/shares.hpp"
#include "store/reader_pool.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;
using sharing::Sharing;

Result<std::vector<ShareRow>> selected(Reader& reader, const ShareParams& params) {
  MEMD_TRY_ASSIGN(auto shares, reader.ask(SharesQuery{}));
  const std::string project = ascii::lowered(params.project);
  const bool is_path = project.find('/') != std::string::npos;
  const auto at_path = is_path ? reader.ask(FindProjectQuery{params.project}) : Result<KnownProjectRow>(Error());
  std::erase_if(shares, [&](const ShareRow& s) {
    const bool is_meant =
        project.empty() || (is_path ? at_path && at_path->key == s.project_key : ascii::lowered(s.project) == project);
    return !is_meant || (!params.place.empty() && s.place != params.place);
  });
  const bool is_named = !params.place.empty() || !params.project.empty();
  if (shares.empty() && (is_named || params.action == "leave"))
    return Error(Errc::not_found, "nothing of that is shared here; memd share status lists what is");
  return shares;
}

Result<ShareLine> line_of(Reader& reader, const Sharing* sharing, const ShareRow& share) {
  ShareLine out;
  out.project = share.project;
  out.place = share.place;
  out.sealed = !share.invitation.empty();
  out.invitation = share.invitation;
  const auto place =
      sharing != nullptr ? sharing->place_of(share) : Result<sharing::SharePlace>(Error(Errc::not_found, share.place));
  const auto file = place ? place->share() : Result<sharing::ShareFile>(place.error());
  if (!file) out.trouble = file.error().message();
  if (file && sharing != nullptr)
    for (const auto& m : sharing->members(share, *place))
      out.members.push_back({m.machine, m.name(), m.machine == sharing->machine(), m.left});
  std::set<std::string> is_out;
  MEMD_TRY_ASSIGN(const auto sessions, reader.ask(SharedSessionsQuery{share.pk}));
  for (const SharedSessionRow& s : sessions)
    if (s.is_out) is_out.insert(s.session_uid);
  out.sessions_out = static_cast<std::int64_t>(is_out.size());
  std::set<std::string> own;
  std::set<std::string> others;
  MEMD_TRY_ASSIGN(const auto segments, reader.ask(SharedSegmentsQuery{share.pk}));
  for (const SharedSegmentRow& s : segments) {
    if (is_out.contains(s.session_uid)) continue;
    const bool is_own = sharing != nullptr && s.machine == sharing->machine();
    (is_own ? own : others).insert(s.session_uid);
    ++(is_own ? out.segments : out.others_segments);
    (is_own ? out.events : out.others_events) += s.events;
    if (is_own) out.bytes += s.bytes;
  }
  out.sessions = static_cast<std::int64_t>(own.size());
  out.others_sessions = static_cast<std::int64_t>(others.size());
  return out;
}

Result<void> audit(Reader& reader, const Sharing& sharing, const ShareRow& share, ShareReport& report) {
  MEMD_TRY_ASSIGN(const auto segments, reader.ask(SharedSegmentsQuery{share.pk}));
  std::map<std::string, SharedSession> sessions;
  for (const SharedSegmentRow& s : segments) {
    if (s.machine != sharing.machine() || s.events == 0) continue;
    SharedSession& one = sessions[s.session_uid];
    ++one.segments;
    one.events += s.events;
    one.bytes += s.bytes;
    one.written = format_rfc3339(s.known_at);
  }
  for (auto& [uid, one] : sessions) {
    one.session_id = uid;
    one.project = share.project;
    one.place = share.place;
    report.sessions.push_back(std::move(one));
  }
  return {};
}

Result<void> sync(MemoryHost& host, Sharing& sharing, const ShareRow& share, mcp::ToolContext& context,
                  ShareReport& report) {
  host.ingest()->scan();  // the sync waits for it
  const auto done = sharing.sync(share, context.stop);
  if (!done) return done.error();
  report.add(*done);
  if (!done->waiting_why.empty()) report.problems.push_back(share.project + ": " + done->waiting_why);
  if (done->is_reader)
    report.problems.push_back(share.project + ": this login may only read at " + share.place + ": nothing is sent");
  return {};
}

}  // namespace

Result<ShareReport> share(MemoryHost& host, const ShareParams& params, mcp::ToolContext& context) {
  ShareReport report;
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  const bool asks = params.action == "status" || params.action == "audit" || params.action == "export";
  if (!asks && host.ingest() == nullptr) return host.does_not_write();
  std::optional<Sharing> sharing;
  MEMD_TRY_ASSIGN(const auto before, reader->ask(SharesQuery{}));
  if (!asks || !before.empty()) {
    auto opened = Sharing::open(host);
    if (!opened) return opened.error();
    sharing.emplace(std::move(*opened));
  }
  if (params.action == "init" || params.action == "join") {
    MEMD_TRY_ASSIGN(const bool remote, sharing::is_remote(params.place));
    if (!remote && !std::filesystem::path(params.place).is_absolute())
      return Error(Errc::invalid_argument, "place: has to be an absolute path, user@host, or postgres://…");
    const auto made = params.action == "init" ? sharing->init(params.place, params.project, params.sealed)
                                              : sharing->join(params.place, params.project, params.invitation);
    if (!made) return made.error();
    report.change = made->project + " is shared at " + made->place + " now";
    MEMD_TRY(sync(host, *sharing, *made, context, report));
    if (made->project_key.empty())
      report.problems.push_back("no agent has worked in a project of the name " + made->project + " here yet");
    MEMD_TRY_ASSIGN(const ShareLine line, line_of(*reader, &*sharing, *made));
    report.shares.push_back(line);
    return report;
  }
  MEMD_TRY_ASSIGN(const auto shares, selected(*reader, params));
  std::optional<Error> failed;  // at the first place that is away, which keeps no other one waiting
  const auto tried = [&](const ShareRow& share, const Result<void>& done) {
    if (!done && !failed && shares.size() == 1) failed = done.error();
    if (!done && !failed)
      failed = Error(done.error().code,
                     share.project + " at " + share.place + ": " + done.error().message() + "; the others are done");
    return static_cast<bool>(done);
  };
  for (const ShareRow& share : shares) {
    if (params.action == "sync" && !tried(share, sync(host, *sharing, share, context, report))) continue;
    if (params.action == "audit") MEMD_TRY(audit(*reader, *sharing, share, report));
    if (params.action == "verify") {
      const auto problems = sharing->verify(share);
      if (!tried(share, problems ? Result<void>() : problems.error())) continue;
      report.problems.insert(report.problems.end(), problems->begin(), problems->end());
    }
    if (params.action == "export") {
      MEMD_TRY_ASSIGN(const std::int64_t files, sharing->copy(share, params.to));
      report.change += (report.change.empty() ? "" : "; ") + share.project + ": " + std::to_string(files) +
                       " files of " + share.place + " are in " + params.to + " now";
    }
    if (params.action == "leave") {
      MEMD_TRY_ASSIGN(const std::string unsaid, sharing->leave(share));
      report.change += (report.change.empty() ? "" : "; ") + share.project + " is no longer shared at " + share.place +
                       ": what was written there stays";
      if (!unsaid.empty())
        report.problems.push_back("the others were not told, and go on to name this machine as a member: " + unsaid);
      continue;
    }
    MEMD_TRY_ASSIGN(ShareLine line, line_of(*reader, &*sharing, share));
    report.shares.push_back(std::move(line));
  }
  if (failed) return *failed;
  return report;
}

}  // namespace memd::admin
