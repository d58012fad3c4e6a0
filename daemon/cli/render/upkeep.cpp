// Views of changes to the store, actual or planned: ingest, retention, forgetting.
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"

#include <fmt/format.h>

namespace memd::cli {
namespace {

std::string day_of_rfc3339(std::string_view time) { return std::string(time.substr(0, 10)); }

// Returns "3 sessions with the texts of 12 turns, 4.5 MB of records".
std::string what_goes(std::int64_t sessions, std::int64_t turns, std::uint64_t raw_bytes) {
  return with_noun(sessions, "session") + " with the texts of " + with_noun(turns, "turn") + ", " +
         short_bytes(raw_bytes) + " of records";
}

void print_second_look(Screen& screen, const admin::SecondLookRun& r) {
  if (r.exchanges > 0)
    screen.text(Line(fmt::format("Vectors of the second look of {} in {:.2f} s.",
                                 with_noun(static_cast<std::int64_t>(r.exchanges), "turn"), r.seconds)));
  if (r.waiting == 0) return;
  Line line(with_noun(r.waiting, "turn") + " still without", Style::warning);
  if (!r.trouble.empty()) line.add(": " + r.trouble);
  screen.text(line);
}

std::vector<Column> columns_of_sessions(std::vector<Column> before) {
  before.insert(before.end(), {{"SESSION"},
                               {"TITLE", Column::Fit::shrinks},
                               {"SESSIONS", Column::Fit::may_go, true},
                               {"TURNS", Column::Fit::whole, true},
                               {"SIZE", Column::Fit::whole, true},
                               {"WHY", Column::Fit::shrinks}});
  return before;
}

}  // namespace

void show(Screen& screen, const admin::IngestReport& r) {
  if (r.platforms.empty()) screen.line("No history of any agent was found.");
  screen.text(Line(fmt::format("Read {} in {:.2f} s ({:.0f} MB/s): {}. Peak memory {:.0f} MiB.",
                               short_bytes(r.bytes_read), r.seconds, r.mb_per_s,
                               with_noun(static_cast<std::int64_t>(r.events_written), "new event"), r.peak_rss_mb)));
  Line ledger(fmt::format("{} of sources: {} indexed, {} skipped for a reason that `memd coverage` names",
                          short_bytes(r.bytes_total), short_bytes(r.bytes_indexed), short_bytes(r.bytes_skipped)),
              Style::faint);
  if (r.bytes_pending > 0) ledger.add(", " + short_bytes(r.bytes_pending) + " unfinished", Style::faint);
  if (r.bytes_unknown > 0) ledger.add(", ").add(short_bytes(r.bytes_unknown) + " of unknown shape", Style::warning);
  screen.text(ledger);
  if (r.diagnostics > 0)
    screen.text(Line(with_noun(r.diagnostics, "diagnostic"), Style::warning).add(": memd diagnostics", Style::id));
  if (r.enrichment && r.enrichment->exchanges > 0)
    screen.text(Line(fmt::format("Vectors and topics of {} in {:.2f} s.",
                                 with_noun(static_cast<std::int64_t>(r.enrichment->exchanges), "turn"),
                                 r.enrichment->seconds)));
  if (r.enrichment && !r.enrichment->trouble.empty())
    screen.text(Line(with_noun(r.enrichment->pending_vectors, "turn") + " found by words alone: ", Style::warning)
                    .add(r.enrichment->trouble));
  if (r.second_look) print_second_look(screen, *r.second_look);
  print_platforms(screen, r.platforms);
  if (!r.complete)
    screen.blank().text(Line("Not all was read: ", Style::bad)
                            .add(with_noun(r.unread, "source") + " could not be read; the first: " + r.unread_why));
  for (const std::string& place : r.unread_places)
    screen.text(Line("Not read: ", Style::warning).add(place));
}

void show(Screen& screen, const admin::RetentionReport& r) {
  if (r.max_age_days == 0 && r.max_raw_bytes == 0) {
    screen.text("Everything is kept: no limit is set (retention.max_age_days, retention.max_raw_bytes).");
    return;
  }
  if (r.dropped)
    screen.text(Line("Dropped: ", Style::warning)
                    .add(what_goes(r.dropped->sessions, r.dropped->exchanges, r.dropped->raw_bytes) + "."));
  if (r.waiting > 0)
    screen.text(with_noun(r.waiting, "session") + (r.waiting == 1 ? " is" : " are") + " past a limit and " +
                (r.waiting == 1 ? "stays" : "stay") + " until the analysis is made.");
  if (r.drops.empty()) {
    screen.text("Nothing is dropped in this period.");
    return;
  }
  SessionNames names(screen.look());
  for (const admin::DropReport& d : r.drops)
    names.add(d.session_id);
  Table table(columns_of_sessions({{"GOES"}, {"ENDED", Column::Fit::may_go}}));
  for (const admin::DropReport& d : r.drops)
    table.row({Line(day_of_rfc3339(d.goes), Style::warning), Line(day_of_rfc3339(d.ended), Style::faint),
               Line(names.name(d.session_id), Style::id), Line(d.title, Style::strong),
               Line(d.sessions == 1 ? "" : grouped_digits(d.sessions)), Line(grouped_digits(d.exchanges)),
               Line(short_bytes(d.raw_bytes), Style::faint), Line(d.reason, Style::faint)});
  table.print(screen);
  screen.blank();
  if (!r.large_notice.empty()) screen.text(Line(r.large_notice, Style::warning));
  if (r.due.sessions == 0) {
    screen.text(
        Line("None of it is past its limit now: ").add("memd retention --apply", Style::id).add(" drops nothing."));
    return;
  }
  screen.text(Line("memd retention --apply", Style::id)
                  .add(" drops now: " + what_goes(r.due.sessions, r.due.exchanges, r.due.raw_bytes) + "."));
  screen.text(Line("Titles, digests, decisions, files, commits and the first lines of each turn stay.", Style::faint));
}

void show(Screen& screen, const admin::ForgetReport& r) {
  if (r.sessions.empty() && r.exchanges == 0 && r.records == 0 && r.memories.empty()) {
    screen.line("Nothing in the store matches that.");
    return;
  }
  SessionNames names(screen.look());
  for (const admin::ForgetLine& s : r.sessions)
    names.add(s.session_id);
  Table table(columns_of_sessions({{"ENDED"}, {"PROJECT", Column::Fit::shrinks}}));
  for (const admin::ForgetLine& s : r.sessions)
    table.row({Line(day_of_rfc3339(s.ended), Style::faint), Line(s.project, Style::name),
               Line(names.name(s.session_id), Style::id), Line(s.title, Style::strong),
               Line(s.sessions == 1 ? "" : grouped_digits(s.sessions)), Line(grouped_digits(s.exchanges)),
               Line(short_bytes(s.raw_bytes), Style::faint), Line(s.reason, Style::faint)});
  if (!r.sessions.empty()) table.print(screen);
  for (const admin::ForgetExchange& e : r.single_exchanges)
    screen.text(Line(e.id, Style::id).add("  " + day_of_rfc3339(e.started) + "  ", Style::faint).add(e.prompt));
  for (const std::string& file : r.memories)
    screen.text(Line(file, Style::name).add(" holds the text, too, and is yours to change."));
  const std::string all =
      r.of_text            ? "the text in " + with_noun(r.exchanges, "turn") + " and " + with_noun(r.records, "record")
      : r.sessions.empty() ? with_noun(r.exchanges, "turn")
                           : what_goes(r.all_sessions, r.exchanges, r.raw_bytes);
  screen.blank();
  if (r.done)
    screen.text(Line("Forgotten: ", Style::warning).add(all + "."));
  else
    screen.text(Line("Would be forgotten: ", Style::warning)
                    .add(all + ". Nothing was done: add --yes. It cannot be undone; the agents' own files stay."));
}

void show(Screen& screen, const admin::ProjectReport& r) {
  if (!r.change.empty()) screen.text(Line(r.change + "."));
  if (!r.change.empty()) screen.blank();
  if (r.projects.empty()) {
    screen.line("No project is known yet.");
    return;
  }
  Table table({{"PROJECT"},
               {"SESSIONS", Column::Fit::whole, true},
               {"PATH", Column::Fit::shrinks},
               {"BELONGS TO", Column::Fit::shrinks},
               {"BY"}});
  for (const admin::ProjectLine& p : r.projects)
    table.row({Line(p.project, Style::name), Line(grouped_digits(p.sessions)), Line(p.path), Line(p.joined_to),
               Line(p.by, Style::faint)});
  table.print(screen);
}

void show(Screen& screen, const tools::CaptureAnswer& a) {
  if (!a.paused) {
    screen.text(Line("Capture is on", Style::good).add(": what agents write is stored."));
    return;
  }
  const Look& look = screen.look();
  Line line("Capture is paused", Style::warning);
  line.add(" since " + when_exactly(a.since, look));
  line.add(a.until.empty() ? ", until it is resumed" : ", until " + when_exactly(a.until, look));
  screen.text(line.add(". What agents write meanwhile is not stored, not even later."));
}

}  // namespace memd::cli
