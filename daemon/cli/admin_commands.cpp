// Commands about memd itself.
#include "daemon/admin/metrics.hpp"
#include "daemon/admin/second_look_report.hpp"
#include "daemon/admin/status_reports.hpp"
#include "daemon/admin/upkeep.hpp"
#include "daemon/cli/asking.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/command_reports.hpp"
#include "daemon/cli/progress_bar.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/cli/service_control.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/exchange_name.hpp"
#include "schemas/ids.hpp"
#include "store/text/redaction/forgotten_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace memd::cli {
namespace {

// Sends the request to the running daemon, else to this process, and prints the answer.
Result<int> ask_and_print(const Invocation& call, Need need, std::string_view question, const std::string& arguments) {
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, need));
  MEMD_TRY_ASSIGN(const auto outcome, caller->admin(question, arguments, {}));
  return print(outcome, call.as_json);
}

// The same with a typed report, shown to a user.
template <class Report>
Result<int> ask_and_show(const Invocation& call, std::string_view question, const std::string& arguments,
                         Need need = Need::read) {
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, need));
  MEMD_TRY_ASSIGN(const Report report, ask_admin<Report>(*caller, question, arguments));
  return print_report(call, report);
}

Option how_many(std::int64_t& rows) { return rows_option(&rows, "How many rows; 0: all"); }

// It may take hours.
constexpr const char* kWithSecondLook = R"({"second_look":true,"timeout_s":86400})";

Command ingest_command() {
  const auto once = std::make_shared<bool>(false);
  const auto second_look = std::make_shared<bool>(false);
  Command c{"ingest", "Read the agents' history into the store"};
  c.json_schema = schema_of<admin::IngestReport>(c.name);
  c.options = {{.names = "--once",
                .target = once.get(),
                .help = "Until everything there is now is read (the daemon does the rest by itself)",
                .required = true},
               {"--second-look", second_look.get(),
                "Also make all vectors of the second look now, 20 to 50 ms of a core for each turn"}};
  c.run = [once, second_look](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::ingest));
    mcp::ToolOutcome outcome;
    {
      ProgressBar reading("reading", {"MB", 1e6});
      ProgressBar enriching("enriching", {"turns", 1});
      ProgressBar looking(admin::kLookingAgain, {"turns", 1});
      const auto show = [&](double done, double total, std::string_view what) {
        if (what == admin::kEnriching)
          enriching.show(done, total, "");
        else if (what == admin::kLookingAgain)
          looking.show(done, total, "");
        else
          reading.show(done, total, what);
      };
      MEMD_TRY_ASSIGN(outcome, caller->admin("ingest", *second_look ? kWithSecondLook : "{}", show));
    }
    const auto report = read_answer<admin::IngestReport>(outcome);
    if (!report) {
      std::cerr << "memd: " << harmless(for_people(report.error().message())) << '\n';
      return kUndone;
    }
    MEMD_TRY(print_report(call, *report));
    return report->complete ? kOk : kUndone;
  };
  return c;
}

Command status_command() {
  const auto watch = std::make_shared<bool>(false);
  Command c{"status", "What memd is doing and what it holds"};
  c.json_schema = schema_of<admin::StatusReport>(c.name);
  c.options = {{"--watch", watch.get(), "Again every two seconds, until Ctrl-C"}};
  c.run = [watch](const Invocation& call) -> Result<int> {
    tell_of_other_version(call.settings);
    if (!*watch) return ask_and_show<admin::StatusReport>(call, "status", "{}");
    constexpr std::chrono::seconds kEvery{2};
    Invocation again{call.settings, call.as_json, call.look};
    again.look.pager.clear();
    for (;;) {
      if (call.look.is_terminal) std::cout << "\x1b[H\x1b[2J" << std::flush;
      again.look.now = command_clock().now();
      MEMD_TRY_ASSIGN(const int code, ask_and_show<admin::StatusReport>(again, "status", "{}"));
      if (code != kOk) return code;
      std::this_thread::sleep_for(kEvery);
    }
  };
  return c;
}

Command metrics_command() {
  Command c{"metrics", "The figures of status, as Prometheus reads them"};
  c.json_schema = schema_of<admin::MetricsReport>(c.name);
  c.run = [](const Invocation& call) { return ask_and_print(call, Need::read, "metrics", "{}"); };
  return c;
}

Command coverage_command() {
  const auto o = std::make_shared<admin::CoverageParams>();
  const auto rows = std::make_shared<std::int64_t>(0);
  Command c{"coverage", "What became of every byte of every source"};
  c.json_schema = schema_of<admin::CoverageReport>(c.name);
  c.options = {{"--by-source", &o->by_source, "One line per source as well"},
               {"--agent,--platform", &o->platform, "Only this agent"},
               how_many(*rows)};
  c.run = [o, rows](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
    MEMD_TRY_ASSIGN(auto report, ask_admin<admin::CoverageReport>(*caller, "coverage", mcp::to_arguments(*o)));
    keep_rows(report.coverage, *rows);
    return print_report(call, report);
  };
  return c;
}

Command log_command() {
  const auto o = std::make_shared<admin::LogParams>();
  Command c{"log", "What was read of the agents' files, newest first; the daemon's own messages: logs"};
  c.json_schema = schema_of<admin::LogReport>(c.name);
  c.options = {{"--agent,--platform", &o->platform, "Only this agent"},
               {"--since", &o->since, "From this time: 2026-02-09, 7d, yesterday, …"},
               {"-n,--limit", &o->limit, "How many entries (50); 0: all", "N"}};
  c.run = [o](const Invocation& call) { return ask_and_show<admin::LogReport>(call, "log", mcp::to_arguments(*o)); };
  return c;
}

Command diagnostics_command() {
  const auto o = std::make_shared<tools::DiagnosticsParams>();
  Command c{"diagnostics", "What went wrong with input in the last 30 days, newest first"};
  c.json_schema = schema_of<tools::DiagnosticsReport>(c.name);
  c.options = {{"--agent,--platform", &o->platform, "Only this agent"},
               {"-n,--limit", &o->limit, "How many (50); 0: all", "N"},
               {"--offset", &o->offset, "How many newer ones to leave out"}};
  c.run = [o](const Invocation& call) {
    return ask_and_show<tools::DiagnosticsReport>(call, "diagnostics", mcp::to_arguments(*o));
  };
  return c;
}

Command retention_command() {
  const auto o = std::make_shared<admin::RetentionParams>();
  const auto rows = std::make_shared<std::int64_t>(0);
  Command c{"retention", "What the configured limits drop, when and why; drops nothing by itself"};
  c.json_schema = schema_of<admin::RetentionReport>(c.name);
  c.options = {
      {"--apply", &o->apply, "Drop what is past its limit now"},
      {.names = "--days", .target = &o->within_days, .help = "How far to look ahead", .between = std::pair(0, 36500)},
      how_many(*rows)};
  c.run = [o, rows](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, o->apply ? Need::ingest : Need::read));
    MEMD_TRY_ASSIGN(auto report, ask_admin<admin::RetentionReport>(*caller, "retention", mcp::to_arguments(*o)));
    keep_rows(report.drops, *rows);
    return print_report(call, report);
  };
  return c;
}

// Returns the text to forget; "-" reads it from standard input, less a newline at its end. An argument stays in the
// shell's history, which is said.
Result<std::string> text_to_forget(std::string text) {
  constexpr std::size_t kLongest = 1 << 20;
  if (text == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    if (text.ends_with('\n')) text.pop_back();
  } else {
    std::cerr << "memd: the shell's history may keep this text: remove it there, or give it on standard input, `memd "
                 "forget --text - < FILE`\n";
  }
  if (text.size() < redaction::kShortestForgotten)
    return Error(Errc::invalid_argument,
                 fmt::format("--text: a text to forget has at least {} bytes, and this one has {}",
                             redaction::kShortestForgotten, text.size()));
  if (text.size() > kLongest)
    return Error(Errc::invalid_argument, "--text: a text to forget has at most 1 MiB; forget the session instead");
  for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
    length = static_cast<unsigned char>(text[at]) < 0x80 ? 1 : utf8_length(std::string_view(text).substr(at));
    if (length > 0) continue;
    return Error(Errc::invalid_argument, "--text: the text is not UTF-8");
  }
  return text;
}

Command forget_command() {
  const auto what = std::make_shared<std::vector<std::string>>();
  const auto o = std::make_shared<admin::ForgetParams>();
  Command c{"forget",
            "Forget sessions, single turns or a text for good; without --yes, only show what would be removed"};
  c.json_schema = schema_of<admin::ForgetReport>(c.name);
  c.options = {
      {"what", what.get(),
       "A session (its id, the beginning of it, or latest), or turns of sessions that go on (x42, SESSION#3), "
       "with the subagents started in them",
       "SESSION|EXCHANGE"},
      {"--text", &o->text,
       "Remove a text wherever it stands; -: it is read from standard input, which leaves none in the shell's history. "
       "memd keeps a keyed hash of it",
       "TEXT"},
      {"--project", &o->project, "Sessions of projects with this in their path or name"},
      {"--query", &o->query, "Sessions that contain this text"},
      {"--before", &o->before, "Sessions that ended before this time: 2026-02-09, 90d, …"},
      {"--excluded", &o->excluded, "Sessions that the configuration excludes"},
      {"--yes", &o->yes, "Do it: it cannot be undone"}};
  c.run = [what, o](const Invocation& call) -> Result<int> {
    const auto is_exchange = [](const std::string& text) {
      return parse_exchange_id(text).has_value() || parse_exchange_name(text).has_value();
    };
    if (!what->empty() && std::all_of(what->begin(), what->end(), is_exchange))
      o->exchanges = *what;
    else if (what->size() > 1)
      return Error(Errc::invalid_argument, "give one session, or turns like x42 only");
    else if (!what->empty())
      o->session = what->front();
    if (!o->text.empty()) {
      MEMD_TRY_ASSIGN(o->text, text_to_forget(o->text));
    }
    const Need need = o->yes ? Need::ingest : Need::read;
    return ask_and_show<admin::ForgetReport>(call, "forget", mcp::to_arguments(*o), need);
  };
  return c;
}

Command capture_command() {
  Command c{"capture", "Pause and resume the storing of what agents write; what is written meanwhile is never stored"};
  c.json_schema = schema_of<tools::CaptureAnswer>(c.name);
  const auto step = [](const char* action, const char* help, Need need, const std::shared_ptr<std::string>& duration) {
    Command s{action, help};
    if (duration) s.options = {{"--for", duration.get(), "How long: 30m, 2h, 1d (else until it is resumed)"}};
    s.run = [action = std::string(action), need, duration](const Invocation& call) {
      tools::CaptureParams asked{action, {}};
      if (duration) asked.duration = *duration;
      return ask_and_show<tools::CaptureAnswer>(call, "capture", mcp::to_arguments(asked), need);
    };
    return s;
  };
  c.subcommands = {step("pause", "Store nothing from now on", Need::ingest, std::make_shared<std::string>()),
                   step("resume", "Store again", Need::ingest, nullptr),
                   step("status", "Whether it is paused", Need::read, nullptr)};
  return c;
}

Command project_command() {
  const auto o = std::make_shared<admin::ProjectParams>();
  Command c{"project",
            "A project over its sessions: its name or path, or none for that of this directory; which projects are "
            "joined, and joining them"};
  c.json_schema = schema_of<admin::ProjectReport>(c.name);
  const auto step = [o](const char* action, const char* help, std::vector<Option> options, Need need) {
    Command s{action, help, std::move(options)};
    s.run = [action = std::string(action), o, need](const Invocation& call) {
      o->action = action;
      return ask_and_show<admin::ProjectReport>(call, "project", mcp::to_arguments(*o), need);
    };
    return s;
  };
  const Option of{
      .names = "project", .target = &o->project, .help = "Its path, or a part of path or name", .required = true};
  const Option to{.names = "into", .target = &o->into, .help = "The project that it belongs to", .required = true};
  c.subcommands = {
      step("list", "The projects, and which belong to another one", {}, Need::read),
      step("merge", "Join a project to another one, in searches, resume and figures", {of, to}, Need::ingest),
      step("split", "Take a merge back, or a worktree out of its repository's project", {of}, Need::ingest)};
  return c;
}

Command doctor_command() {
  const auto o = std::make_shared<admin::DoctorParams>();
  Command c{"doctor", "Look for what keeps memd from working; exit code 1 when there is something"};
  c.json_schema = schema_of<admin::DoctorReport>(c.name);
  c.options = {{"--full", &o->full, "Read all original records, not a sample"},
               {"--fix", &o->fix, "Rebuild what searches read from the store's rows, if it is damaged"}};
  c.run = [o](const Invocation& call) -> Result<int> {
    tell_of_other_version(call.settings);
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, o->fix ? Need::ingest : Need::read));
    MEMD_TRY_ASSIGN(const mcp::ToolOutcome outcome, caller->admin("doctor", mcp::to_arguments(*o), {}));
    MEMD_TRY_ASSIGN(auto report, read_answer<admin::DoctorReport>(outcome));
    add_clients(call.settings, report);
    MEMD_TRY(print_report(call, report));
    return report.ok ? kOk : kFailed;
  };
  return c;
}

std::string session_difference_text(const SessionLoss& s) {
  if (s.is_unreadable) return s.uid + ": cannot be read in the old store";
  if (s.exchanges == 0 && s.events == 0 && !s.is_missing) return s.uid + ": title or other facts";
  return fmt::format("{}: {} turns, {} events{}", s.uid, s.exchanges, s.events, s.is_missing ? ", all of it" : "");
}

void tell_sessions(std::string_view what, const std::vector<SessionLoss>& sessions) {
  constexpr std::size_t kMostNamed = 20;
  if (sessions.empty()) return;
  std::cerr << fmt::format("memd: {} {}:\n", sessions.size(), what);
  for (std::size_t i = 0; i < std::min(sessions.size(), kMostNamed); ++i)
    std::cerr << "memd:   " << harmless_line(session_difference_text(sessions[i])) << '\n';
  if (sessions.size() > kMostNamed) std::cerr << fmt::format("memd:   and {} more\n", sessions.size() - kMostNamed);
}

Result<int> print_rebuilt(const Invocation& call, const admin::RebuildAnswer& report) {
  MEMD_TRY(print_report(call, report));
  if (report.damaged_bytes > 0)
    std::cerr << "memd: " << report.damaged_bytes << " bytes of original records are damaged and were left out\n";
  for (const auto& damage : report.damages)
    std::cerr << "memd:   " << harmless_line(damage) << '\n';
  if (report.unsupported > 0)
    std::cerr << "memd: " << report.unsupported << " slices are of agents that this memd does not read\n";
  if (!report.old_damage.empty())
    std::cerr << "memd: the old store cannot be read: " << harmless_line(report.old_damage) << '\n';
  tell_sessions("sessions were taken from the old store, because the original records have lost something of them",
                report.from_old);
  tell_sessions("sessions of the old store are not whole in the new one", report.lost);
  if (report.replaced) return kOk;
  std::cerr << "memd: the store stays as it was. `memd rebuild --accept-loss` replaces it all the same, and keeps it "
               "as memd.db.old\n";
  return kFailed;
}

Result<int> rebuild_here(const Invocation& call, bool stop_daemon, OnLoss on_loss) {
  const Settings& settings = call.settings;
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(const auto lock, lock_store(settings, stop_daemon));
  const auto started = std::chrono::steady_clock::now();
  Result<RebuildReport> report = RebuildReport();
  {
    ProgressBar bar("rebuilding");
    RebuildOptions options;
    options.on_progress = [&bar](double done, double total, std::string_view what) { bar.show(done, total, what); };
    options.cipher = settings.cipher;
    options.on_loss = on_loss;
    report = rebuild_store(settings.layout, find_adapter, options);
  }
  if (!report) return report.error();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return print_rebuilt(call, {*report, seconds});
}

// Connects to the running daemon. Null: no daemon answers.
Result<std::unique_ptr<Caller>> running_daemon(const Settings& settings, std::ostream& told = std::cerr) {
  std::unique_ptr<Caller> none;
  MEMD_TRY_ASSIGN(const auto daemon, connect_running(settings));
  if (!daemon) return none;
  MEMD_TRY_ASSIGN(auto caller, open_caller(settings, Need::read, kPatience, told));
  return caller->is_daemon() ? std::move(caller) : std::move(none);
}

// Waits for the rebuild that the daemon makes and returns its result. The connections end twice meanwhile, possibly
// during the handshake, and for a moment there is no store; therefore a failed query is repeated.
Result<admin::StoreRebuildStatus> await_rebuild(const Settings& settings) {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kEvery{200};
  constexpr std::chrono::seconds kMostSilent{10};
  std::ostream nobody(nullptr);
  ProgressBar bar("rebuilding");
  for (auto answered = steady_clock::now();; std::this_thread::sleep_for(kEvery)) {
    const auto status = [&]() -> Result<admin::StatusReport> {
      MEMD_TRY_ASSIGN(const auto daemon, running_daemon(settings, nobody));
      if (!daemon) return Error(Errc::unavailable, "no daemon answers");
      return ask_admin<admin::StatusReport>(*daemon, "status", "{}");
    }();
    if (!status) {
      if (steady_clock::now() - answered > kMostSilent)
        return Error(status.error().code,
                     "how the rebuild ended is not known (see `memd logs`): " + status.error().message());
      continue;
    }
    answered = steady_clock::now();
    if (!status->rebuild)
      return Error(Errc::unavailable, "the daemon has ended before the store was rebuilt; `memd logs` says why");
    if (status->rebuild->state != "running") return *status->rebuild;
    bar.show(static_cast<double>(status->rebuild->bytes_done), static_cast<double>(status->rebuild->bytes_total), "");
  }
}

// Has the running daemon rebuild the store. nullopt: the rebuild has to be done here.
Result<std::optional<int>> rebuild_by_daemon(const Invocation& call, OnLoss on_loss) {
  std::optional<int> here;
  MEMD_TRY_ASSIGN(const auto daemon, running_daemon(call.settings));
  if (!daemon) return here;
  const admin::RebuildParams asked{"store", on_loss == OnLoss::accept};
  MEMD_TRY_ASSIGN(const mcp::ToolOutcome outcome, daemon->admin("rebuild", mcp::to_arguments(asked), {}));
  if (outcome.is_error && outcome.is_usage) return here;  // a daemon of an older program
  MEMD_TRY(read_answer<admin::RebuildResponse>(outcome));
  MEMD_TRY_ASSIGN(const auto end, await_rebuild(call.settings));
  if (!end.result) return Error(Errc::store, admin::rebuild_status_text(end));
  MEMD_TRY_ASSIGN(const int code, print_rebuilt(call, *end.result));
  return std::optional(code);
}

Result<int> rebuild(const Invocation& call, bool stop_daemon, OnLoss on_loss) {
  if (!stop_daemon) {
    MEMD_TRY_ASSIGN(const auto done, rebuild_by_daemon(call, on_loss));
    if (done) return *done;
  }
  return rebuild_here(call, stop_daemon, on_loss);
}

Command rebuild_command() {
  const auto stop_daemon = std::make_shared<bool>(false);
  const auto accept_loss = std::make_shared<bool>(false);
  Command c{"rebuild",
            "Rebuild the store from the original records that memd keeps (the agents' files are not needed)"};
  c.json_schema = schema_of<admin::RebuildAnswer>(c.name);
  c.options = {{"--stop-daemon", stop_daemon.get(), "End a running daemon first, instead of asking it to do it"},
               {"--accept-loss", accept_loss.get(), "Replace the store even if the new one has less; lists what"}};
  c.run = [stop_daemon, accept_loss](const Invocation& call) {
    return rebuild(call, *stop_daemon, *accept_loss ? OnLoss::accept : OnLoss::refuse);
  };
  return c;
}

}  // namespace

std::vector<Command> admin_commands() {
  return {ingest_command(),    status_command(),      coverage_command(), log_command(),
          doctor_command(),    diagnostics_command(), forget_command(),   project_command(),
          retention_command(), capture_command(),     rebuild_command(),  metrics_command()};
}

}  // namespace memd::cli
