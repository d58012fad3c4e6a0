// memd setup: registers with clients and sets up the daemon as a service.
#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/command_reports.hpp"
#include "daemon/cli/resume_command_line.hpp"
#include "daemon/cli/service_control.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/setup/registration.hpp"
#include "daemon/tools/capability_matrix.hpp"
#include "schemas/base/error.hpp"
#include "store/files/own_executable.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace memd::cli {
namespace {

namespace fs = std::filesystem;
using setup::Change;
using setup::ClientInfo;
using setup::ClientScope;
using setup::Edit;
using setup::Registration;

struct SetupOptions {
  std::vector<std::string> what;
  bool project = false;
  bool remove = false;
  bool dry_run = false;
  bool yes = false;
  bool server_only = false;
};

constexpr const char* kService = "service";

// Returns the key of the agent whose sessions the client's people have.
std::string agent_of(const ClientInfo& client) {
  std::string key(client.key == "vscode" ? "copilot_chat" : client.key);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::vector<std::string> setup_choices() {
  std::vector<std::string> out;
  for (const ClientInfo& client : setup::clients())
    out.emplace_back(client.key);
  out.emplace_back(kService);
  return out;
}

// Returns the root of the repository that holds the working directory, else the directory itself.
Result<fs::path> project_root() {
  std::error_code ec;
  const fs::path here = fs::current_path(ec);
  if (ec) return Error(Errc::io, "cannot tell the current directory: " + ec.message());
  for (fs::path up = here; up != up.root_path(); up = up.parent_path())
    if (fs::exists(up / ".git", ec)) return up;
  return here;
}

Result<Registration> registration_of(const Settings& settings, ClientScope scope) {
  const fs::path executable = files::own_executable();
  if (!executable.is_absolute() || executable == "/proc/self/exe")
    return Error(Errc::unavailable, "cannot tell where memd is installed");
  auto places = setup::ClientPlaces::of(settings.home);
  setup::ServerProgram program{setup::lasting_path(executable, places.search_path), settings.forward};
  if (scope == ClientScope::project) program = setup::shared_program();
  return Registration(std::move(places), std::move(program), settings.layout.data_dir() / "setup");
}

// Says what a project's file leaves out of this machine's registration; empty: nothing.
std::string note_of_project(const Settings& settings) {
  std::string out;
  if (setup::find_program("memd", setup::ClientPlaces::of(settings.home).search_path).empty())
    out = "memd is not in $PATH here, and a project's file names it without a directory";
  if (!settings.forward.empty())
    out += std::string(out.empty() ? "" : "; ") +
           "options of this machine are not written: " + fmt::format("{}", fmt::join(settings.forward, " "));
  return out;
}

// Plans all edits of the client before anything is written, so that an unreadable file stops it before its first
// change. Appends what was done, of an error too.
Result<void> register_client(const Registration& registration, const ClientInfo& client, ClientScope scope,
                             const fs::path& project, const SetupOptions& o, std::vector<ClientChange>& out) {
  MEMD_TRY_ASSIGN(auto edits, registration.plan(client, scope, project, o.remove, o.server_only));
  if (!o.dry_run) registration.tidy(edits);
  for (Edit& edit : edits) {
    fs::path backup;
    if (!o.dry_run) {
      MEMD_TRY_ASSIGN(backup, registration.apply(edit));
    }
    ClientChange one{edit.client,        std::string(setup::to_string(edit.part)),
                     edit.file.string(), std::string(setup::to_string(edit.change)),
                     edit.note,          backup.string(),
                     std::nullopt};
    if (o.dry_run && edit.change != Change::none) one.difference = setup::difference(edit.before, edit.after);
    out.push_back(std::move(one));
  }
  return {};
}

// Treats each client by itself: the failure of one is reported among the changes of the others.
Result<std::vector<ClientChange>> register_clients(const std::vector<const ClientInfo*>& chosen, const SetupOptions& o,
                                                   const Settings& settings) {
  const ClientScope scope = o.project ? ClientScope::project : ClientScope::user;
  MEMD_TRY_ASSIGN(const Registration registration, registration_of(settings, scope));
  fs::path project;
  if (o.project) {
    MEMD_TRY_ASSIGN(project, project_root());
  }
  const std::string note = o.project && !o.remove ? note_of_project(settings) : std::string();
  std::vector<ClientChange> out;
  for (const ClientInfo* client : chosen) {
    const std::size_t first = out.size();
    const auto done = register_client(registration, *client, scope, project, o, out);
    if (!done)
      out.push_back({std::string(client->key), {}, {}, kChangeFailed, done.error().context, {}, std::nullopt});
    else if (first < out.size() && out[first].change != "none")
      out[first].note = note;
  }
  return out;
}

bool asks_yes(const std::string& question) {
  std::cout << question << " [Y/n] " << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer)) return false;
  return answer.empty() || answer[0] == 'y' || answer[0] == 'Y';
}

// Returns the installed clients and whether memd is registered with each: all of its parts.
Result<std::vector<ClientState>> clients_here(const Settings& settings, bool server_only) {
  MEMD_TRY_ASSIGN(const Registration registration, registration_of(settings, ClientScope::user));
  const auto places = setup::ClientPlaces::of(settings.home);
  std::vector<ClientState> out;
  for (const ClientInfo& client : setup::clients()) {
    if (!setup::is_here(client, places)) continue;
    ClientState state{std::string(client.key), std::string(client.name), false, {}, {}, {}};
    const auto there = registration.registered(client, ClientScope::user, {});
    const auto planned = registration.plan(client, ClientScope::user, {}, false, server_only);
    if (!there || !planned) {
      state.trouble = (there ? planned.error() : there.error()).context;
      out.push_back(std::move(state));
      continue;
    }
    if (!there->empty()) state.command = there->front();
    for (const Edit& edit : *planned) {  // a client may keep several files of a part
      const std::string part(setup::to_string(edit.part));
      if (edit.change != Change::none && std::ranges::find(state.missing, part) == state.missing.end())
        state.missing.push_back(part);
    }
    state.registered = state.missing.empty();
    out.push_back(std::move(state));
  }
  return out;
}

template <class... Part>
Result<void> show_now(const Invocation& call, const Part&... part) {
  if (call.as_json) return {};
  Screen screen(call.look);
  show(screen, part...);
  return screen.finish();
}

// Lists the installed clients when none was named, and offers registration on a terminal.
Result<SetupReport> offer(const SetupOptions& o, const Invocation& call) {
  SetupReport report;
  report.dry_run = o.dry_run;
  MEMD_TRY_ASSIGN(report.clients, clients_here(call.settings, o.server_only));
  std::vector<const ClientInfo*> open;
  for (const ClientState& state : *report.clients)
    if (!state.registered && (state.trouble.empty() || o.yes)) open.push_back(setup::find_client(state.client));
  MEMD_TRY(show_now(call, *report.clients));
  if (open.empty() || (call.as_json && !o.yes)) return report;
  if (!o.yes && !o.dry_run && ::isatty(STDIN_FILENO) != 1) {
    std::string command = "memd setup";
    for (const ClientInfo* client : open)
      command += " " + std::string(client->key);
    fmt::print("\nTo register: {}\n", command);
    return report;
  }
  if (!o.yes && !o.dry_run)
    std::erase_if(open, [](const ClientInfo* c) { return !asks_yes(fmt::format("Register with {}?", c->name)); });
  MEMD_TRY_ASSIGN(report.changes, register_clients(open, o, call.settings));
  MEMD_TRY(show_now(call, *report.changes, o.dry_run, o.remove));
  return report;
}

Result<SetupReport> set_up(const SetupOptions& o, const Invocation& call) {
  std::vector<const ClientInfo*> chosen;
  bool service = false;
  for (const std::string& name : o.what) {
    if (name == kService) {
      service = true;
    } else if (const ClientInfo* client = setup::find_client(name); client != nullptr) {
      if (std::find(chosen.begin(), chosen.end(), client) == chosen.end()) chosen.push_back(client);
    }
  }
  SetupReport report;
  report.dry_run = o.dry_run;
  if (!chosen.empty()) {
    MEMD_TRY_ASSIGN(report.changes, register_clients(chosen, o, call.settings));
    MEMD_TRY(show_now(call, *report.changes, o.dry_run, o.remove));
  }
  if (!service) return report;
  MEMD_TRY_ASSIGN(report.service,
                  o.remove ? remove_service(call.settings, o.dry_run) : install_service(call.settings, o.dry_run));
  MEMD_TRY(show_now(call, *report.service, o.dry_run));
  return report;
}

Result<int> run_setup(const SetupOptions& o, const Invocation& call) {
  if (o.what.empty() && (o.remove || o.project))
    return Error(Errc::invalid_argument, "say which client: memd setup claude-code, cursor, …");
  MEMD_TRY_ASSIGN(const SetupReport report, o.what.empty() ? offer(o, call) : set_up(o, call));
  if (call.as_json) MEMD_TRY(print_json(call, report));
  if (report.changes && one_failed(*report.changes)) return kFailed;
  return report.service && !report.service->manager_answers ? kFailed : kOk;
}

}  // namespace

std::vector<std::string> clients_without_memd(const Settings& settings) {
  const auto registration = registration_of(settings, ClientScope::user);
  if (!registration) return {};
  const auto places = setup::ClientPlaces::of(settings.home);
  std::vector<std::string> found;
  for (const ClientInfo& client : setup::clients()) {
    if (!setup::is_here(client, places)) continue;
    const auto there = registration->registered(client, ClientScope::user, {});
    if (!there || !there->empty()) return {};
    found.emplace_back(client.name);
  }
  return found;
}

void add_clients(const Settings& settings, admin::DoctorReport& report) {
  const auto found = clients_here(settings, false);
  if (!found) return;
  for (const ClientState& client : *found) {
    const ClientInfo& info = *setup::find_client(client.client);
    const std::string key = agent_of(info);
    auto agent = std::find_if(report.agents.begin(), report.agents.end(), [&](auto& one) { return one.agent == key; });
    if (agent == report.agents.end()) {
      agent = report.agents.emplace(agent);
      agent->agent = key;
      agent->name = client.name;
    }
    const auto lacks = [&](std::string_view part) {
      return std::find(client.missing.begin(), client.missing.end(), part) != client.missing.end();
    };
    agent->has_program = true;
    agent->is_registered = client.registered || !client.command.empty();
    if (!info.hook.file.empty()) agent->has_hooks = client.trouble.empty() && !lacks("hook");
    if (!client.trouble.empty()) agent->missing.push_back(client.trouble);
    agent->missing.insert(agent->missing.end(), client.missing.begin(), client.missing.end());
  }
  for (admin::DoctorAgent& agent : report.agents)
    for (const ClientInfo& info : setup::clients())
      if (!agent.has_program && agent_of(info) == agent.agent) agent.has_program = false;
}

std::vector<tools::AgentWays> agent_ways() {
  std::vector<tools::AgentWays> out;
  for (const ClientInfo& client : setup::clients())
    if (const auto platform = parse_platform(agent_of(client)))
      out.push_back({*platform, client.key, !client.hook.file.empty(), start_command_line(client.key, "").has_value()});
  return out;
}

Result<std::vector<ClientChange>> unregister_everywhere(const Settings& settings, bool dry_run) {
  SetupOptions o;
  o.remove = true;
  o.dry_run = dry_run;
  const auto places = setup::ClientPlaces::of(settings.home);
  std::vector<const ClientInfo*> found;
  for (const ClientInfo& client : setup::clients())
    if (setup::is_here(client, places)) found.push_back(&client);
  return register_clients(found, o, settings);
}

Command setup_command() {
  const auto o = std::make_shared<SetupOptions>();
  Command c{"setup",
            "Register memd with the agents found here, or with those named; `memd setup service`: start it with "
            "the session"};
  c.json_schema = schema_of<SetupReport>(c.name);
  c.options = {{.names = "what",
                .target = &o->what,
                .help = fmt::format("{}", fmt::join(setup_choices(), ", ")),
                .one_of = setup_choices()},
               {"--project", &o->project, "In the configuration of this project, not of the user"},
               {"--remove", &o->remove, "Remove it again"},
               {"--dry-run", &o->dry_run, "Only show which lines would change"},
               {"-y,--yes", &o->yes, "Register with all agents found, without asking"},
               {"--server-only", &o->server_only, "Without hook and skill"}};
  c.run = [o](const Invocation& call) { return run_setup(*o, call); };
  return c;
}

}  // namespace memd::cli
