// memd stop, restart, logs, uninstall, and the work of `memd setup service`.
#include "daemon/child_process.hpp"
#include "daemon/cli/asking.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/service_control.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/daemon_client.hpp"
#include "daemon/serve/takeover.hpp"
#include "daemon/setup/service_setup.hpp"
#include "daemon/version.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "store/files/own_executable.hpp"
#include "store/files/whole_file.hpp"
#include "store/read/shares.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <boost/algorithm/string/join.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace memd::cli {
namespace {

namespace fs = std::filesystem;
using setup::CommandLine;
using setup::ServiceSetup;

template <class Choice, class Remote>
bool any_remote(const Choice& config, Remote is_remote) {
  if (is_remote(config.choice.provider)) return true;
  for (const auto& fallback : config.fallbacks)
    if (is_remote(fallback.provider)) return true;
  return false;
}

// Returns whether the configuration names model servers.
bool needs_network(const Config& config) {
  return any_remote(
             config.embedding,
             [](EmbeddingProvider p) { return p == EmbeddingProvider::ollama || p == EmbeddingProvider::openai; }) ||
         config.summaries.has_served_model();
}

Result<ServiceSetup> service_setup(const Settings& settings) {
  const auto places = setup::ClientPlaces::of(settings.home);
  ServiceSetup out;
  const fs::path executable = files::own_executable();
  out.program = {setup::lasting_path(executable, places.search_path), settings.forward};
  out.home = settings.home;
  out.config_home = places.config_home;
  out.data_dir = settings.layout.data_dir();
  out.default_data_dir = settings.default_data_dir;
  MEMD_TRY_ASSIGN(out.socket, socket_of(settings));
  out.network = needs_network(settings.config);
  out.mac = places.mac;
  std::error_code ec;
  out.packaged_units =
      executable == "/usr/bin/memd" && settings.forward.empty() && fs::exists("/usr/lib/systemd/user/memd.service", ec);
  return out;
}

// Returns true if the command ran and exited with 0. `quiet`: discards its standard error.
bool runs_well(const CommandLine& words, std::chrono::seconds patience = std::chrono::seconds(60), bool quiet = false) {
  ChildCommand command;
  command.arguments = words;
  command.patience = patience;
  command.keep_errors = !quiet;
  const auto output = run_child(command);
  return output && output->exit_code == 0;
}

bool answers(const CommandLine& question) { return runs_well(question, std::chrono::seconds(5), true); }

bool manager_answers(const ServiceSetup& s) {
  return answers(s.mac ? CommandLine{"launchctl", "managername"}
                       : CommandLine{"systemctl", "--user", "show-environment"});
}

// Returns whether there is something to remove.
bool has_service(const ServiceSetup& s) {
  std::error_code ec;
  return setup::is_installed(s) || fs::exists(setup::all_service_files(s).back(), ec);
}

// Gives a file its contents, or removes it if they are empty. Adds to the report what was done, or would be.
Result<void> put_file(const ServiceSetup& s, const setup::ServiceText& wanted, bool dry_run, ServiceReport& report) {
  const auto& [file, text] = wanted;
  const auto there = files::read_whole(file);
  const bool same = there ? *there == text : text.empty();
  if (!same || !text.empty())
    report.files.push_back({file.string(), same ? "none" : text.empty() ? "removed" : "written"});
  if (dry_run || same) return {};
  if (text.empty()) {
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return Error::from_errno(errno, "unlink", file.string());
    files::remove_empty_directories(file.parent_path(), setup::topmost_service_directory(s));
    return {};
  }
  MEMD_TRY(files::make_directories(file.parent_path()));
  return files::write_whole(file, text, files::OnDisk::now);
}

Result<setup::ServiceText> share_drop_in(const Settings& settings, ServiceSetup& service) {
  MEMD_TRY_ASSIGN(const auto shares, Reader::in_background(settings.layout.database()).ask(SharesQuery{}));
  for (const ShareRow& share : shares)
    service.shared.push_back(share.place);
  return setup::share_drop_in(service);
}

Result<void> run_all(const std::vector<CommandLine>& commands) {
  for (const CommandLine& words : commands)
    if (!runs_well(words)) return Error(Errc::unavailable, "this failed: " + boost::algorithm::join(words, " "));
  return {};
}

// Returns whether the service runs, regardless of who wrote its units.
bool service_is_active(const ServiceSetup& s) {
  return answers(s.mac ? CommandLine{"launchctl", "print", fmt::format("gui/{}/dev.memd", ::getuid())}
                       : CommandLine{"systemctl", "--user", "is-active", "--quiet", "memd.service"});
}

// What stop_running() has met.
struct Stopped {
  pid_t daemon = 0;     // the daemon that has ended; 0: none
  std::string command;  // the last command that held the store: it was waited for, or ended
};

Result<Stopped> stop_running(const Settings& settings, bool force = false) {
  Stopped out;
  std::error_code ec;
  if (!fs::exists(settings.layout.data_dir(), ec)) return out;
  TakeOver how;
  how.ends_commands = force;
  how.on_holder = [&](const InstanceLock::Attempt& holder) {
    if (!holder.is_command()) {
      out.daemon = holder.holder;
      return;
    }
    out.command = holder.who();
    if (!force) tell_who_is_waited_for(holder);
  };
  MEMD_TRY(take_over(settings.layout.data_dir(), how));
  return out;
}

Option force_option(bool* target) {
  return {"--force", target, "End a command that holds the store, too, instead of waiting for it"};
}

Command stop_command() {
  const auto force = std::make_shared<bool>(false);
  Command c{"stop", "End the daemon; clients start one again when they next ask"};
  c.json_schema = schema_of<StopReport>(c.name);
  c.options = {force_option(force.get())};
  c.run = [force](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const Stopped stopped, stop_running(call.settings, *force));
    StopReport report;
    report.stopped = stopped.daemon != 0;
    if (report.stopped) report.pid = stopped.daemon;
    if (!stopped.command.empty()) report.command = stopped.command;
    return print_report(call, report);
  };
  return c;
}

Command restart_command() {
  const auto force = std::make_shared<bool>(false);
  Command c{"restart", "End the daemon and start one of this version"};
  c.json_schema = schema_of<RestartReport>(c.name);
  c.options = {force_option(force.get())};
  c.run = [force](const Invocation& call) -> Result<int> {
    const Settings& settings = call.settings;
    MEMD_TRY_ASSIGN(const ServiceSetup service, service_setup(settings));
    const bool managed = service_is_active(service);
    MEMD_TRY_ASSIGN(const Stopped stopped, stop_running(settings, *force));
    if (managed && !service.mac) runs_well({"systemctl", "--user", "start", "memd.service"});
    MEMD_TRY_ASSIGN(auto address, daemon_address(settings));
    DaemonClient client(std::move(address));
    MEMD_TRY(client.connect());
    const auto now = InstanceLock::look(settings.layout.data_dir());
    return print_report(call, RestartReport{now.version, now.holder, stopped.daemon != 0});
  };
  return c;
}

Command logs_command() {
  struct LogsOptions {
    std::int64_t lines = 50;
    bool follow = false;
  };
  const auto o = std::make_shared<LogsOptions>();
  Command c{"logs", "What the daemon has written to its log; what was read: log"};
  c.options = {{.names = "-n,--lines", .target = &o->lines, .help = "How many lines", .between = std::pair(1, 1000000)},
               {"-f,--follow", &o->follow, "Go on as more is written"}};
  c.run = [o](const Invocation& call) -> Result<int> {
    const Settings& settings = call.settings;
    MEMD_TRY_ASSIGN(const ServiceSetup service, service_setup(settings));
    const std::string lines = std::to_string(o->lines);
    const fs::path file = settings.layout.data_dir() / "memd.log";
    std::error_code ec;
    CommandLine words;
    if (!service.mac && settings.default_data_dir && service_is_active(service))
      words = {"journalctl", "--user", "--unit", "memd.service", "--no-pager", "--lines", lines};
    else if (fs::exists(file, ec))
      words = {"tail", "-n", lines};
    else
      return Error(Errc::not_found, file.string() + " does not exist: no client has started a daemon yet");
    if (o->follow) words.emplace_back("-f");
    if (words.front() == "tail") words.push_back(file.string());
    std::cout << std::flush;
    return Error::from_errno(become_program(words), "execvp", words.front());
  };
  return c;
}

Command uninstall_command() {
  struct UninstallOptions {
    bool dry_run = false;
    bool data = false;
  };
  const auto o = std::make_shared<UninstallOptions>();
  Command c{"uninstall", "Remove memd from all clients, remove its service and end the daemon; the store stays"};
  c.options = {{"--dry-run", &o->dry_run, "Only show what would be removed"},
               {"--data", &o->data, "Remove the store, too: what agents have purged is then lost"}};
  c.json_schema = schema_of<UninstallReport>(c.name);
  c.run = [o](const Invocation& call) -> Result<int> {
    const Settings& settings = call.settings;
    MEMD_TRY_ASSIGN(const ServiceSetup service, service_setup(settings));
    UninstallReport report;
    report.dry_run = o->dry_run;
    report.data_meant = o->data;
    report.program = files::own_executable().string();
    const fs::path data = settings.layout.data_dir();
    report.data = data.string();
    MEMD_TRY_ASSIGN(report.changes, unregister_everywhere(settings, o->dry_run));
    if (has_service(service)) {
      MEMD_TRY_ASSIGN(report.service, remove_service(settings, o->dry_run));
    }
    std::error_code ec;
    if (o->dry_run) {
      report.daemon_stopped = InstanceLock::is_held(data) && !InstanceLock::look(data).is_command();
    } else {
      MEMD_TRY_ASSIGN(const Stopped stopped, stop_running(settings));
      report.daemon_stopped = stopped.daemon != 0;
      // The originals of files that could not be changed are in there.
      if (o->data && !one_failed(report.changes)) fs::remove_all(data, ec);
      if (ec) return Error(Errc::io, "remove " + data.string() + ": " + ec.message());
    }
    report.data_left = fs::exists(data, ec);
    MEMD_TRY_ASSIGN(const int code, print_report(call, report));
    return one_failed(report.changes) ? kFailed : code;
  };
  return c;
}

}  // namespace

Result<ServiceReport> install_service(const Settings& settings, bool dry_run) {
  MEMD_TRY_ASSIGN(ServiceSetup service, service_setup(settings));
  MEMD_TRY_ASSIGN(auto written, setup::service_files(service));
  // The shares of a store that the daemon has to upgrade first are not known: the drop-in stays as it is.
  if (auto for_shares = share_drop_in(settings, service)) written.push_back(*std::move(for_shares));
  ServiceReport report;
  for (const setup::ServiceText& wanted : written)
    MEMD_TRY(put_file(service, wanted, dry_run, report));
  const auto commands = setup::start_service_commands(service);
  if (dry_run) {
    for (const CommandLine& words : commands)
      report.commands.push_back(boost::algorithm::join(words, " "));
    return report;
  }
  MEMD_TRY(open_state_directory(settings.layout.data_dir()));
  report.manager_answers = manager_answers(service);
  if (!report.manager_answers) {
    for (const auto& [link, target] : setup::service_links(service)) {
      MEMD_TRY(files::make_directories(link.parent_path()));
      if (::symlink(target.c_str(), link.c_str()) != 0 && errno != EEXIST)
        return Error::from_errno(errno, "symlink", link.string());
    }
    return report;
  }
  if (service.mac) runs_well(setup::end_service_commands(service).front());  // unload the previous definition
  MEMD_TRY(run_all(commands));
  report.running = true;
  return report;
}

Result<ServiceReport> remove_service(const Settings& settings, bool dry_run) {
  MEMD_TRY_ASSIGN(const ServiceSetup service, service_setup(settings));
  const auto commands = setup::end_service_commands(service);
  const bool manager = manager_answers(service);
  ServiceReport report;
  if (!dry_run && manager) runs_well(commands.front());
  if (!dry_run)
    for (const auto& [link, target] : setup::service_links(service)) {
      ::unlink(link.c_str());
      ::rmdir(link.parent_path().c_str());  // only if the directory is empty
    }
  for (const fs::path& file : setup::all_service_files(service)) {
    std::error_code ec;
    if (!fs::exists(file, ec)) continue;
    report.files.push_back({file.string(), "removed"});
    if (dry_run) continue;
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return Error::from_errno(errno, "unlink", file.string());
    files::remove_empty_directories(file.parent_path(), setup::topmost_service_directory(service));
  }
  if (!dry_run && manager)
    for (std::size_t i = 1; i < commands.size(); ++i)
      runs_well(commands[i]);
  return report;
}

Result<void> open_places(const Settings& settings, const std::string& place) {
  MEMD_TRY_ASSIGN(ServiceSetup service, service_setup(settings));
  if (!setup::is_installed(service)) return {};
  if (!place.empty()) service.shared.push_back(place);
  MEMD_TRY_ASSIGN(const auto wanted, share_drop_in(settings, service));
  ServiceReport report;
  MEMD_TRY(put_file(service, wanted, false, report));
  if (report.files.empty() || report.files.front().change == "none") return {};
  std::cerr << fmt::format("memd: the service is restarted with what is shared ({})\n",
                           harmless_line(report.files.front().file));
  return manager_answers(service) ? run_all(setup::reload_service_commands()) : Result<void>();
}

void tell_of_other_version(const Settings& settings) {
  const auto said = InstanceLock::look(settings.layout.data_dir());
  if (said.holder <= 1 || said.socket.empty() || said.version == version()) return;
  if (::kill(said.holder, 0) != 0 && errno == ESRCH) return;
  const std::string theirs = said.version.empty() ? std::string("of a version before 0.2") : said.version;
  std::cerr << fmt::format("memd: the daemon is memd {}, this is memd {}: `memd restart` starts this one{}\n",
                           harmless_line(theirs), version(),
                           is_older(said.version, version()) ? ", and so does the next client" : "");
}

std::vector<Command> service_commands() {
  return {stop_command(), restart_command(), logs_command(), uninstall_command()};
}

}  // namespace memd::cli
