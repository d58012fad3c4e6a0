// `memd memory …`: memories as files. Works on the files directly; a daemon is asked by `rebuild` alone.
#include "daemon/cli/memory_commands.hpp"
#include "daemon/cli/caller.hpp"
#include "schemas/ids.hpp"
#include "schemas/json_writer.hpp"
#include "store/files/whole_file.hpp"
#include "store/harvest/draft.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/memory/memory_health.hpp"
#include "store/memory/memory_places.hpp"
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
using memory::MemoryDirectory;
using memory::MemoryPlace;
using memory::MemoryPlaces;
using memory::ReadMemory;

// The nearest directory above this one that holds a repository; empty: there is none, or it is the home directory.
fs::path project_here(const fs::path& home) {
  std::error_code ec;
  for (fs::path at = fs::current_path(ec); !ec && at.has_relative_path() && at != home; at = at.parent_path())
    if (fs::exists(at / ".git", ec)) return at;
  return {};
}

Error wrong_usage(std::string what) { return Error(Errc::invalid_argument, std::move(what)); }

std::vector<std::string> comma_list(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (const auto word = list.substr(0, comma); !word.empty()) out.emplace_back(word);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

Result<std::optional<MemoryScope>> scope_of(const MemoryOptions& o) {
  if (!o.scope) return std::optional<MemoryScope>();
  const auto scope = parse_memory_scope(*o.scope);
  if (!scope) return wrong_usage("--scope: send one of global, project, local, enterprise");
  return scope;
}

Result<std::string> text_given(const std::string& file) {
  if (file.empty() && ::isatty(STDIN_FILENO) == 1) return std::string();
  if (file.empty() || file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return files::read_whole(file);
}

}  // namespace

MemoryPlaces places_of(const Settings& s) {
  return {s.home, s.project.empty() ? project_here(s.home) : s.project, s.config.memory.enterprise_path,
          s.config.memory.policy};
}

Result<MemoryPlace> place_for_new(const MemoryOptions& o, const Settings& s, const MemoryPlaces& places) {
  MEMD_TRY_ASSIGN(auto scope, scope_of(o));
  const MemoryConfig& config = s.config.memory;
  if (!scope) scope = config.default_scope;
  const bool asks_repository = o.dialect == "repository";
  if (!scope)
    scope = !places.project.empty() && (config.policy.opt_in_enabled || asks_repository) ? MemoryScope::project
                                                                                         : MemoryScope::global;
  MemoryDialect dialect = *scope == MemoryScope::project ? config.policy.default_dialect() : MemoryDialect::plugin;
  if (o.dialect)
    dialect = asks_repository ? MemoryDialect::repository : MemoryDialect::plugin;
  else if (const auto type = parse_memory_type(o.type.value_or("")); type)
    dialect = dialect_of(*type);
  MEMD_TRY_ASSIGN(auto place, places.place(*scope, dialect));
  MEMD_TRY(config.policy.check_write(*scope, dialect));
  return place;
}

Result<std::pair<MemoryPlace, ReadMemory>> find(const MemoryOptions& o, const MemoryPlaces& places,
                                                const std::string& slug) {
  MEMD_TRY_ASSIGN(const auto scope, scope_of(o));
  for (const MemoryPlace& place : places.places()) {
    if (scope && *scope != place.scope) continue;
    auto found = MemoryDirectory(place, places.project, system_clock()).read(slug);
    if (found) return std::pair(place, *std::move(found));
  }
  return Error(Errc::not_found, "there is no memory " + slug + ": `memd memory list` names them");
}

Result<std::pair<MemoryPlace, ReadMemory>> find_to_write(const MemoryOptions& o, const MemoryPlaces& places,
                                                         const std::string& slug) {
  auto found = find(o, places, slug);
  if (found) MEMD_TRY(places.policy.check_write(found->first.scope, found->first.dialect));
  return found;
}

void print_written(const Invocation& call, const Memory& m, std::string_view done, bool masked) {
  if (call.as_json) {
    std::string out;
    json::Writer w(out);
    w.begin_object();
    w.member("slug", m.slug);
    w.member("path", m.path.string());
    w.member("scope", to_string(m.scope));
    w.member_bool("created", done == "created");
    if (masked) w.member_bool("masked", true);
    w.end_object();
    std::cout << out << '\n';
    return;
  }
  fmt::print("{} {} ({}): {}\n", done, m.slug, to_string(m.scope), m.path.string());
  if (masked) fmt::print("Secrets in it were masked.\n");
}

Command memory_subcommand(std::string name, std::string help, const Options& o, std::vector<Option> options,
                          MemoryRun run) {
  Command c{std::move(name), std::move(help)};
  c.options = std::move(options);
  c.run = [o, run = std::move(run)](const Invocation& call) { return run(*o, call); };
  return c;
}

namespace {

Result<int> write_memory(const MemoryOptions& o, const Invocation& call) {
  const MemoryPlaces places = places_of(call.settings);
  MEMD_TRY_ASSIGN(const MemoryPlace place, place_for_new(o, call.settings, places));
  Memory draft;
  const auto type = parse_memory_type(o.type.value_or(""));
  if (!type || dialect_of(*type) != place.dialect)
    return wrong_usage("--type: send one of " + memory_type_names(place.dialect));
  draft.type = *type;
  draft.title = o.title.value_or("");
  draft.slug = o.slug;
  draft.tags = comma_list(o.tags.value_or(""));
  if (draft.tags.empty() && place.dialect == MemoryDialect::plugin) draft.tags = {std::string(to_string(*type))};
  if (o.from) {
    const auto of = harvest::parse_history_ref(*o.from);
    if (!of) return wrong_usage("--from: \"" + *o.from + "\" is no id of an exchange, such as x42");
    Reader reader(call.settings.layout.database());
    MEMD_TRY_ASSIGN(const auto material, reader.ask(harvest::MaterialQuery{*of}));
    draft.provenance = harvest::provenance_of(material, places.project);
  }
  MEMD_TRY_ASSIGN(draft.content, text_given(o.file));
  MEMD_TRY_ASSIGN(const auto done, MemoryDirectory(place, places.project, system_clock()).create(std::move(draft)));
  print_written(call, done.memory, "created", done.masked);
  return kOk;
}

Result<int> open_editor(const fs::path& file) {
  const char* editor = std::getenv("VISUAL");
  if (editor == nullptr || *editor == '\0') editor = std::getenv("EDITOR");
  if (editor == nullptr || *editor == '\0')
    return wrong_usage("say what to change (--title, --type, --tags, a file with the text), or set $EDITOR");
  const std::string command = std::string(editor) + " \"$1\"";
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno(errno, "fork", editor);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), "sh", file.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return Error(Errc::io, std::string(editor) + " failed");
  return kOk;
}

Result<int> edit_memory(const MemoryOptions& o, const Invocation& call) {
  const MemoryPlaces places = places_of(call.settings);
  MEMD_TRY_ASSIGN(const auto found, find_to_write(o, places, o.slug));
  MemoryDirectory directory(found.first, places.project, system_clock());
  if (!o.title && !o.type && !o.tags && o.file.empty()) {
    MEMD_TRY(open_editor(found.second.memory.path));
    MEMD_TRY(directory.rebuild());
    MEMD_TRY_ASSIGN(const ReadMemory now, directory.read(o.slug));
    for (const MemoryProblem& problem : now.problems)
      std::cerr << "memd: " << problem.text() << '\n';
    print_written(call, now.memory, "changed", false);
    return now.is_valid() ? kOk : kFailed;
  }
  memory::MemoryChange change;
  change.title = o.title;
  if (o.type) {
    change.type = parse_memory_type(*o.type);
    if (!change.type || dialect_of(*change.type) != found.first.dialect)
      return wrong_usage("--type: send one of " + memory_type_names(found.first.dialect));
  }
  if (o.tags) change.tags = comma_list(*o.tags);
  if (!o.file.empty()) {
    MEMD_TRY_ASSIGN(std::string text, text_given(o.file));
    const bool is_headed = text.starts_with("# ") || found.first.dialect == MemoryDialect::repository;
    change.content = "\n" + (is_headed ? "" : "# " + found.second.memory.title + "\n\n") + text;
  }
  MEMD_TRY_ASSIGN(const auto done, directory.update(o.slug, change, found.second.memory.file_hash));
  print_written(call, done.memory, "changed", done.masked);
  return kOk;
}

Result<int> remove_memory(const MemoryOptions& o, const Invocation& call) {
  const MemoryPlaces places = places_of(call.settings);
  MEMD_TRY_ASSIGN(const auto found, find_to_write(o, places, o.slug));
  MEMD_TRY(MemoryDirectory(found.first, places.project, system_clock()).remove(o.slug));
  print_written(call, found.second.memory, "deleted", false);
  if (!call.as_json) fmt::print("`memd memory undo {}` brings it back.\n", o.slug);
  return kOk;
}

Result<int> undo_memory(const MemoryOptions& o, const Invocation& call) {
  const MemoryPlaces places = places_of(call.settings);
  MEMD_TRY_ASSIGN(const auto scope, scope_of(o));
  std::optional<Error> last;
  for (const MemoryPlace& place : places.places()) {
    std::error_code ec;
    if ((scope && *scope != place.scope) || !fs::exists(place.directory / ".trash", ec) ||
        !places.policy.check_write(place.scope, place.dialect))
      continue;
    const auto back = MemoryDirectory(place, places.project, system_clock()).undo(o.slug);
    if (back) {
      print_written(call, *back, "brought back", false);
      return kOk;
    }
    if (!last || last->is(Errc::not_found)) last = back.error();
  }
  return last.value_or(Error(Errc::not_found, "nothing was deleted that could be brought back"));
}

Result<int> change_edge(const MemoryOptions& o, const Invocation& call, bool links) {
  const MemoryPlaces places = places_of(call.settings);
  MEMD_TRY_ASSIGN(const auto found, find_to_write(o, places, o.slug));
  MemoryDirectory directory(found.first, places.project, system_clock());
  const bool is_plugin = found.first.dialect == MemoryDialect::plugin;
  const std::string label = o.label.value_or(is_plugin ? "relates-to" : "refers_to");
  Result<bool> done = links ? directory.link(o.slug, o.other, label) : directory.unlink(o.slug, o.other, o.label);
  if (!done && done.error().is(Errc::not_found))
    return Error(Errc::not_found, "there is no memory " + o.other + " in scope " +
                                      std::string(to_string(found.first.scope)) + ": edges stay within a scope");
  if (!done) return done.error();
  if (call.as_json) {
    std::string out;
    json::Writer w(out);
    w.begin_object();
    w.member("source", o.slug);
    w.member("target", o.other);
    if (links || o.label) w.member("label", label);
    w.member_bool("changed", *done);
    w.end_object();
    std::cout << out << '\n';
  } else if (links) {
    fmt::print("{} {} {}{}\n", o.slug, label, o.other, *done ? "" : " (it was so already)");
  } else {
    fmt::print("{}\n", *done ? o.slug + " and " + o.other + " are not linked any more" : "there was no such edge");
  }
  return kOk;
}

std::vector<std::string> targets_of(const Memory& m) {
  std::vector<std::string> out = m.links;
  for (const auto& relation : m.relations)
    out.push_back(relation.target);
  return out;
}

void add_texts(json::Writer& w, std::string_view key, const std::vector<std::string>& values) {
  w.key(key);
  w.begin_array();
  for (const auto& value : values)
    w.string(value);
  w.end_array();
}

void write_fields(json::Writer& w, const Memory& m) {
  w.member("slug", m.slug);
  w.member("type", to_string(m.type));
  w.member("title", m.title);
  w.member("scope", to_string(m.scope));
  w.member("path", m.path.string());
  add_texts(w, "tags", m.tags);
  add_texts(w, "links", targets_of(m));
}

Result<int> list_memory(const MemoryOptions& o, const Invocation& call) {
  MEMD_TRY_ASSIGN(const auto scope, scope_of(o));
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("memories");
  w.begin_array();
  int invalid = 0;
  int shown = 0;
  for (const ReadMemory& read : memory::read_everywhere(places_of(call.settings), system_clock().now())) {
    const Memory& m = read.memory;
    if (scope && *scope != m.scope) continue;
    if (!read.is_valid()) {
      ++invalid;
      continue;
    }
    ++shown;
    w.begin_object();
    write_fields(w, m);
    w.end_object();
    if (!call.as_json) fmt::print("{:<10} {:<12} {}  {}\n", to_string(m.scope), to_string(m.type), m.slug, m.title);
  }
  w.end_array();
  w.end_object();
  if (call.as_json)
    std::cout << out << '\n';
  else if (shown == 0)
    fmt::print("No memories yet. `memd memory write --type learning --title …` writes one.\n");
  if (invalid > 0 && !call.as_json)
    fmt::print(stderr, "{} files are not valid: `memd memory health` says why\n", invalid);
  return kOk;
}

Result<int> show_memory(const MemoryOptions& o, const Invocation& call) {
  const MemoryPlaces places = places_of(call.settings);
  auto found = find(o, places, o.slug);
  if (!found) {  // files of agents
    for (ReadMemory& read : memory::read_everywhere(places, system_clock().now()))
      if (read.memory.dialect == MemoryDialect::agent && read.memory.slug == o.slug)
        found = std::pair(MemoryPlace(), std::move(read));
  }
  if (!found) return found.error();
  const Memory& m = found->second.memory;
  if (!call.as_json) {
    MEMD_TRY_ASSIGN(const std::string bytes, files::read_whole(m.path));
    std::cout << bytes;
    return kOk;
  }
  std::string out;
  json::Writer w(out);
  w.begin_object();
  write_fields(w, m);
  w.member("created", format_rfc3339(m.created));
  w.member("updated", format_rfc3339(m.updated));
  w.member("content", m.content);
  w.member_bool("valid", found->second.is_valid());
  w.end_object();
  std::cout << out << '\n';
  return kOk;
}

Result<int> graph_memory(const Invocation& call) {
  const MemoryPlaces places = places_of(call.settings);
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("nodes");
  w.begin_array();
  std::vector<MemoryEdge> edges;
  for (const MemoryPlace& place : places.places()) {
    for (const ReadMemory& read : MemoryDirectory(place, places.project, system_clock()).read_all()) {
      if (!read.is_valid()) continue;
      w.begin_object();
      w.member("slug", read.memory.slug);
      w.member("type", to_string(read.memory.type));
      w.member("title", read.memory.title);
      w.member("scope", to_string(read.memory.scope));
      w.end_object();
      for (const auto& relation : read.memory.relations)
        edges.push_back({read.memory.slug, relation.target, relation.label, 0});
    }
    if (place.dialect != MemoryDialect::plugin) continue;
    MEMD_TRY_ASSIGN(const auto there, memory::MemoryGraph::load(place.directory / "graph.json"));
    for (const auto& [slug, own] : there.lists())
      edges.insert(edges.end(), own.begin(), own.end());
  }
  w.end_array();
  w.key("edges");
  w.begin_array();
  for (const MemoryEdge& edge : edges) {
    w.begin_object();
    w.member("source", edge.source);
    w.member("target", edge.target);
    w.member("label", edge.label);
    w.end_object();
    if (!call.as_json) fmt::print("{} {} {}\n", edge.source, edge.label, edge.target);
  }
  w.end_array();
  w.end_object();
  if (call.as_json) std::cout << out << '\n';
  return kOk;
}

Result<int> health_memory(const Invocation& call) {
  const MemoryConfig& config = call.settings.config.memory;
  const auto problems =
      memory::check_health(places_of(call.settings), {config.orphan_days, config.min_quality}, system_clock().now());
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("problems");
  w.begin_array();
  for (const MemoryProblem& problem : problems) {
    w.begin_object();
    w.member("kind", to_string(problem.kind));
    w.member("slug", problem.slug);
    w.member("path", problem.path.string());
    w.key("line");
    w.number(std::int64_t{problem.line});
    w.member("message", (problem.key.empty() ? "" : problem.key + ": ") + problem.message);
    w.end_object();
    if (!call.as_json) fmt::print("{:<20} {}\n", to_string(problem.kind), problem.text());
  }
  w.end_array();
  w.end_object();
  if (call.as_json)
    std::cout << out << '\n';
  else if (problems.empty())
    fmt::print("All memories are well.\n");
  return kOk;
}

// Of rows, which are the daemon's or, without one, this process's.
Command memory_rebuild_command() {
  const auto state = std::make_shared<bool>(false);
  Command c{"rebuild", "Make the index that searches use anew from the files"};
  c.options = {{"--state", state.get(), "Only say how it stands"}};
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
  c.subcommands = {
      memory_subcommand("list", "All memories, those of agents too", o, {scope}, list_memory),
      memory_subcommand("show", "One memory", o, {slug, scope}, show_memory),
      memory_subcommand("write", "Write a new memory", o,
                        {needed_type,
                         needed_title,
                         {"--slug", &o->slug, "Its name; made of type and title if not given"},
                         scope,
                         tags,
                         {.names = "--dialect",
                          .target = &o->dialect,
                          .help = "plugin or repository",
                          .one_of = {"plugin", "repository"}},
                         {"--from", &o->from, "The exchange that it comes from: x42"},
                         file},
                        write_memory),
      memory_subcommand("edit", "Change a memory; without options in $EDITOR", o,
                        {slug, type, title, tags, scope, {"file", &o->file, "The new text; - is standard input"}},
                        edit_memory),
      memory_subcommand("delete", "Put a memory into the trash, with its edges", o, {slug, scope}, remove_memory),
      memory_subcommand("undo", "Bring back what was deleted last", o,
                        {{"slug", &o->slug, "Bring back this one"}, scope}, undo_memory),
      memory_subcommand(
          "link", "Link two memories of a scope", o,
          {slug,
           other,
           {"--label", &o->label, "implements, relates-to, part-of, builds-on, similar-to, supersedes, …"},
           scope},
          [](const MemoryOptions& given, const Invocation& call) { return change_edge(given, call, true); }),
      memory_subcommand(
          "unlink", "Remove the edges between two memories", o,
          {slug, other, {"--label", &o->label, "Only this one"}, scope},
          [](const MemoryOptions& given, const Invocation& call) { return change_edge(given, call, false); }),
      memory_subcommand("graph", "Memories and their edges", o, {},
                        [](const MemoryOptions&, const Invocation& call) { return graph_memory(call); }),
      memory_subcommand("health", "What is wrong with memories, and what to do", o, {},
                        [](const MemoryOptions&, const Invocation& call) { return health_memory(call); }),
  };
  c.subcommands.push_back(memory_rebuild_command());
  auto born = memory_history_commands(o);
  c.subcommands.insert(c.subcommands.end(), std::make_move_iterator(born.begin()), std::make_move_iterator(born.end()));
  return c;
}

}  // namespace memd::cli
