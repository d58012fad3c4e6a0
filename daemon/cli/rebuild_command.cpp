// `memd rebuild`: the one command that needs the store for itself.
#include "daemon/cli/command_context.hpp"
#include "daemon/cli/progress_bar.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/serve/instance_lock.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <poll.h>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>

namespace memd::cli {
namespace {

constexpr std::chrono::seconds kPatience{15};

// The lock, for which a daemon is asked to end if that was wished.
Result<InstanceLock> lock_store(const Settings& settings, bool stop_daemon) {
  const auto started = std::chrono::steady_clock::now();
  pid_t asked = 0;
  while (true) {
    MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(settings.layout.data_dir()));
    if (attempt.lock) return std::move(*attempt.lock);
    if (!stop_daemon)
      return Error(Errc::store_busy, "memd (pid " + std::to_string(attempt.holder) +
                                         ") is using the store: stop it, or add --stop-daemon. Clients start a new one "
                                         "when they next ask");
    if (attempt.holder > 1 && attempt.holder != asked) {
      asked = attempt.holder;
      ::kill(asked, SIGTERM);
    }
    if (std::chrono::steady_clock::now() - started > kPatience)
      return Error(Errc::store_busy, "memd (pid " + std::to_string(attempt.holder) + ") did not end");
    ::poll(nullptr, 0, 20);
  }
}

Result<int> rebuild(const Settings& settings, bool stop_daemon, bool as_json) {
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(const auto lock, lock_store(settings, stop_daemon));
  const auto started = std::chrono::steady_clock::now();
  Result<RebuildReport> report = RebuildReport();
  {
    ProgressBar bar("rebuilding");
    report = rebuild_store(settings.layout, find_adapter,
                           [&bar](double done, double total, std::string_view what) { bar.show(done, total, what); });
  }
  if (!report) return report.error();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (as_json)
    fmt::print(
        "{{\"files\":{},\"slices\":{},\"bytes\":{},\"events\":{},\"damaged_bytes\":{},\"unsupported\":{},"
        "\"seconds\":{:.3f}}}\n",
        report->files, report->slices, report->bytes, report->events, report->damaged_bytes, report->unsupported,
        seconds);
  else
    fmt::print(
        "Made the store anew from {} files of the raw layer: {:.1f} MB of records, {} events, {:.2f} s.\n"
        "Vectors and topics come with the next daemon, or with memd ingest --once; until then words alone find.\n",
        report->files, static_cast<double>(report->bytes) / 1e6, report->events, seconds);
  if (report->damaged_bytes > 0)
    std::cerr << "memd: " << report->damaged_bytes << " bytes of the raw layer are damaged and were left out\n";
  if (report->unsupported > 0)
    std::cerr << "memd: " << report->unsupported << " slices are of platforms that this memd does not read\n";
  return 0;
}

}  // namespace

void add_rebuild_command(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("rebuild", "Make the store anew from the raw layer (the agents' files are not needed)");
  auto stop_daemon = std::make_shared<bool>(false);
  c->add_flag("--stop-daemon", *stop_daemon, "End a running daemon first");
  c->callback([&context, stop_daemon] {
    context.action = [&context, stop_daemon](const Settings& settings) {
      return rebuild(settings, *stop_daemon, context.global.json);
    };
  });
}

}  // namespace memd::cli
