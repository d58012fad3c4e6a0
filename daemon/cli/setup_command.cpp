// memd setup: registering with clients, and the daemon as a service.
#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/table.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/cli/service_control.hpp"
#include "daemon/serve/daemon_client.hpp"
#include "daemon/setup/registration.hpp"
#include "schemas/json_writer.hpp"

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

std::vector<std::string> setup_choices() {
  std::vector<std::string> out;
  for (const ClientInfo& client : setup::clients())
    out.emplace_back(client.key);
  out.emplace_back(kService);
  return out;
}

// Where the repository of this directory begins; else the directory.
Result<fs::path> project_root() {
  std::error_code ec;
  const fs::path here = fs::current_path(ec);
  if (ec) return Error(Errc::io, "cannot tell the current directory: " + ec.message());
  for (fs::path up = here; up != up.root_path(); up = up.parent_path())
    if (fs::exists(up / ".git", ec)) return up;
  return here;
}

Result<Registration> registration_of(const Settings& settings) {
  const fs::path executable = own_executable("memd");
  if (!executable.is_absolute() || executable == "/proc/self/exe")
    return Error(Errc::unavailable, "cannot tell where memd is installed");
  return Registration(setup::ClientPlaces::of(settings.home), {executable, settings.forward},
                      settings.layout.data_dir() / "setup");
}

std::string change_text(const Edit& edit, bool dry_run, bool remove) {
  if (!edit.note.empty()) return edit.note;
  switch (edit.change) {
    case Change::none: return remove ? "not there" : "there already";
    case Change::added: return dry_run ? "would be added" : "added";
    case Change::changed: return dry_run ? "would be changed" : "changed";
    case Change::removed: return dry_run ? "would be removed" : "removed";
  }
  return {};
}

void add_json(json::Writer& w, const Edit& edit, const fs::path& backup) {
  w.begin_object();
  w.member("client", edit.client);
  w.member("part", setup::to_string(edit.part));
  w.member("file", edit.file.string());
  w.member("change", setup::to_string(edit.change));
  w.member("note", edit.note);
  w.member("backup", backup.string());
  w.end_object();
}

void print_difference(Screen& screen, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view one = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(one.size() + 1, lines.size()));
    const Style style = one.starts_with('+') ? Style::good : one.starts_with('-') ? Style::bad : Style::faint;
    screen.line(Line(one, style));
  }
}

// All is planned before anything is written: a file that cannot be read stops it while nothing is half done.
Result<int> register_clients(const std::vector<const ClientInfo*>& chosen, const SetupOptions& o,
                             const Invocation& call) {
  MEMD_TRY_ASSIGN(const Registration registration, registration_of(call.settings));
  const ClientScope scope = o.project ? ClientScope::project : ClientScope::user;
  fs::path project;
  if (o.project) {
    MEMD_TRY_ASSIGN(project, project_root());
  }
  std::vector<Edit> edits;
  for (const ClientInfo* client : chosen) {
    MEMD_TRY_ASSIGN(auto planned, registration.plan(*client, scope, project, o.remove, o.server_only));
    std::move(planned.begin(), planned.end(), std::back_inserter(edits));
  }
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member_bool("dry_run", o.dry_run);
  w.key("changes");
  w.begin_array();
  std::string last;
  Screen screen(call.look);
  Table table({{"CLIENT"}, {"PART"}, {"CHANGE"}, {"FILE"}, {"BEFORE", Column::Fit::may_go}});
  for (Edit& edit : edits) {
    fs::path backup;
    if (!o.dry_run) {
      MEMD_TRY_ASSIGN(backup, registration.apply(edit));
    }
    add_json(w, edit, backup);
    if (call.as_json) continue;
    const Line change(change_text(edit, o.dry_run, o.remove), edit.change == Change::none ? Style::faint : Style::good);
    table.row({Line(edit.client == last ? std::string() : edit.client, Style::strong),
               Line(setup::to_string(edit.part), Style::faint), change,
               Line(short_path(edit.file.string()), Style::name),
               Line(backup.empty() ? std::string() : short_path(backup.string()), Style::faint)});
    last = edit.client;
    if (!o.dry_run || edit.change == Change::none) continue;
    table.print(screen);
    print_difference(screen, setup::difference(edit.before, edit.after));
  }
  w.end_array();
  w.end_object();
  if (call.as_json) std::cout << out << '\n';
  const bool changed = std::any_of(edits.begin(), edits.end(), [](const Edit& e) { return e.change != Change::none; });
  table.print(screen);
  if (!call.as_json && changed && !o.dry_run)
    screen.blank().line("Clients that run now see it when they are started anew.");
  return finish(screen);
}

struct FoundClient {
  const ClientInfo* client;
  std::vector<std::string> registered;
  std::string trouble;
};

bool asks_yes(const std::string& question) {
  std::cout << question << " [Y/n] " << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer)) return false;
  return answer.empty() || answer[0] == 'y' || answer[0] == 'Y';
}

// Without a name: what is here, and whether memd is registered there; asks on a terminal.
Result<int> offer(const SetupOptions& o, const Invocation& call) {
  MEMD_TRY_ASSIGN(const Registration registration, registration_of(call.settings));
  const auto places = setup::ClientPlaces::of(call.settings.home);
  std::vector<FoundClient> found;
  for (const ClientInfo& client : setup::clients()) {
    if (!setup::is_here(client, places)) continue;
    FoundClient entry{&client, {}, {}};
    if (auto there = registration.registered(client, ClientScope::user, {}))
      entry.registered = std::move(*there);
    else
      entry.trouble = there.error().context;
    found.push_back(std::move(entry));
  }
  const auto wanted = registration.wanted();
  std::vector<const ClientInfo*> open;
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("clients");
  w.begin_array();
  Screen screen(call.look);
  Table table({{"CLIENT"}, {"NAME"}, {"STATE", Column::Fit::shrinks}});
  if (!call.as_json && found.empty()) screen.line("No agent that memd knows was found here.");
  for (const FoundClient& entry : found) {
    const bool there = entry.registered == wanted;
    if (!there && entry.trouble.empty()) open.push_back(entry.client);
    w.begin_object();
    w.member("client", entry.client->key);
    w.member_bool("registered", there);
    w.member("command", entry.registered.empty() ? "" : entry.registered.front());
    w.member("trouble", entry.trouble);
    w.end_object();
    if (call.as_json) continue;
    const std::string state = !entry.trouble.empty()     ? entry.trouble
                              : there                    ? "registered"
                              : entry.registered.empty() ? "not registered"
                                                         : "registered as " + entry.registered.front();
    table.row({Line(entry.client->key, Style::strong), Line(entry.client->name),
               Line(state, there                   ? Style::good
                           : entry.trouble.empty() ? Style::warning
                                                   : Style::bad)});
  }
  w.end_array();
  w.end_object();
  if (call.as_json) std::cout << out << '\n';
  table.print(screen);
  MEMD_TRY(screen.finish());
  if (open.empty() || (call.as_json && !o.yes)) return kOk;
  if (!o.yes && !o.dry_run && ::isatty(STDIN_FILENO) != 1) {
    std::string command = "memd setup";
    for (const ClientInfo* client : open)
      command += " " + std::string(client->key);
    fmt::print("\nTo register: {}\n", command);
    return kOk;
  }
  if (!o.yes && !o.dry_run)
    std::erase_if(open, [](const ClientInfo* c) { return !asks_yes(fmt::format("Register with {}?", c->name)); });
  return register_clients(open, o, call);
}

Result<int> run_setup(const SetupOptions& o, const Invocation& call) {
  std::vector<const ClientInfo*> chosen;
  bool service = false;
  for (const std::string& name : o.what) {
    if (name == kService) {
      service = true;
    } else if (const ClientInfo* client = setup::find_client(name); client != nullptr) {
      if (std::find(chosen.begin(), chosen.end(), client) == chosen.end()) chosen.push_back(client);
    }
  }
  if (o.what.empty()) {
    if (o.remove || o.project)
      return Error(Errc::invalid_argument, "say which client: memd setup claude-code, cursor, …");
    return offer(o, call);
  }
  int code = kOk;
  if (!chosen.empty()) {
    MEMD_TRY_ASSIGN(code, register_clients(chosen, o, call));
  }
  if (!service) return code;
  MEMD_TRY_ASSIGN(const int of_service,
                  o.remove ? remove_service(call.settings, o.dry_run) : install_service(call.settings, o.dry_run));
  return std::max(code, of_service);
}

}  // namespace

bool lacks_registration(const Settings& settings) {
  const auto registration = registration_of(settings);
  if (!registration) return false;
  const auto places = setup::ClientPlaces::of(settings.home);
  bool found = false;
  for (const ClientInfo& client : setup::clients()) {
    if (!setup::is_here(client, places)) continue;
    const auto there = registration->registered(client, ClientScope::user, {});
    if (!there || !there->empty()) return false;
    found = true;
  }
  return found;
}

Result<int> unregister_everywhere(const Invocation& call, bool dry_run) {
  SetupOptions o;
  o.remove = true;
  o.dry_run = dry_run;
  MEMD_TRY_ASSIGN(const Registration registration, registration_of(call.settings));
  const auto places = setup::ClientPlaces::of(call.settings.home);
  std::vector<const ClientInfo*> found;
  for (const ClientInfo& client : setup::clients())
    if (setup::is_here(client, places)) found.push_back(&client);
  return register_clients(found, o, call);
}

Command setup_command() {
  const auto o = std::make_shared<SetupOptions>();
  Command c{"setup",
            "Register memd with the agents found here, or with those named; `memd setup service`: start it with "
            "the session"};
  c.options = {{.names = "what",
                .target = &o->what,
                .help = "claude-code, cursor, cline, codex, gemini, opencode, vscode, windsurf, zed, or service",
                .one_of = setup_choices()},
               {"--project", &o->project, "In the configuration of this project, not of the user"},
               {"--remove", &o->remove, "Take it out again"},
               {"--dry-run", &o->dry_run, "Only show which lines would change"},
               {"-y,--yes", &o->yes, "Register with all agents found, without asking"},
               {"--server-only", &o->server_only, "Without hook and skill"}};
  c.run = [o](const Invocation& call) { return run_setup(*o, call); };
  return c;
}

}  // namespace memd::cli
