// `memd memory promote`, `suggest`, `recap`, `verify`: memories made from history and checked against git.
#include "daemon/cli/memory_commands.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/memories/promotion.hpp"
#include "daemon/memories/verification.hpp"
#include "daemon/tools/answer.hpp"
#include "daemon/tools/time_argument.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "store/harvest/recap.hpp"
#include "store/harvest/suggestions.hpp"
#include "store/memory/memory_text.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <iostream>
#include <limits>
#include <utility>

namespace memd::cli {
namespace {

using memories::Notebook;

MemoryWrittenReport draft_report(const Memory& draft, MemoryScope scope) {
  MemoryWrittenReport out;
  out.type = to_string(draft.type);
  out.title = draft.title;
  out.scope = to_string(scope);
  out.content = draft.content;
  return out;
}

MemoryWrittenReport draft_report(const memories::Promotion& made) {
  MemoryWrittenReport out = draft_report(made.draft, made.draft.scope);
  out.similar.emplace();
  for (const auto& one : made.similar)
    out.similar->push_back({one.slug, std::string(to_string(one.scope)), one.title, one.path.string(), one.likeness});
  return out;
}

// The report of a promotion and its exit code: kFailed if duplicates prevented writing.
struct Promoted {
  MemoryWrittenReport report;
  int code = kOk;
};

// Promotes an exchange, observation or decision, and prints the result for a user.
Result<Promoted> promoted(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  memories::PromoteRequest request;
  request.from = o.from.value_or("");
  MEMD_TRY_ASSIGN(const auto to, destination(o));
  MEMD_TRY_ASSIGN(request.place, notebook.place_for_new(to));
  if (to.type) {
    MEMD_TRY_ASSIGN(request.type, notebook.type_for_new(to, request.place.dialect));
  }
  request.title = o.title.value_or("");
  request.slug = o.slug;
  request.dry_run = o.dry_run;
  request.force = o.force;
  Reader reader(call.settings.layout.database());
  MEMD_TRY_ASSIGN(const auto made,
                  memories::promote(reader, notebook.places(), request, system_clock(), names_of_log(call.settings)));
  if (made.written) {
    if (!call.as_json) MEMD_TRY(print_written(call, made.written->memory, "created", made.written->masked));
    return Promoted{written_report(made.written->memory, true, made.written->masked)};
  }
  if (o.dry_run && !call.as_json) std::cout << harmless(memory::new_memory_text(made.draft));
  for (const auto& one : made.similar)
    std::cerr << "memd: " << harmless_line(one.slug) << " (" << to_string(one.scope)
              << ") says the same: " << harmless_line(one.title) << '\n';
  if (!o.dry_run) std::cerr << "memd: nothing was written; --force writes it all the same\n";
  return Promoted{draft_report(made), o.dry_run ? kOk : kFailed};
}

Result<int> promote_memory(const MemoryOptions& o, const Invocation& call) {
  MEMD_TRY_ASSIGN(const Promoted made, promoted(o, call));
  if (call.as_json) MEMD_TRY(print_json(call, made.report));
  return made.code;
}

constexpr std::int64_t kSuggestDays = 14;
constexpr std::int64_t kSuggestCount = 10;

std::vector<Memory> valid_memories(const Notebook& notebook) {
  std::vector<Memory> out;
  for (auto& read : notebook.all())
    if (read.is_valid()) out.push_back(std::move(read.memory));
  return out;
}

// Returns "of /home/ada/app "; empty: of all projects.
std::string of_project(const Notebook& notebook) {
  const auto& project = notebook.places().project;
  return project.empty() ? std::string() : "of " + harmless(project.string()) + " ";
}

Result<int> print_suggestions(const Invocation& call, const Notebook& notebook,
                              const std::vector<harvest::Suggestion>& all) {
  if (call.as_json) {
    SuggestReport report;
    report.suggestions.emplace();
    for (const auto& one : all)
      report.suggestions->push_back({one.id, format_exchange_id(one.exchange), one.session_uid, one.project,
                                     format_rfc3339(one.time), std::string(to_string(one.draft.type)), one.draft.title,
                                     one.score, one.reasons});
    return print_json(call, report);
  }
  Screen screen(call.look);
  for (const auto& one : all) {
    screen.text(Line(fmt::format("{:<6} ", one.id), Style::id)
                    .add(fmt::format("{:<8} ", to_string(one.draft.type)), Style::good)
                    .add(one.draft.title, Style::strong));
    constexpr std::size_t kIndent = 7;
    screen.text(
        Line(format_exchange_id(one.exchange), Style::id)
            .add(" of " + format_rfc3339(one.time).substr(0, 10) + "; " + tools::joined(one.reasons), Style::faint),
        kIndent);
  }
  if (all.empty())
    screen.text("Nothing " + of_project(notebook) +
                "in these days is worth a memory that there is not yet. --days looks further back.");
  else
    screen.blank().text(Line("memd memory promote " + all.front().id, Style::id).add(" writes the first one."));
  return finish(screen);
}

Result<int> print_links(const Invocation& call, const std::vector<harvest::LinkSuggestion>& all) {
  if (call.as_json) {
    SuggestReport report;
    report.links.emplace();
    for (const auto& one : all)
      report.links->push_back({one.id, one.source, one.target, std::string(to_string(one.scope)), one.reasons});
    return print_json(call, report);
  }
  Screen screen(call.look);
  for (const auto& one : all)
    screen.text(Line(one.id, Style::id)).text(Line(tools::joined(one.reasons), Style::faint), 4);
  if (!all.empty())
    screen.blank().text(Line("memd memory suggest --accept " + all.front().id, Style::id).add(" makes the first one."));
  else
    screen.text("There are no memories without a link that seem to belong together.");
  return finish(screen);
}

// Links two memories: --accept "a+b". Any other value is promoted.
Result<int> accept_link(const MemoryOptions& o, const Invocation& call, const Notebook& notebook) {
  const auto plus = o.accept->find('+');
  const std::string source = o.accept->substr(0, plus);
  const std::string target = o.accept->substr(plus + 1);
  MEMD_TRY_ASSIGN(const auto name, memory_named(o, source));
  MEMD_TRY_ASSIGN(const auto found, notebook.find_to_write(name));
  MEMD_TRY_ASSIGN(const auto done, notebook.link(found, target, std::nullopt));
  if (call.as_json) {
    SuggestReport report;
    report.linked = MemoryLinkReport{source, target, done.label, done.changed};
    return print_json(call, report);
  }
  Screen screen(call.look);
  screen.text(link_line(source, done.label, target, done.changed));
  return finish(screen);
}

Result<int> suggest_memory(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  if (o.accept && o.accept->find('+') != std::string::npos) return accept_link(o, call, notebook);
  if (o.accept) {
    MemoryOptions accepted = o;
    accepted.from = o.accept;
    MEMD_TRY_ASSIGN(const Promoted made, promoted(accepted, call));
    SuggestReport report;
    report.written = made.report;
    if (call.as_json) MEMD_TRY(print_json(call, report));
    return made.code;
  }
  const std::int64_t asked = o.count.value_or(kSuggestCount);
  const std::size_t most = asked == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(asked);
  const auto memories = valid_memories(notebook);
  if (o.links) return print_links(call, harvest::suggest_links(memories, most));
  harvest::SuggestionsQuery query;
  query.filter.since = system_clock().now() - o.days.value_or(kSuggestDays) * kMsPerDay;
  const auto& project = notebook.places().project;
  if (!project.empty()) query.filter.project = project_tree(project.string());
  query.project = project;
  Reader reader(call.settings.layout.database());
  MEMD_TRY_ASSIGN(auto all, reader.ask(query));
  return print_suggestions(call, notebook, harvest::not_known(std::move(all), harvest::KnownMemories(memories), most));
}

Result<int> recap_memory(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  harvest::RecapQuery query;
  query.day = local_day(command_clock().now());
  if (!o.file.empty()) {
    MEMD_TRY_ASSIGN(const TimeMs time,
                    tools::parse_time_argument("DATE", o.file, tools::RangeEnd::since, command_clock()));
    query.day = local_day(time);
  }
  const auto& project = notebook.places().project;
  if (!project.empty()) query.filter.project = project_tree(project.string());
  query.project = project;
  query.sections = call.settings.config.memory.garden.recap;
  Reader reader(call.settings.layout.database());
  MEMD_TRY_ASSIGN(const auto recap, reader.ask(query));
  if (!recap) return Error(Errc::not_found, "memd knows of nothing " + of_project(notebook) + "on that day");
  if (!o.write && call.as_json) return print_json(call, draft_report(*recap, MemoryScope::project));
  if (!o.write) {
    Screen screen(call.look);
    screen.as_it_is(harmless(recap->content));
    return finish(screen);
  }
  MEMD_TRY_ASSIGN(const auto place, notebook.place_for_new({{}, MemoryScope::project, MemoryDialect::repository}));
  auto directory = notebook.directory(place);
  if (const auto there = directory.read(recap->slug)) {
    memory::MemoryChange change;
    change.content = "\n" + recap->content;
    MEMD_TRY_ASSIGN(const auto done, directory.update(recap->slug, change, there->memory.file_hash));
    return print_written(call, done.memory, "changed", done.masked);
  }
  MEMD_TRY_ASSIGN(const auto done, directory.create(*recap));
  return print_written(call, done.memory, "created", done.masked);
}

struct Checked {
  memory::MemoryPlace place;
  Memory memory;
  memories::Verified found;
  bool written = false;
};

VerifyReport report_of(const std::vector<Checked>& all) {
  VerifyReport report;
  for (const Checked& one : all) {
    CheckedMemory out{one.memory.slug, one.memory.path.string(), std::string(to_string(one.found.status)),
                      one.found.base,  one.found.named,          {},
                      one.written};
    for (const auto& commit : one.found.changed_by)
      out.commits.push_back({commit.sha, commit.subject});
    report.memories.push_back(std::move(out));
  }
  return report;
}

Result<int> print_checked(const Invocation& call, const std::vector<Checked>& all) {
  if (call.as_json) return print_json(call, report_of(all));
  Screen screen(call.look);
  for (const Checked& one : all) {
    const bool stale = to_string(one.found.status) == "stale";
    Line line(fmt::format("{:<9} ", to_string(one.found.status)), stale ? Style::warning : Style::good);
    line.add(one.memory.slug, Style::id);
    screen.text(line.add(one.found.why.empty() ? "" : " (" + one.found.why + ")"));
    constexpr std::size_t kIndent = 10;
    for (const auto& commit : one.found.changed_by)
      screen.text(Line(commit.sha.substr(0, 12), Style::warning).add(" ").add(commit.subject), kIndent);
  }
  return finish(screen);
}

// Writes the status with --mark or --ok. The base is stored with `stale`, so that a later check starts from the same
// commit.
Result<void> write_status(const Notebook& notebook, Checked& one, bool ok, const memories::Git& git) {
  MemoryVerification now{one.found.base, one.found.status};
  if (ok) {
    MEMD_TRY_ASSIGN(now.last_verified_commit, git.commit("HEAD"));
    now.status = VerificationStatus::verified;
  }
  if (now == one.memory.verification || (!ok && one.found.status == VerificationStatus::unknown)) return {};
  memory::MemoryChange change;
  change.verification = now;
  MEMD_TRY(notebook.places().policy.check_write(one.place.scope, one.place.dialect));
  MEMD_TRY(notebook.directory(one.place).update(one.memory.slug, change, one.memory.file_hash));
  one.found.status = now.status;
  one.written = true;
  return {};
}

Result<memories::Git> repository_of(const Notebook& notebook) {
  if (notebook.places().project.empty())
    return Error(Errc::invalid_argument, "memories are held against a repository: name its directory (--project DIR)");
  return memories::Git::open(notebook.places().project);
}

Result<std::vector<Checked>> checked(const Notebook& notebook, const std::optional<memories::MemoryName>& name,
                                     const memories::Git& git) {
  std::vector<Checked> all;
  if (name) {
    MEMD_TRY_ASSIGN(auto found, notebook.find(*name));
    all.push_back({found.place, std::move(found.read.memory), {}, false});
  } else {
    for (const auto& place : notebook.places().places())
      for (auto& read : notebook.directory(place).read_all())
        if (read.is_valid()) all.push_back({place, std::move(read.memory), {}, false});
  }
  for (Checked& one : all) {
    MEMD_TRY_ASSIGN(one.found, memories::verify(one.memory, git));
  }
  return all;
}

Result<int> verify_memory(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  if (o.ok && o.slug.empty()) return Error(Errc::invalid_argument, "--ok: name the memory that you have read");
  MEMD_TRY_ASSIGN(const auto git, repository_of(notebook));
  std::optional<memories::MemoryName> name;
  if (!o.slug.empty()) {
    MEMD_TRY_ASSIGN(name, memory_named(o, o.slug));
  }
  MEMD_TRY_ASSIGN(auto all, checked(notebook, name, git));
  for (Checked& one : all) {
    if (o.mark || o.ok) MEMD_TRY(write_status(notebook, one, o.ok, git));
    if (one.written && o.ok) one.found.changed_by.clear();
  }
  return print_checked(call, all);
}

}  // namespace

Result<VerifyReport> verify_report(const Notebook& notebook, const std::optional<memories::MemoryName>& name) {
  MEMD_TRY_ASSIGN(const auto git, repository_of(notebook));
  MEMD_TRY_ASSIGN(const auto all, checked(notebook, name, git));
  return report_of(all);
}

std::vector<Command> memory_history_commands(const Options& o) {
  const Option scope{"--scope", &o->scope, "global, project, local or enterprise"};
  Option count = rows_option(&o->count, "How many (10); 0: all");
  count.names += ",--count";
  return {
      memory_subcommand<MemoryWrittenReport>(
          "promote", "Make a memory of a turn, an observation or a decision", o,
          {{.names = "id", .target = &o->from, .help = "x42, SESSION#3, o99 or d99", .required = true},
           {"--type", &o->type, "decision, learning, gotcha, …; or adr, fact, …"},
           {"--title", &o->title, "Instead of the one that is made"},
           {"--slug", &o->slug, "Its name; made of type and title if not given"},
           scope,
           {.names = "--dialect",
            .target = &o->dialect,
            .help = "plugin or repository",
            .one_of = {"plugin", "repository"}},
           {"--dry-run", &o->dry_run, "Show it and what is like it; write nothing"},
           {"--force", &o->force, "Write it although a memory says the same"}},
          promote_memory),
      memory_subcommand<SuggestReport>("suggest", "What from recent days is worth a memory", o,
                                       {{"--days", &o->days, "How far back; 14 if not given"},
                                        count,
                                        {"--links", &o->links, "Links between memories instead"},
                                        {"--accept", &o->accept, "Write what this id proposes: o99, a+b"},
                                        scope},
                                       suggest_memory),
      memory_subcommand<MemoryWrittenReport>(
          "recap", "What happened on a day", o,
          {{"date", &o->file, "2026-02-09, yesterday, …; today if not given"},
           {"--write", &o->write, "Write it to episodic/<date>.md of the repository dialect"}},
          recap_memory),
      memory_subcommand<VerifyReport>("verify", "Whether git has changed what memories name", o,
                                      {{"slug", &o->slug, "Only this one"},
                                       scope,
                                       {"--mark", &o->mark, "Write the status into the files"},
                                       {"--ok", &o->ok, "It is right as it stands: verified at HEAD"}},
                                      verify_memory),
  };
}

}  // namespace memd::cli
