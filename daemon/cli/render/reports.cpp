// Reports of memd about itself.
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memd::cli {
namespace {

std::string names_of_agents(const std::vector<std::string>& platforms) {
  std::vector<std::string> names;
  for (const std::string& platform : platforms)
    names.push_back(name_of_agent(platform));
  return tools::joined(names);
}

// Prints "Label      text", with the label in a column of its own.
void print_fact(Screen& screen, const char* label, const Line& what) {
  constexpr std::size_t kLabel = 11;
  const auto lines = wrapped(what, screen.look().columns > kLabel + 20 ? screen.look().columns - kLabel : 0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Line line(fmt::format("{:<11}", i == 0 ? label : ""), Style::faint);
    screen.line(line.append(lines[i]));
  }
}

Line ingest_line(const admin::IngestStatus& i, const Look& look) {
  if (!i.last_error.empty()) return Line("nothing new is stored: ", Style::bad).add(i.last_error).add(" (retried)");
  if (i.sources_short > 0)
    return Line(fmt::format("{} of {} sources could not be read: {}", i.sources_short, i.sources, i.shortage),
                Style::warning);
  if (!i.idle) {
    const double share = i.bytes_total > 0 ? static_cast<double>(i.bytes_done) / static_cast<double>(i.bytes_total) : 0;
    return Line("reading", Style::warning)
        .add(fmt::format(", {:.0f}% of {}, {} waiting: ", share * 100, short_bytes(i.bytes_total),
                         with_noun(static_cast<std::int64_t>(i.sources_pending), "source")))
        .add(short_path(i.current), Style::faint);
  }
  Line out("up to date", Style::good);
  out.add(", " + with_noun(static_cast<std::int64_t>(i.sources), "source"));
  if (!i.last_commit.empty()) out.add(", last entry " + when(i.last_commit, look));
  return out;
}

Line search_line(const admin::EnrichmentStatus& e) {
  if (!e.trouble.empty()) return Line("by words only: ", Style::warning).add(e.trouble);
  Line out(e.model.empty() ? "by words" : "by words and meaning (" + e.model + ")");
  const std::int64_t waiting = std::max(e.pending_terms, e.pending_vectors);
  if (waiting > 0) out.add(fmt::format(", {} still to be indexed", with_noun(waiting, "turn")), Style::warning);
  return out;
}

Line second_look_line(const admin::SecondLookStatus& s) {
  Line out("second look: ");
  if (!s.turned_off_by.empty()) return out.add("off (" + s.turned_off_by + ")");
  out.add(grouped_digits(s.made) + " of " + with_noun(s.exchanges, "turn"));
  if (s.waiting > 0) out.add(", " + grouped_digits(s.waiting) + " waiting", Style::warning);
  if (!s.paused.empty()) out.add(" (paused: " + s.paused + ")");
  return out;
}

Line memories_line(const admin::MemoryCatalogReport& m, const Look& look) {
  if (m.state != "valid") {
    Line out("the index is " + m.state, Style::bad);
    if (!m.reason.empty()) out.add(": " + m.reason);
    return out.add("; memd memory rebuild rebuilds it", Style::id);
  }
  if (!m.trouble.empty())
    return Line("the index does not match the files: ", Style::bad).add(m.trouble).add(" (retried)");
  Line out(m.memories == 1 ? "1 memory" : grouped_digits(m.memories) + " memories");
  if (m.agent_files > 0) out.add(", " + with_noun(m.agent_files, "file") + " of agents");
  if (!m.read_at.empty()) out.add(", last read " + when(m.read_at, look));
  if (m.invalid > 0)
    out.add(", " + grouped_digits(m.invalid) + " not valid", Style::warning).add(": memd memory health", Style::id);
  if (!m.unread.empty())
    out.add(", " + grouped_digits(static_cast<std::int64_t>(m.unread.size())) + " cannot be read", Style::bad);
  if (!m.stale_indexes.empty())
    out.add(", " + grouped_digits(static_cast<std::int64_t>(m.stale_indexes.size())) +
                " index.json not matching the files",
            Style::warning)
        .add(": memd memory health", Style::id);
  return out;
}

Line process_line(const admin::StatusReport& r) {
  if (r.role == "none") return Line("no daemon runs; the first client starts one", Style::warning);
  if (r.role == "silent")
    return Line("the daemon on " + r.socket + " does not answer", Style::bad).add(": memd doctor", Style::id);
  return Line("running", Style::good)
      .add(fmt::format(" for {}, pid {}, {}, {:.0f} MiB", short_duration(static_cast<std::int64_t>(r.uptime_s)), r.pid,
                       with_noun(r.connections, "client"), r.rss_mb));
}

Style style_of_event(std::string_view what) {
  if (what == "quarantined" || what == "unreachable" || what == "unsupported" || what == "drift") return Style::bad;
  if (what == "restarted" || what == "gone") return Style::warning;
  return Style::good;
}

}  // namespace

void print_platforms(Screen& screen, const std::vector<admin::PlatformReport>& platforms) {
  Table table({{"AGENT"},
               {"SESSIONS", Column::Fit::whole, true},
               {"TURNS", Column::Fit::whole, true},
               {"LAST"},
               {"SOURCES", Column::Fit::may_go, true},
               {"SIZE", Column::Fit::may_go, true},
               {"UNKNOWN", Column::Fit::may_go, true},
               {"FIRST", Column::Fit::may_go}});
  for (const admin::PlatformReport& p : platforms) {
    if (p.sources == 0 && p.sessions == 0) continue;
    table.row({Line(name_of_agent(p.platform), Style::name), Line(grouped_digits(p.sessions)),
               Line(grouped_digits(p.exchanges)), Line(when(p.span.end, screen.look()), Style::faint),
               Line(grouped_digits(p.sources), Style::faint), Line(short_bytes(p.bytes_total), Style::faint),
               Line(p.bytes_unknown == 0 ? "" : short_bytes(p.bytes_unknown), Style::warning),
               Line(p.span.start.substr(0, 10), Style::faint)});
  }
  if (table.empty()) return;
  screen.blank();
  table.print(screen);
}

void show(Screen& screen, const admin::StatusReport& r) {
  print_fact(screen, "memd", Line(r.version, Style::strong).add("  ").append(process_line(r)));
  if (r.ingest) print_fact(screen, "History", ingest_line(*r.ingest, screen.look()));
  if (!r.unread.empty()) {
    print_fact(screen, "Unread",
               Line("nothing has been read yet of " + names_of_agents(r.unread), Style::warning)
                   .add(": ")
                   .add("memd ingest --once", Style::id)
                   .add(", or the daemon, which a client's first call starts"));
  }
  for (const std::string& place : r.unread_places)
    print_fact(screen, "Not read", Line(place, Style::warning));
  const auto says = [&](std::string_view words) { return r.watcher.find(words) != std::string::npos; };
  if (says("looking at") || says("polling")) print_fact(screen, "Watching", Line(r.watcher));
  if (r.rebuild) {
    const bool good = r.rebuild->state == "replaced";
    const Style style = good ? Style::good : r.rebuild->state == "running" ? Style::warning : Style::bad;
    Line line(r.rebuild->state, style);
    if (!r.rebuild->ended.empty()) line.add(" " + when(r.rebuild->ended, screen.look()));
    print_fact(screen, "Rebuild", line.add(": " + admin::rebuild_status_text(*r.rebuild)));
  }
  if (r.capture.paused)
    print_fact(screen, "Capture",
               Line("paused", Style::warning).add(r.capture.until.empty() ? "" : " until " + r.capture.until));
  print_fact(screen, "Search", search_line(r.enrichment));
  print_fact(screen, "", second_look_line(r.second_look));
  if (!r.summaries.models.empty()) {
    Line line(fmt::format("{}: {} today, {} tokens", r.summaries.models, with_noun(r.summaries.requests, "request"),
                          short_number(r.summaries.tokens)));
    if (!r.summaries.trouble.empty()) line.add("; ").add(r.summaries.trouble, Style::warning);
    print_fact(screen, "Summaries", line);
  }
  if (r.decisions) {
    Line line(fmt::format("{} judged, {} waiting", with_noun(r.decisions->exchanges, "turn"),
                          with_noun(r.decisions->waiting, "session")));
    if (!r.decisions->trouble.empty()) line.add("; ").add(r.decisions->trouble, Style::warning);
    print_fact(screen, "Decisions", line);
  }
  if (r.memories.files > 0 || r.memories.state != "valid" || !r.memories.unread.empty() || !r.memories.trouble.empty())
    print_fact(screen, "Memories", memories_line(r.memories, screen.look()));
  for (const std::string& file : r.memories.unread)
    screen.text(Line("unread", Style::bad).add("  ").add(file), 11);
  print_fact(screen, "Store",
             Line(short_path(r.data_dir), Style::name)
                 .add(fmt::format("  {} and {} of records", short_bytes(r.store_bytes), short_bytes(r.raw_bytes))));
  if (r.next_drop)
    print_fact(
        screen, "Retention",
        Line(fmt::format("{} on {}", with_noun(r.next_drop->sessions, "session"), r.next_drop->goes.substr(0, 10)))
            .add(": memd retention", Style::id));
  if (r.sources.gone + r.sources.unreachable + r.sources.quarantined + r.sources.failing > 0) {
    Line line(with_noun(r.sources.active, "source") + " followed");
    const auto add = [&](std::int64_t n, const char* what, Style style) {
      if (n > 0) line.add(", ").add(grouped_digits(n) + what, style);
    };
    add(r.sources.gone, " gone", Style::faint);
    add(r.sources.unreachable, " unreachable", Style::warning);
    add(r.sources.quarantined, " quarantined", Style::bad);
    add(r.sources.failing, " failing", Style::bad);
    print_fact(screen, "Sources", line);
  }
  for (const admin::TroubleReport& t : r.sources.troubles)
    screen.text(Line(t.state, Style::bad).add("  ").add(short_path(t.source), Style::name).add(": ").add(t.reason), 11);
  for (const admin::PlatformReport& p : r.platforms)
    if (!p.schema_drift.empty())
      print_fact(screen, "Format",
                 Line(name_of_agent(p.platform), Style::warning)
                     .add(fmt::format(" has changed its format: {} of the last {} records are of unknown shape",
                                      p.recent_unknown_records, p.recent_records)));
  print_platforms(screen, r.platforms);
}

void show(Screen& screen, const admin::LogReport& r) {
  if (r.entries.empty()) screen.line("Nothing was logged in this time.");
  Table table({{"WHEN"},
               {"WHAT"},
               {"AGENT"},
               {"SIZE", Column::Fit::whole, true},
               {"SOURCE", Column::Fit::shrinks},
               {"DETAIL", Column::Fit::shrinks}});
  for (const admin::LogLine& e : r.entries)
    table.row({Line(when(e.time, screen.look()), Style::faint), Line(e.what, style_of_event(e.what)),
               Line(name_of_agent(e.platform), Style::name),
               Line(e.bytes == 0 ? "" : short_bytes(e.bytes), Style::faint), Line(short_path(e.source)),
               Line(e.detail, Style::faint)});
  table.print(screen);
}

void show(Screen& screen, const tools::DiagnosticsReport& r) {
  if (r.diagnostics.empty()) {
    screen.line(Line("Nothing went wrong in the last 30 days.", Style::good));
    return;
  }
  screen.line(fmt::format("{} of {}, newest first", r.diagnostics.size(), with_noun(r.total, "diagnostic"))).blank();
  for (const tools::DiagnosticLine& d : r.diagnostics) {
    Line line(when(d.time, screen.look()), Style::faint);
    line.add("  ").add(d.severity, d.severity == "error" ? Style::bad : Style::warning);
    line.add("  ").add(d.error_type, Style::strong).add("  ").add(name_of_agent(d.platform), Style::name);
    if (!d.fields.empty()) line.add("  ").add(tools::joined(d.fields));
    screen.text(line);
    constexpr std::size_t kIndent = 4;
    if (!d.source.empty())
      screen.text(Line(short_path(d.source) + (d.place.empty() ? "" : ", " + d.place), Style::faint), kIndent);
    if (!d.action.empty()) screen.text(Line(d.action), kIndent);
  }
}

Line fate(const admin::LedgerLine& line) {
  return Line(line.disposition, line.disposition == "unknown"   ? Style::bad
                                : line.disposition == "skipped" ? Style::faint
                                                                : Style::good);
}

void show(Screen& screen, const admin::CoverageReport& r) {
  Table table({{"AGENT"},
               {"RECORD", Column::Fit::shrinks},
               {"FATE"},
               {"RECORDS", Column::Fit::whole, true},
               {"SIZE", Column::Fit::whole, true},
               {"REASON", Column::Fit::shrinks},
               {"SOURCE", Column::Fit::may_go}});
  for (const admin::CoverageLine& c : r.coverage) {
    table.row({Line(name_of_agent(c.platform), Style::name), Line(c.record_type), fate(c),
               Line(grouped_digits(static_cast<std::int64_t>(c.records))), Line(short_bytes(c.bytes)),
               Line(c.reason, Style::faint), Line(short_path(c.source), Style::faint)});
  }
  table.print(screen);
  if (!r.coverage.empty()) screen.blank();
  const auto share = [&](std::uint64_t n) {
    return r.bytes_total == 0 ? 0.0 : 100.0 * static_cast<double>(n) / static_cast<double>(r.bytes_total);
  };
  screen.text(
      Line(fmt::format("{}: {} indexed ({:.1f}%), {} skipped, {} of unknown shape, {} unfinished",
                       short_bytes(r.bytes_total), short_bytes(r.bytes_indexed), share(r.bytes_indexed),
                       short_bytes(r.bytes_skipped), short_bytes(r.bytes_unknown), short_bytes(r.bytes_pending))));
}

namespace {

void print_agents(Screen& screen, const std::vector<admin::DoctorAgent>& agents) {
  const auto yes_or_no = [](const std::optional<bool>& is) {
    return is ? Line(*is ? "yes" : "no", *is ? Style::good : Style::warning) : Line("–", Style::faint);
  };
  Table table({{"AGENT"},
               {"VERSION", Column::Fit::may_go},
               {"SESSIONS", Column::Fit::whole, true},
               {"TURNS", Column::Fit::may_go, true},
               {"READ SINCE", Column::Fit::may_go},
               {"LAST TURN"},
               {"REGISTERED"},
               {"HOOKS"},
               {"MISSING", Column::Fit::shrinks}});
  for (const admin::DoctorAgent& a : agents)
    table.row({Line(a.name, Style::name), Line(a.version, Style::faint),
               Line(a.has_history ? grouped_digits(a.sessions) : ""),
               Line(a.has_history ? grouped_digits(a.turns) : ""), Line(a.read_since.substr(0, 10), Style::faint),
               Line(when(a.last_turn, screen.look()), Style::faint), yes_or_no(a.is_registered), yes_or_no(a.has_hooks),
               Line(tools::joined(a.missing), Style::warning)});
  if (table.empty()) return;
  screen.blank();
  table.print(screen);
}

}  // namespace

void show(Screen& screen, const admin::DoctorReport& r) {
  std::size_t width = 0;
  for (const admin::DoctorCheck& c : r.checks)
    width = std::max(width, c.name.size());
  std::int64_t notes = 0;
  for (const admin::DoctorCheck& c : r.checks) {
    const bool ok = c.status == "ok";
    notes += c.status == "note" ? 1 : 0;
    const Style style = ok ? Style::good : c.status == "note" ? Style::warning : Style::bad;
    Line head(fmt::format("{:<8}", c.status), style);
    head.add(fmt::format("{:<{}}  ", c.name, width), Style::strong);
    const std::size_t indent = 8 + width + 2;
    const std::size_t columns = screen.look().columns > indent + 20 ? screen.look().columns - indent : 0;
    const auto details = wrapped(Line(c.detail), columns);
    for (std::size_t i = 0; i < details.size(); ++i)
      screen.line(Line(i == 0 ? head : Line(std::string(indent, ' '))).append(details[i]));
    if (!c.fix.empty()) screen.text(Line(c.fix, Style::id), indent);
  }
  print_agents(screen, r.agents);
  const auto lacks = [](const admin::DoctorAgent& a) { return a.has_program.value_or(false) && !a.missing.empty(); };
  const bool is_open = std::any_of(r.agents.begin(), r.agents.end(), lacks);
  if (is_open) screen.text(Line("memd setup", Style::id).add(" registers what is missing."));
  screen.blank();
  if (!r.ok)
    screen.line(Line("There are problems.", Style::bad));
  else if (notes == 0)
    screen.line(Line(is_open ? "No problems." : "All is well.", Style::good));
  else
    screen.line(Line("No problems; ").add(with_noun(notes, "note") + " above.", Style::warning));
}

namespace {

void print_sessions(Screen& screen, const char* title, const tools::ListSessionsAnswer& answer) {
  if (answer.sessions.empty()) return;
  screen.blank().line(Line(title, Style::strong));
  SessionNames names(screen.look());
  for (const tools::SessionOut& s : answer.sessions)
    names.add(s.session_id);
  Table table({{""},
               {""},
               {"", Column::Fit::shrinks},
               {"", Column::Fit::shrinks},
               {"", Column::Fit::whole, true},
               {"", Column::Fit::may_go}});
  for (const tools::SessionOut& s : answer.sessions)
    table.row({Line(names.name(s.session_id), Style::id), Line(when(s.last_event_at, screen.look()), Style::faint),
               Line(s.project, Style::name), Line(s.session_name, Style::strong),
               Line(with_noun(s.exchanges, "turn"), Style::faint), Line(name_of_agent(s.platform), Style::faint)});
  table.print(screen);
}

void print_beginning(Screen& screen, const Today& today) {
  screen.line(Line("memd keeps what you and your coding agents worked out. Nothing is stored yet.", Style::strong));
  const auto& unread = today.status.unread;
  screen
      .text(Line(unread.empty() ? "No history of an agent was found here."
                                : "Found here: history of " + names_of_agents(unread) + "."))
      .blank();
  const auto step = [&](const char* command, const std::string& what) {
    screen.text(Line("  ").add(fmt::format("{:<28}", command), Style::id).add(what));
  };
  const auto& clients = today.clients_without_memd;
  step("memd ingest --once", "read the history that is on this machine");
  step("memd setup", "register memd with " + (clients.empty() ? "the agents found here" : tools::joined(clients)));
  step("memd search WORDS", "find what was said and done");
  step("memd help", "all commands");
}

}  // namespace

void show(Screen& screen, const Today& today) {
  const admin::StatusReport& status = today.status;
  if (today.last.sessions.empty() &&
      std::ranges::all_of(status.platforms, [](const auto& p) { return p.sessions == 0; })) {
    print_beginning(screen, today);
    return;
  }
  Line head("memd ", Style::strong);
  std::int64_t sessions = 0;
  std::int64_t turns = 0;
  for (const admin::PlatformReport& p : status.platforms) {
    sessions += p.sessions;
    turns += p.exchanges;
  }
  head.add(with_noun(sessions, "session") + ", " + with_noun(turns, "turn") + "; ").append(process_line(status));
  screen.text(head);
  // Pending problems, the worst first.
  const auto waits = [&screen](const Line& line) { screen.text(Line("! ", Style::warning).append(line)); };
  if (status.ingest && (!status.ingest->last_error.empty() || !status.ingest->idle || status.ingest->sources_short > 0))
    waits(ingest_line(*status.ingest, screen.look()));
  if (!today.clients_without_memd.empty()) waits(Line("No agent here knows memd yet").add(": memd setup", Style::id));
  if (status.capture.paused) waits(Line("Capture is paused").add(": memd capture resume", Style::id));
  if (!status.sources.troubles.empty())
    waits(Line(with_noun(static_cast<std::int64_t>(status.sources.troubles.size()), "source") + " cannot be read")
              .add(": memd doctor", Style::id));
  for (const admin::PlatformReport& p : status.platforms)
    if (!p.schema_drift.empty())
      waits(Line(name_of_agent(p.platform) + " has changed its format").add(": memd doctor", Style::id));
  const std::int64_t unindexed = std::max(status.enrichment.pending_terms, status.enrichment.pending_vectors);
  if (unindexed > 0) waits(Line(with_noun(unindexed, "turn") + " not yet found by meaning"));
  if (status.next_drop)
    waits(Line(with_noun(status.next_drop->sessions, "session") + " dropped on " + status.next_drop->goes.substr(0, 10))
              .add(": memd retention", Style::id));
  print_sessions(screen, "Running now", today.running);
  tools::ListSessionsAnswer last = today.last;
  std::erase_if(last.sessions, [](const tools::SessionOut& s) { return s.state == "active" || s.state == "started"; });
  print_sessions(screen, "Last", last);
  if (!screen.look().is_terminal) return;
  screen.blank().text(Line("memd search WORDS", Style::id)
                          .add("  ·  ", Style::faint)
                          .add("memd sessions", Style::id)
                          .add("  ·  ", Style::faint)
                          .add("memd help", Style::id));
}

}  // namespace memd::cli
