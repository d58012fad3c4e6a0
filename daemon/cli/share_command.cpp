// memd share: a project's history shared with other machines.
#include "daemon/admin/share_tool.hpp"
#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/cli/service_control.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/sharing/exchange.hpp"
#include "protocol/mcp/described_json.hpp"
#include "store/files/whole_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

namespace memd::cli {
namespace {

void show(Screen& screen, const admin::ShareReport& r, const std::string& action) {
  if (!r.change.empty()) screen.text(Line(r.change + "."));
  if (r.shares.empty() && r.change.empty())
    screen.text(
        Line("Nothing is shared: ").add("memd share init --to PLACE --project P", Style::id).add(" shares a project."));
  if (action == "sync" || r.sent_segments + r.taken_segments > 0)
    screen.text("Sent " + with_noun(r.sent_events, "event") + " in " + with_noun(r.sent_segments, "segment") +
                ", took " + with_noun(r.taken_events, "event") + " in " + with_noun(r.taken_segments, "segment") + ".");
  for (const admin::ShareLine& s : r.shares) {
    screen.text(Line(s.project, Style::name).add(" at " + s.place).add(s.sealed ? ", sealed" : "", Style::faint));
    screen.text("  own: " + with_noun(s.sessions, "session") + ", " + with_noun(s.events, "event") + ", " +
                short_bytes(static_cast<std::uint64_t>(s.bytes)) +
                "; of others: " + with_noun(s.others_sessions, "session") + ", " + with_noun(s.others_events, "event") +
                (s.sessions_out > 0 ? "; taken out: " + with_noun(s.sessions_out, "session") : ""));
    for (const admin::ShareMember& m : s.members)
      screen.text(Line("  " + m.name).add(m.own ? "  this machine" : m.left ? "  has left" : "", Style::faint));
    if (!s.invitation.empty())
      screen.text(
          Line("  to join: ", Style::faint)
              .add("memd share join PLACE --project " + s.project + " --invitation " + s.invitation, Style::id));
    if (!s.trouble.empty()) screen.text(Line("  " + s.trouble, Style::bad));
  }
  for (const admin::SharedSession& s : r.sessions)
    screen.text(Line(s.session_id, Style::id)
                    .add("  " + s.project + " at " + s.place + ": " + with_noun(s.events, "event") + ", " +
                         short_bytes(static_cast<std::uint64_t>(s.bytes))));
  for (const std::string& problem : r.problems)
    screen.text(Line(problem, Style::warning));
  if (action == "verify" && r.problems.empty() && !r.shares.empty())
    screen.text("Everything there is as it was written.");
}

Result<int> ask_share(const Invocation& call, admin::ShareParams params) {
  MEMD_TRY_ASSIGN(const bool remote, sharing::is_remote(params.place));
  if (!params.place.empty() && !remote)
    params.place = std::filesystem::absolute(params.place).lexically_normal().string();
  while (!remote && params.place.size() > 1 && params.place.ends_with('/'))
    params.place.pop_back();
  if (!params.to.empty()) params.to = std::filesystem::absolute(params.to).lexically_normal().string();
  const bool asks = params.action == "status" || params.action == "audit" || params.action == "export";
  const bool begins = params.action == "init" || params.action == "join";
  std::error_code ec;
  if (begins && (remote || std::filesystem::is_directory(params.place, ec)))
    MEMD_TRY(open_places(call.settings, params.place));  // or a service could not write there
  const auto asked = [&]() -> Result<admin::ShareReport> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, asks ? Need::read : Need::ingest));
    return ask_admin<admin::ShareReport>(*caller, "share", mcp::to_arguments(params));
  }();
  const auto closed = params.action == "leave" || (begins && !asked) ? open_places(call.settings) : Result<void>();
  if (!asked) return asked.error();
  MEMD_TRY(closed);
  const admin::ShareReport& report = *asked;
  const int code = params.action == "verify" && !report.problems.empty() ? kFailed : kOk;
  if (call.as_json) {
    MEMD_TRY(print_json(call, report));
    return code;
  }
  Screen screen(call.look);
  show(screen, report, params.action);
  MEMD_TRY(screen.finish());
  return code;
}

// The host's side of a share at user@host: standard input has the client's message, standard output gets the answer.
// The host's own history of the project is shared with who can log in here, because the client says so.
Result<int> serve(const Invocation& call, const std::string& project) {
  const auto directory = call.settings.layout.data_dir() / "shared" / "place";
  MEMD_TRY(files::make_directories(directory));
  MEMD_TRY_ASSIGN(const auto place, sharing::SharePlace::of(directory, project));
  const std::string request(std::istreambuf_iterator<char>(std::cin), {});
  const auto sync = [&](const sharing::Message& asked) -> Result<void> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::ingest));
    const auto ask = [&](const admin::ShareParams& params) {
      return ask_admin<admin::ShareReport>(*caller, "share", mcp::to_arguments(params));
    };
    MEMD_TRY_ASSIGN(const auto now, ask({}));
    const bool is_joined = std::any_of(now.shares.begin(), now.shares.end(), [&](const admin::ShareLine& line) {
      return line.place == directory.string() && line.project == project;
    });
    MEMD_TRY(ask({is_joined ? "sync" : "join", directory.string(), project, asked.invitation, false, {}}));
    return {};
  };
  MEMD_TRY_ASSIGN(const std::string answer, sharing::answer(place, request, sync));
  std::cout.write(answer.data(), static_cast<std::streamsize>(answer.size())).flush();
  return std::cout ? kOk : kFailed;
}

}  // namespace

Command share_command() {
  const auto o = std::make_shared<admin::ShareParams>();
  Command c{"share",
            "Share a project's history with other machines, through a directory, ssh or PostgreSQL (docs/sharing.md)"};
  c.json_schema = schema_of<admin::ShareReport>(c.name);
  const Option project{"--project", &o->project, "The project: its name, or its path"};
  const Option of_project{"--project", &o->project, "Only of this project"};
  const auto step = [&](const char* action, const char* help, std::vector<Option> options) {
    Command s{action, help};
    s.options = std::move(options);
    s.run = [o, action = std::string(action)](const Invocation& call) {
      admin::ShareParams params = *o;
      params.action = action;
      return ask_share(call, std::move(params));
    };
    return s;
  };
  Option needed = project;
  needed.required = true;
  c.subcommands = {
      step("init", "Begin to share a project",
           {{.names = "--to",
             .target = &o->place,
             .help =
                 "A directory that others see, too (git, Syncthing, NFS, a mounted bucket), user@host, or postgres://…",
             .value_name = "PLACE",
             .required = true},
            needed,
            {"--sealed", &o->sealed, "Only members can read what is there"}}),
      step("join", "Share a project that others share already",
           {{.names = "place",
             .target = &o->place,
             .help = "The directory, user@host, or postgres://…",
             .value_name = "PLACE",
             .required = true},
            needed,
            {"--invitation", &o->invitation, "Of a sealed share: what init showed", "WORD"}}),
      step("sync", "Write what is new, and take in what others wrote; a daemon does it by itself", {of_project}),
      step("status", "What is shared where, and with whom", {of_project}),
      step("leave", "Share a project no more; what was written stays at the place",
           {{.names = "place", .target = &o->place, .help = "Only at this one", .value_name = "PLACE"}, needed}),
      step("audit", "Which sessions of this machine are where", {of_project}),
      step("export", "Copy what is at the place into a directory, which others can join",
           {{.names = "place", .target = &o->place, .help = "Only what is at this one", .value_name = "PLACE"},
            {.names = "--to", .target = &o->to, .help = "The directory", .value_name = "DIRECTORY", .required = true},
            needed}),
      step("verify", "Compare what is at the places with what was written and read; exit code 1 if it differs",
           {of_project})};
  Command of_host{"serve", "The side of the host of a share at user@host; memd runs it by ssh"};
  of_host.hidden = true;
  of_host.own_json = true;
  of_host.options = {needed};
  of_host.run = [o](const Invocation& call) { return serve(call, o->project); };
  c.subcommands.push_back(std::move(of_host));
  return c;
}

}  // namespace memd::cli
