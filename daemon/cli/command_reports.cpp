#include "daemon/cli/command_reports.hpp"

#include "daemon/cli/render/table.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/version.hpp"
#include "schemas/base/harmless.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace memd::cli {
namespace {

// Returns "added", or "would be added" in a dry run.
std::string done_or_not(std::string_view change, bool dry_run, std::string_view none) {
  if (change == "none") return std::string(none);
  return (dry_run ? "would be " : "") + std::string(change);
}

}  // namespace

std::string state_text(const ClientState& client) {
  if (!client.trouble.empty()) return client.trouble;
  if (client.registered) return "registered";
  if (client.command.empty()) return "not registered";
  if (client.missing.front() == "server") return "registered as " + client.command;
  return fmt::format("registered, without {}", fmt::join(client.missing, " and "));
}

void show(Screen& screen, const std::vector<ClientState>& clients) {
  if (clients.empty()) {
    screen.line("No agent that memd knows was found here.");
    return;
  }
  Table table({{"CLIENT"}, {"NAME"}, {"STATE", Column::Fit::shrinks}});
  for (const ClientState& one : clients) {
    const Style style = one.registered ? Style::good : one.trouble.empty() ? Style::warning : Style::bad;
    table.row({Line(one.client, Style::strong), Line(one.name), Line(state_text(one), style)});
  }
  table.print(screen);
}

bool one_failed(const std::vector<ClientChange>& changes) {
  return std::any_of(changes.begin(), changes.end(), [](const ClientChange& c) { return c.change == kChangeFailed; });
}

void show(Screen& screen, const std::vector<ClientChange>& changes, bool dry_run, bool removing) {
  std::string_view last;
  bool changed = false;
  Table table({{"CLIENT"}, {"PART"}, {"CHANGE"}, {"FILE"}, {"BEFORE", Column::Fit::may_go}});
  for (const ClientChange& one : changes) {
    const bool none = one.change == "none";
    const bool failed = one.change == kChangeFailed;
    changed = changed || (!none && !failed);
    const std::string done = failed ? one.change
                             : none && !one.note.empty()
                                 ? one.note
                                 : done_or_not(one.change, dry_run, removing ? "not there" : "there already");
    table.row({Line(one.client == last ? std::string_view() : std::string_view(one.client), Style::strong),
               Line(one.part, Style::faint),
               Line(done, failed ? Style::bad
                          : none ? Style::faint
                                 : Style::good),
               Line(short_path(one.file), Style::name),
               Line(one.backup.empty() ? std::string() : short_path(one.backup), Style::faint)});
    last = one.client;
    if (!one.difference) continue;
    table.print(screen);
    for (const Line& line : changed_lines(*one.difference))
      screen.line(line);
  }
  table.print(screen);
  for (const ClientChange& one : changes)
    if (one.change != "none" && !one.note.empty())
      screen.text(Line(one.client, Style::strong)
                      .add(": " + one.note, one.change == kChangeFailed ? Style::bad : Style::warning));
  if (changed && !dry_run) screen.blank().line("Clients that run now see it when they are restarted.");
}

void show(Screen& screen, const ServiceReport& report, bool dry_run) {
  Table table({{"SERVICE"}, {"CHANGE"}});
  for (const ServiceFile& one : report.files)
    table.row({Line(short_path(one.file), Style::name), Line(done_or_not(one.change, dry_run, "there already"),
                                                             one.change == "none" ? Style::faint : Style::good)});
  table.print(screen);
  for (const std::string& command : report.commands)
    screen.text(Line("would run: ").add(command, Style::id));
  if (!report.manager_answers)
    screen.text(Line("The service manager of this user does not answer", Style::warning)
                    .add(": the service starts with the next session."));
  if (report.running)
    screen.text(
        Line(fmt::format("memd {} runs as a service", version()), Style::good).add(" and starts with the session."));
}

void show(Screen& screen, const UninstallReport& report) {
  show(screen, report.changes, report.dry_run, true);
  if (report.service) show(screen, *report.service, report.dry_run);
  if (report.daemon_stopped) screen.line(report.dry_run ? "The daemon would end." : "The daemon has ended.");
  if (report.data_left && report.data_meant && report.dry_run)
    screen.text(Line(short_path(report.data), Style::name).add(" would be removed"));
  if (report.data_left && report.data_meant && !report.dry_run)
    screen.text(Line(short_path(report.data), Style::name)
                    .add(" stays, because a client failed: it holds what that client's files were before"));
  if (report.data_left && !report.data_meant)
    screen.text(Line(short_path(report.data), Style::name)
                    .add(" stays: ")
                    .add("memd uninstall --data", Style::id)
                    .add(" removes it, and with it what agents have purged"));
  screen.text(Line("The program: ").add(report.program, Style::name));
}

void show(Screen& screen, const StopReport& report) {
  if (report.command) screen.line(harmless_line(*report.command) + " has ended.");
  screen.line(report.stopped ? fmt::format("The daemon (pid {}) has ended.", report.pid.value_or(0))
                             : std::string("No daemon runs."));
}

void show(Screen& screen, const RestartReport& report) {
  screen.line(fmt::format("memd {} runs (pid {}){}", report.version, report.pid,
                          report.ran_before ? "." : "; none ran before."));
}

void show(Screen& screen, const ImportedFile& file) {
  const interchange::EventFileCheck& c = file.check;
  Line line(short_path(c.path), Style::name);
  if (!file.program.empty()) {
    line.add(": " + file.program + ", " + with_noun(file.conversations, "conversation") + ", " +
             with_noun(c.events, "event"));
    if (file.damaged > 0) line.add(", " + with_noun(file.damaged, "conversation") + " could not be read", Style::bad);
    screen.text(line);
  } else {
    line.add(": " + with_noun(c.lines, "line") + ", " + with_noun(c.events, "event") + ", " +
             with_noun(c.sessions, "session fact") + ", " + grouped_digits(c.derived) +
             " skipped (memd concludes them itself), ");
    screen.text(line.add(grouped_digits(c.refused) + " refused", c.refused > 0 ? Style::bad : Style::plain));
  }
  if (!file.taken) return;
  const admin::ImportReport& t = *file.taken;
  Line taken(with_noun(t.events, "new event"), Style::good);
  taken.add(", " + grouped_digits(t.known) + " known already");
  if (t.bytes_done < t.bytes) taken.add(", the last line is not finished", Style::warning);
  screen.text(taken, 2);
}

void show(Screen& screen, const KeyReport& report) {
  if (report.file) {
    screen.text(Line(*report.file, Style::name)
                    .add(" holds a new key. Keep a copy elsewhere: without it nothing that is sealed can be read."));
    screen.line("In the configuration:");
    screen.line("  encryption: {key_file: " + *report.file + "}");
    return;
  }
  const bool sealed = report.sealed.value_or(false);
  screen.text(std::string(sealed ? "Sealed " : "Unsealed ") + with_noun(report.frames.value_or(0), "frame") + " in " +
              with_noun(report.files.value_or(0), "file") + " of the original records.");
  if (report.damaged)
    for (const std::string& name : *report.damaged)
      screen.text(Line("raw/" + name, Style::name).add(" is damaged and was left as it is", Style::bad));
  else if (!sealed)
    screen.text("Take `encryption` out of the configuration before memd runs again: it would seal what is new.");
}

void show(Screen& screen, const admin::RebuildAnswer& a) {
  if (!a.replaced) return;  // an incomplete rebuild is reported as an error
  screen.text(fmt::format("Rebuilt the store from {}: {} of records, {}, {:.2f} s.",
                          with_noun(static_cast<std::int64_t>(a.files), "file") + " of the original records",
                          short_bytes(a.bytes), with_noun(static_cast<std::int64_t>(a.events), "event"), a.seconds));
  if (!a.kept.empty())
    screen.text(Line("The old one is kept as ").add(short_path(a.kept), Style::name).add(" until the next rebuild."));
  screen.text(Line("Vectors and topics are made by the daemon, or by ")
                  .add("memd ingest --once", Style::id)
                  .add("; until then searches use words only."));
}

}  // namespace memd::cli
