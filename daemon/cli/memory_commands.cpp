// `memd memory …`: memories as files. Works on the files directly; only `rebuild` contacts the daemon.
#include "daemon/cli/memory_commands.hpp"
#include "daemon/admin/reports.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/render/table.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/log_ids.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "daemon/interchange/output_file.hpp"
#include "daemon/report/memory_map.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "store/files/scope_root.hpp"
#include "store/files/whole_file.hpp"
#include "store/harvest/draft.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace memd::cli {
namespace {

namespace fs = std::filesystem;
using memories::Notebook;
using memory::ReadMemory;

Error wrong_usage(std::string what) { return Error(Errc::invalid_argument, std::move(what)); }

Result<std::optional<MemoryScope>> scope_of(const MemoryOptions& o) {
  if (!o.scope) return std::optional<MemoryScope>();
  const auto scope = parse_memory_scope(*o.scope);
  if (!scope) return wrong_usage("--scope: send one of global, project, local, enterprise");
  return scope;
}

Result<std::optional<MemoryType>> type_of(const MemoryOptions& o) {
  if (!o.type) return std::optional<MemoryType>();
  const auto type = parse_memory_type(*o.type);
  if (!type)
    return wrong_usage("--type: send one of " + memory_type_names(MemoryDialect::plugin) + ", " +
                       memory_type_names(MemoryDialect::repository));
  return type;
}

// Empty: none is set.
std::string editor_of_user() {
  for (const char* variable : {"VISUAL", "EDITOR"})
    if (const char* editor = std::getenv(variable); editor != nullptr && *editor != '\0') return editor;
  return {};
}

Result<int> open_editor(const fs::path& file) {
  const std::string editor = editor_of_user();
  if (editor.empty())
    return wrong_usage("say what to change (--title, --type, --tags, a file with the text), or set $EDITOR");
  const std::string command = editor + " \"$1\"";
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno(errno, "fork", editor);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), "sh", file.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return Error(Errc::io, editor + " failed");
  return kOk;
}

// Returns what a person writes in an editor.
Result<std::string> text_written() {
  std::string file = (fs::temp_directory_path() / "memd-memory-XXXXXX.md").string();
  const int fd = ::mkstemps(file.data(), 3);
  if (fd < 0) return Error::from_errno(errno, "create", file);
  ::close(fd);
  const auto edited = open_editor(file);
  auto text = edited ? files::read_named(file, files::kMostTextBytes) : Result<std::string>(edited.error());
  std::error_code ignored;
  fs::remove(file, ignored);
  if (text && ascii::trimmed(*text).empty()) return wrong_usage("nothing was written, so there is no memory");
  return text;
}

Result<std::string> text_given(const std::string& file) {
  if (file.empty() && ::isatty(STDIN_FILENO) == 1)
    return editor_of_user().empty() ? Result<std::string>(std::string()) : text_written();
  if (!file.empty() && file != "-") return files::read_named(file, files::kMostTextBytes);
  std::string text(files::kMostTextBytes + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.size() <= files::kMostTextBytes) return text;
  return wrong_usage("standard input has more than " + std::to_string(files::kMostTextBytes >> 20) + " MiB");
}

}  // namespace

Notebook notebook_of(const Settings& s) {
  std::error_code ec;
  return notebook_of(s, s.project.empty() ? memories::project_of(fs::current_path(ec), s.home) : s.project);
}

Notebook notebook_of(const Settings& s, fs::path project) {
  return Notebook({s.home, std::move(project), s.config.memory.enterprise_path, s.config.memory.policy},
                  s.config.memory, system_clock());
}

Result<memories::MemoryName> memory_named(const MemoryOptions& o, const std::string& slug) {
  MEMD_TRY_ASSIGN(const auto scope, scope_of(o));
  return memories::MemoryName{slug, scope};
}

Result<memories::Destination> destination(const MemoryOptions& o) {
  memories::Destination out;
  MEMD_TRY_ASSIGN(out.type, type_of(o));
  MEMD_TRY_ASSIGN(out.scope, scope_of(o));
  if (o.dialect) out.dialect = parse_memory_dialect(*o.dialect);
  return out;
}

MemoryWrittenReport written_report(const Memory& m, bool created, bool masked) {
  MemoryWrittenReport out;
  out.slug = m.slug;
  out.path = m.path.string();
  out.scope = to_string(m.scope);
  out.created = created;
  if (masked) out.masked = true;
  return out;
}

// Has searches find what was changed. A daemon sees the files change; without one this process does its work.
void index_changes(const Invocation& call) {
  std::error_code ec;
  if (!std::filesystem::exists(call.settings.layout.database(), ec)) return;
  std::ostream nobody(nullptr);
  if (const auto caller = open_caller(call.settings, Need::ingest, kPatience, nobody))
    static_cast<void>((*caller)->admin("memory_catalog", "{}", {}));
}

Result<int> print_written(const Invocation& call, const Memory& m, std::string_view done, bool masked) {
  index_changes(call);
  if (call.as_json) return print_json(call, written_report(m, done == "created", masked));
  Screen screen(call.look);
  screen.text(Line(std::string(done) + " ")
                  .add(m.slug, Style::id)
                  .add(" (" + std::string(to_string(m.scope)) + "): ")
                  .add(m.path.string(), Style::name));
  if (masked) screen.line("Secrets in it were masked.");
  if (done == "deleted") screen.text(Line("memd memory undo " + m.slug, Style::id).add(" brings it back."));
  return finish(screen);
}

memories::NameEvents names_of_log(const Settings& settings) {
  const auto records = std::make_shared<RecordFinder>(settings.layout.database(), settings.layout.raw_dir(),
                                                      raw::FrameSeal(settings.cipher));
  return [records](Reader& reader, harvest::Material& material) { name_as_in_log(reader, *records, material); };
}

Line link_line(const std::string& source, const std::string& label, const std::string& target, bool changed) {
  Line line(source, Style::id);
  line.add(" " + label + " ").add(target, Style::id);
  return changed ? line : line.add(" (it was so already)", Style::faint);
}

Command memory_subcommand(std::string name, std::string help, const Options& o, std::vector<Option> options,
                          MemoryRun run, std::function<std::string()> json_schema) {
  Command c{std::move(name), std::move(help)};
  c.json_schema = std::move(json_schema);
  c.options = std::move(options);
  c.run = [o, run = std::move(run)](const Invocation& call) { return run(*o, call); };
  return c;
}

namespace {

Result<int> write_memory(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  memories::NewMemory wanted;
  MEMD_TRY_ASSIGN(wanted.to, destination(o));
  wanted.title = o.title.value_or("");
  wanted.slug = o.slug;
  wanted.tags = ascii::split(o.tags.value_or(""), ',');
  if (o.from) {
    const auto of = harvest::parse_history_ref(*o.from);
    if (!of) return wrong_usage("--from: \"" + *o.from + "\" is no id of a turn, such as x42");
    Reader reader(call.settings.layout.database());
    MEMD_TRY_ASSIGN(auto material, reader.ask(harvest::MaterialQuery{*of}));
    names_of_log(call.settings)(reader, material);
    wanted.provenance = harvest::provenance_of(material, material.told, notebook.places().project);
  }
  MEMD_TRY_ASSIGN(wanted.text, text_given(o.file));
  MEMD_TRY_ASSIGN(const auto done, notebook.create(std::move(wanted)));
  return print_written(call, done.memory, "created", done.masked);
}

Result<int> edit_memory(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  MEMD_TRY_ASSIGN(const auto name, memory_named(o, o.slug));
  MEMD_TRY_ASSIGN(const auto found, notebook.find_to_write(name));
  memory::MemoryChange edit;
  edit.title = o.title;
  MEMD_TRY_ASSIGN(edit.type, type_of(o));
  if (o.tags) edit.tags = ascii::split(*o.tags, ',');
  if (!o.file.empty()) {
    MEMD_TRY_ASSIGN(edit.content, text_given(o.file));
  }
  if (edit.is_empty()) {
    auto directory = notebook.directory(found.place);
    MEMD_TRY(open_editor(found.read.memory.path));
    MEMD_TRY(directory.rebuild());
    MEMD_TRY_ASSIGN(const ReadMemory now, directory.read(found.read.memory.slug));
    for (const MemoryProblem& problem : now.problems)
      std::cerr << "memd: " << problem.text() << '\n';
    MEMD_TRY(print_written(call, now.memory, "changed", false));
    return now.is_valid() ? kOk : kFailed;
  }
  MEMD_TRY_ASSIGN(const auto done, notebook.change(found, std::move(edit), found.read.memory.file_hash));
  return print_written(call, done.memory, "changed", done.masked);
}

Result<int> remove_memory(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  MEMD_TRY_ASSIGN(const auto name, memory_named(o, o.slug));
  MEMD_TRY_ASSIGN(const auto found, notebook.find_to_write(name));
  MEMD_TRY(notebook.remove(found, {}));
  return print_written(call, found.read.memory, "deleted", false);
}

Result<int> undo_memory(const MemoryOptions& o, const Invocation& call) {
  MEMD_TRY_ASSIGN(const auto name, memory_named(o, o.slug));
  MEMD_TRY_ASSIGN(const Memory back, notebook_of(call.settings).undo(name));
  return print_written(call, back, "brought back", false);
}

Result<int> change_edge(const MemoryOptions& o, const Invocation& call, bool links) {
  const Notebook notebook = notebook_of(call.settings);
  MEMD_TRY_ASSIGN(const auto name, memory_named(o, o.slug));
  MEMD_TRY_ASSIGN(const auto found, notebook.find_to_write(name));
  MEMD_TRY_ASSIGN(const auto done,
                  links ? notebook.link(found, o.other, o.label) : notebook.unlink(found, o.other, o.label));
  if (call.as_json)
    return print_json(
        call,
        MemoryLinkReport{o.slug, o.other, links || o.label ? std::optional(done.label) : std::nullopt, done.changed});
  Screen screen(call.look);
  if (links)
    screen.text(link_line(o.slug, done.label, o.other, done.changed));
  else if (done.changed)
    screen.text(Line(o.slug, Style::id).add(" and ").add(o.other, Style::id).add(" are not linked any more"));
  else
    screen.line("there was no such edge");
  return finish(screen);
}

std::vector<std::string> targets_of(const Memory& m) {
  std::vector<std::string> out = m.links;
  for (const auto& relation : m.relations)
    out.push_back(relation.target);
  return out;
}

MemoryNodeOut node_of(const Memory& m) {
  return {m.slug, std::string(to_string(m.type)), m.title, std::string(to_string(m.scope))};
}
MemoryListed listed(const Memory& m) { return {node_of(m), m.path.string(), m.tags, targets_of(m)}; }

// Returns whether a memory was made of an event, a patch, a commit (the beginning of its hash), a session or an
// exchange, by the id that its provenance names.
bool comes_from(const MemoryProvenance& p, const std::string& id) {
  constexpr std::size_t kLeastHash = 7;
  const auto names = [&](const std::vector<std::string>& ids) { return std::ranges::find(ids, id) != ids.end(); };
  const auto is_commit = [&](const std::string& sha) { return id.size() >= kLeastHash && sha.starts_with(id); };
  return names(p.events) || names(p.patches) || std::ranges::any_of(p.commits, is_commit) || p.session == id ||
         p.session.ends_with(":" + id) || p.exchange == id;
}

Result<int> list_memory(const MemoryOptions& o, const Invocation& call) {
  MEMD_TRY_ASSIGN(const auto scope, scope_of(o));
  MemoryListReport report;
  Table table({{"SLUG"}, {"SCOPE"}, {"TYPE"}, {"TITLE", Column::Fit::shrinks}, {"TAGS", Column::Fit::may_go}});
  int invalid = 0;
  const std::int64_t most = o.count.value_or(0);
  for (const ReadMemory& read : notebook_of(call.settings).all()) {
    const Memory& m = read.memory;
    if (scope && *scope != m.scope) continue;
    if (o.from && !comes_from(m.provenance, *o.from)) continue;
    if (!read.is_valid()) {
      ++invalid;
      continue;
    }
    if (most > 0 && std::ssize(report.memories) == most) continue;
    report.memories.push_back(listed(m));
    table.row({Line(m.slug, Style::id), Line(to_string(m.scope), Style::faint), Line(to_string(m.type), Style::good),
               Line(m.title, Style::strong), Line(fmt::format("{}", fmt::join(m.tags, ", ")), Style::faint)});
  }
  if (call.as_json) return print_json(call, report);
  Screen screen(call.look);
  if (table.empty() && o.from)
    screen.text("No memory comes from " + *o.from + ".");
  else if (table.empty())
    screen.text("No memories yet. `memd memory write --type learning --title …` writes one.");
  table.print(screen);
  if (invalid > 0) std::cerr << "memd: " << with_noun(invalid, "file") << " not valid: `memd memory health` says why\n";
  return finish(screen);
}

Result<int> show_memory(const MemoryOptions& o, const Invocation& call) {
  MEMD_TRY_ASSIGN(const auto name, memory_named(o, o.slug));
  const Notebook notebook = notebook_of(call.settings);
  MEMD_TRY_ASSIGN(const auto found, notebook.find(name));
  const Memory& m = found.read.memory;
  const auto broken = notebook.broken_links(found);
  if (!call.as_json) {
    MEMD_TRY_ASSIGN(const std::string text, notebook.text_of(found));
    Screen screen(call.look);
    screen.as_it_is(harmless(text));
    MEMD_TRY_ASSIGN(const int code, finish(screen));
    for (const std::string& link : broken)
      std::cerr << "memd: broken link: there is no memory " << harmless_line(link) << '\n';
    return code;
  }
  return print_json(call, MemoryShown{listed(m), format_rfc3339(m.created), format_rfc3339(m.updated), m.content,
                                      found.read.is_valid(), broken});
}

Result<int> draw_memories(const MemoryOptions& o, const Notebook& notebook, const memories::MemoryGraphView& graph) {
  if (o.output.empty() && ::isatty(STDOUT_FILENO) == 1)
    return wrong_usage("a page is not for the terminal: name a file with -o memories.html");
  auto page = interchange::OutputFile::open(o.output);
  if (!page) return page.error();
  MEMD_TRY(page->line(report::memory_page(graph, system_clock().now(), notebook.places().project.native())));
  MEMD_TRY(page->finish());
  fmt::print(stderr, "{} memories, {} edges{}.\n", graph.nodes.size(), graph.edges.size(),
             o.output.empty() ? "" : " in " + o.output);
  return kOk;
}

Result<int> graph_memory(const MemoryOptions& o, const Invocation& call) {
  const Notebook notebook = notebook_of(call.settings);
  MEMD_TRY_ASSIGN(const auto graph, notebook.graph());
  if (o.html) return draw_memories(o, notebook, graph);
  MemoryGraphReport report;
  for (const auto& [m, of] : graph.nodes)
    report.nodes.push_back(node_of(m));
  Table table({{"MEMORY"}, {"EDGE"}, {"MEMORY"}});
  for (const auto& [edge, place] : graph.edges) {
    report.edges.push_back({edge.source, edge.target, edge.label});
    table.row({Line(edge.source, Style::id), Line(edge.label, Style::faint), Line(edge.target, Style::id)});
  }
  if (call.as_json) return print_json(call, report);
  Screen screen(call.look);
  if (table.empty()) screen.line("No memory is linked with another one.");
  table.print(screen);
  return finish(screen);
}

Result<int> health_memory(const Invocation& call) {
  const auto problems = notebook_of(call.settings).health();
  if (call.as_json) {
    MemoryHealthReport report;
    for (const MemoryProblem& p : problems)
      report.problems.push_back({std::string(to_string(p.kind)), p.slug, p.path.string(), p.line, p.what()});
    return print_json(call, report);
  }
  Screen screen(call.look);
  for (const MemoryProblem& problem : problems)
    screen.text(Line(fmt::format("{:<20} ", to_string(problem.kind)), Style::warning).add(problem.text()));
  if (problems.empty()) screen.line(Line("All memories are fine.", Style::good));
  return finish(screen);
}

// Rebuilds the rows, in the daemon or, without one, in this process.
Command memory_rebuild_command() {
  const auto state = std::make_shared<bool>(false);
  Command c{"rebuild", "Rebuild the index that searches use from the files"};
  c.json_schema = schema_of<admin::MemoryCatalogReport>("memory rebuild");
  c.options = {{"--state", state.get(), "Only show its state"}};
  c.run = [state](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, *state ? Need::read : Need::ingest));
    MEMD_TRY_ASSIGN(const auto outcome, caller->admin("memory_catalog", *state ? "{}" : "{\"rebuild\":true}", {}));
    return print(outcome, call.as_json);
  };
  return c;
}

}  // namespace

Command memory_command() {
  const auto o = std::make_shared<MemoryOptions>();
  const Option scope{"--scope", &o->scope, "global, project, local or enterprise"};
  const Option slug{.names = "slug", .target = &o->slug, .help = "Its slug or id", .required = true};
  const Option other{.names = "other", .target = &o->other, .help = "The other one", .required = true};
  const Option file{"file", &o->file, "The text; - or none: standard input"};
  const Option tags{"--tags", &o->tags, "Lower case words: a,b"};
  const Option title{"--title", &o->title, "At most 200 characters"};
  const Option type{"--type", &o->type,
                    "decision, learning, artifact, gotcha, breadcrumb, hub; or core, fact, adr, playbook, recap"};
  Command c{"memory", "Memories: Markdown files that you own (docs/memories.md)"};
  Option needed_type = type;
  needed_type.required = true;
  Option needed_title = title;
  needed_title.required = true;
  const std::vector<Option> changes{slug, type,  title,
                                    tags, scope, {"file", &o->file, "The new text; - is standard input"}};
  c.subcommands = {
      memory_subcommand<MemoryListReport>("list", "All memories, those of agents too", o,
                                          {scope,
                                           {"--from", &o->from,
                                            "Only those made of this event, patch, commit, session or turn, as "
                                            "their provenance names it"},
                                           rows_option(&o->count, "How many; 0, as without it: all")},
                                          list_memory),
      memory_subcommand<MemoryShown>("show", "One memory", o, {slug, scope}, show_memory),
      memory_subcommand<MemoryWrittenReport>("write", "Write a new memory", o,
                                             {needed_type,
                                              needed_title,
                                              {"--slug", &o->slug, "Its name; made of type and title if not given"},
                                              scope,
                                              tags,
                                              {.names = "--dialect",
                                               .target = &o->dialect,
                                               .help = "plugin or repository",
                                               .one_of = {"plugin", "repository"}},
                                              {"--from", &o->from, "The turn that it comes from: x42 or SESSION#3"},
                                              file},
                                             write_memory),
      memory_subcommand<MemoryWrittenReport>("edit", "Change a memory; without options in $EDITOR", o, changes,
                                             edit_memory),
      memory_subcommand<MemoryWrittenReport>("update", "The same as edit", o, changes, edit_memory),
      memory_subcommand<MemoryWrittenReport>("delete", "Put a memory into the trash, with its edges", o, {slug, scope},
                                             remove_memory),
      memory_subcommand<MemoryWrittenReport>("undo", "Bring back what was deleted last", o,
                                             {{"slug", &o->slug, "Bring back this one"}, scope}, undo_memory),
      memory_subcommand<MemoryLinkReport>(
          "link", "Link two memories of a scope", o,
          {slug,
           other,
           {"--label", &o->label, "implements, relates-to, part-of, builds-on, similar-to, supersedes, …"},
           scope},
          [](const MemoryOptions& given, const Invocation& call) { return change_edge(given, call, true); }),
      memory_subcommand<MemoryLinkReport>(
          "unlink", "Remove the edges between two memories", o,
          {slug, other, {"--label", &o->label, "Only this one"}, scope},
          [](const MemoryOptions& given, const Invocation& call) { return change_edge(given, call, false); }),
      memory_subcommand<MemoryGraphReport>(
          "graph", "Memories and their edges", o,
          {{"--html", &o->html, "As a page with a picture"},
           {"-o,--output", &o->output, "Where the page goes; standard output if not given", "FILE"}},
          graph_memory),
      memory_subcommand<MemoryHealthReport>(
          "health", "What is wrong with memories, and what to do", o, {},
          [](const MemoryOptions&, const Invocation& call) { return health_memory(call); }),
  };
  c.subcommands.push_back(memory_garden_command(o));
  c.subcommands.push_back(memory_rebuild_command());
  auto born = memory_history_commands(o);
  c.subcommands.insert(c.subcommands.end(), std::make_move_iterator(born.begin()), std::make_move_iterator(born.end()));
  return c;
}

}  // namespace memd::cli
