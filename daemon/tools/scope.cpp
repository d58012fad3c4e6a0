#include "daemon/tools/scope.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/time_argument.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/store_health.hpp"
#include "store/files/git_place.hpp"
#include "store/read/projects.hpp"
#include "store/read/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace memd::tools {
namespace {

// Returns what a capability allows with a platform's history, in words: "be searched".
AnswerText doing(Capability c) {
  switch (c) {
    case Capability::semantic_search: return "be searched";
    case Capability::temporal_query: return "be asked by time";
    case Capability::session_summary: return "be summarised";
    case Capability::exchange_retrieval: return "be shown by turn";
    case Capability::token_metrics: return "be asked for tokens";
    case Capability::file_context: return "be asked by file";
    case Capability::live_tail: return "be followed live";
    case Capability::compaction_markers: return "be asked for compactions";
    case Capability::tool_calls: return "be asked for tool calls";
    case Capability::cost: return "be asked for cost";
    case Capability::session_stop: return "be asked for when sessions stopped";
    case Capability::git_branch: return "be asked by branch";
  }
  return "be asked this";
}

// Returns why the platform's history must not be searched, even if it is stored; empty: it may be.
AnswerText reason_to_exclude(const AdapterDescription* adapter, std::optional<Capability> needed) {
  if (adapter == nullptr) return "no adapter in this version";
  AnswerText why;
  if (adapter->status == AdapterStatus::disabled)
    return why.add("disabled in the configuration: platforms.", adapter->platform, ".enabled");
  if (adapter->status == AdapterStatus::unsupported)
    return why.add("its adapter speaks contract ", AnswerText::Id{adapter->contract_version}, ", this memd speaks ",
                   AnswerText::Id{kContractVersion});
  const auto& can = adapter->capabilities;
  if (needed && std::find(can.begin(), can.end(), *needed) == can.end())
    return why.add("cannot ", doing(*needed), ": its adapter lacks ", *needed, " (data ", adapter->data_completeness,
                   ")");
  return why;
}

// Returns a sentence about platforms of which nothing has been read yet. Without it an empty answer would suggest that
// they have no history.
AnswerText words_for_unread(const std::vector<PlatformFreshness>& known, bool reading) {
  std::vector<std::string> names;
  for (const PlatformFreshness& f : known)
    if (f.is_unread()) names.emplace_back(to_string(f.platform));
  AnswerText out;
  if (names.empty()) return out;
  out.add("Nothing has been read yet of ").list(names);
  if (reading) return out.add(": it is being read now, ask again in a moment.");
  return out.add(": `memd ingest --once` reads it, and so does the daemon, which a client's first call starts.");
}

// Returns a sentence about unread bytes, if they are more than a running session leaves behind.
AnswerText words_for_bytes_behind(const std::vector<PlatformFreshness>& known) {
  constexpr std::int64_t kWorthALead = 1'000'000;
  std::int64_t bytes = 0;
  std::vector<std::string> names;
  for (const PlatformFreshness& f : known) {
    if (f.bytes_behind == 0 || f.is_unread()) continue;
    bytes += f.bytes_behind;
    names.emplace_back(to_string(f.platform));
  }
  AnswerText out;
  if (bytes < kWorthALead) return out;
  out.add(AnswerText::Id{fmt::format("{:.1f}", static_cast<double>(bytes) / 1e6)}, " MB of ").list(names);
  return out.add(" are still unread: what is in them is not found yet.");
}

Result<std::vector<Platform>> platforms_named(const ScopeParams& params) {
  std::vector<std::string> asked = params.platforms;
  if (params.platform && !params.platform->empty()) asked.push_back(*params.platform);
  std::vector<Platform> out;
  for (const std::string& key : asked) {
    const auto p = parse_platform(key);
    if (!p)
      return Error(Errc::invalid_argument,
                   fmt::format("platforms: \"{}\" is not known, send one of {}", key,
                               fmt::join(platforms() | std::views::transform(&PlatformInfo::key), ", ")));
    if (std::find(out.begin(), out.end(), *p) == out.end()) out.push_back(*p);
  }
  return out;
}

// Returns "project /home/u/app" for the project_tree() of the caller's directory.
AnswerText tree_words(std::string_view tree) {
  tree.remove_prefix(1);
  if (tree.size() > 1) tree.remove_suffix(1);
  return AnswerText().add("project ", AnswerText::Name{tree});
}

// Returns the path of "file:///home/ada/my%20app", and any other text as it is.
std::string path_of(const std::string& directory) {
  constexpr std::string_view kFile = "file://";
  const auto path = directory.starts_with(kFile) ? directory.find('/', kFile.size()) : std::string::npos;
  if (path == std::string::npos) return directory;
  return mcp::percent_decoded(std::string_view(directory).substr(path)).value_or(directory);
}

// Narrows a search to the project of the caller's directory and describes its scope in scope.words.
Result<void> narrow(const ToolServices& services, const ScopeParams& params, const mcp::ToolContext& caller,
                    Scope& scope) {
  if (!scope.filter.session.empty()) {
    scope.words = AnswerText().add("session ", AnswerText::Name{echo_of(scope.filter.session)});
    return {};
  }
  MEMD_TRY_ASSIGN(ProjectsAsked projects, projects_asked_for(services, params, caller));
  scope.filter.project = std::move(projects.filter);
  scope.words = std::move(projects.words);
  scope.narrowed = projects.narrowed;
  return {};
}

}  // namespace

AnswerText words_for_trouble(const FreshnessProvider& freshness) {
  AnswerText out;
  if (const std::string who = freshness.held_by(); !who.empty())
    return out.add("FROM THE STORE AS IT IS: ", AnswerText::Message{who},
                   " holds it, and nothing else is stored until it has ended.");
  if (const std::string trouble = freshness.trouble(); !trouble.empty())
    return out.add("NOTHING NEW IS STORED: ", AnswerText::Message{trouble}, ".");
  return out;
}

std::string caller_directory(const ScopeParams& params, const mcp::ToolContext& caller) {
  if (params.cwd && !params.cwd->empty()) return path_of(*params.cwd);
  const std::vector<std::string> roots = caller.client_roots();
  return roots.size() == 1 ? path_of(roots.front()) : caller.directory;
}

Result<std::string> project_of_directory(const ToolServices& services, const std::string& directory) {
  if (directory.empty()) return std::string();
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, {}));
  const std::string asked = files::repository_of(directory);
  MEMD_TRY_ASSIGN(const auto project, reader->ask(NearestProjectQuery{asked, true}));
  return project ? project_tree(project->key) : std::string();
}

Result<ProjectsAsked> projects_asked_for(const ToolServices& services, const ScopeParams& params,
                                         const mcp::ToolContext& caller) {
  const std::string& named = params.project.value_or("");
  if (!named.empty()) {
    MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, {}));
    MEMD_TRY_ASSIGN(std::string filter, reader->ask(ProjectFilterQuery{named}));
    AnswerText words = AnswerText().add("projects like \"", AnswerText::Name{echo_of(named)}, "\"");
    if (filter != named) words = tree_words(filter);
    return ProjectsAsked{std::move(filter), std::move(words), false};
  }
  const bool all = params.all_projects || !services.defaults.own_project;
  const std::string directory = all ? std::string() : caller_directory(params, caller);
  MEMD_TRY_ASSIGN(std::string tree, project_of_directory(services, directory));
  if (tree.empty()) {
    AnswerText words = "all projects";
    if (!directory.empty())
      words.add(", as none is of ", AnswerText::Name{echo_of(directory)});
    else if (!all)
      words.add(", as your directory is not known (send cwd)");
    return ProjectsAsked{{}, std::move(words), false};
  }
  AnswerText words = tree_words(tree);
  return ProjectsAsked{std::move(tree), std::move(words), true};
}

Result<ProjectsAsked> newest_asked_for(const ToolServices& services, const ScopeParams& params,
                                       const std::optional<std::string>& session_id, const mcp::ToolContext& caller) {
  if (!session_id.value_or("").empty()) return ProjectsAsked{};
  MEMD_TRY_ASSIGN(ProjectsAsked projects, projects_asked_for(services, params, caller));
  AnswerText words = std::move(projects.words);
  projects.words = {};
  if (const bool any = params.all_projects || !services.defaults.own_project || projects.narrowed;
      !any && params.project.value_or("").empty())
    projects.lead.add("This session may be of another project than yours: it is the newest of ", words, ".");
  else
    projects.words.add("the newest session of ", words);
  return projects;
}

Result<Scope> resolve_scope(const ToolServices& services, const ScopeParams& params, ScopeRequest request) {
  Scope scope;
  MEMD_TRY_ASSIGN(const TimeSpan span, parse_time_span(params.since, params.until, services.clock));
  scope.filter.since = span.since;
  scope.filter.until = span.until;
  scope.filter.project = params.project.value_or("");
  scope.filter.session = std::move(request.session);
  if (!scope.filter.project.empty()) {
    MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, {}));
    MEMD_TRY_ASSIGN(scope.unknown_project, reader->ask(UnknownProjectQuery{scope.filter.project}));
    MEMD_TRY_ASSIGN(scope.filter.project, reader->ask(ProjectFilterQuery{scope.filter.project}));
  }
  if (request.caller != nullptr) MEMD_TRY(narrow(services, params, *request.caller, scope));

  MEMD_TRY_ASSIGN(const std::vector<Platform> named, platforms_named(params));
  scope.trouble = words_for_trouble(services.freshness);
  const auto known = services.freshness.freshness();
  scope.unread = words_for_unread(known, services.freshness.is_reading());
  if (const AnswerText behind = words_for_bytes_behind(known); !behind.empty()) scope.unread.say(behind);
  const auto fresh_of = [&](Platform p) {
    return std::find_if(known.begin(), known.end(), [&](const PlatformFreshness& f) { return f.platform == p; });
  };
  // Imported sessions keep the platform they come from, which then has history without a source of its own.
  const bool imports = fresh_of(Platform::imported) != known.end();
  bool excluded = false;
  std::vector<Platform> quiet;  // without known history; asked about only where it matters
  for (const Platform p : platform_ids()) {
    const bool by_name = std::find(named.begin(), named.end(), p) != named.end();
    if (!named.empty() && !by_name) continue;
    const auto fresh = fresh_of(p);
    const bool has_history = fresh != known.end() || (by_name && imports);
    if (!by_name && !has_history && !known.empty()) {
      quiet.push_back(p);
      continue;
    }
    const AdapterDescription* adapter = services.adapters.find(p);
    if (adapter == nullptr && !by_name && !has_history) continue;
    AnswerText reason;
    if (adapter != nullptr || !imports) reason = reason_to_exclude(adapter, request.needed);
    if (reason.empty())
      scope.filter.platforms.push_back(p);  // even without known history: the query decides
    else if (by_name || has_history || known.empty())
      excluded = true;
    const bool worth_telling = by_name || has_history;
    if (reason.empty() && !has_history) reason = "no history found on this machine";
    if (!reason.empty() && !worth_telling) continue;
    if (!reason.empty()) {
      scope.skipped.emplace_back(to_string(p), std::move(reason));
      continue;
    }
    scope.searched.emplace_back(to_string(p));
    if (fresh != known.end()) scope.freshness.push_back(*fresh);
  }
  scope.is_selected = !named.empty();
  if (named.empty() && !excluded) {
    scope.filter.platforms.clear();
  } else {
    for (const Platform p : quiet)
      if (const auto* adapter = services.adapters.find(p))
        if (reason_to_exclude(adapter, request.needed).empty()) scope.filter.platforms.push_back(p);
    std::ranges::sort(scope.filter.platforms);
  }
  scope.filter.no_platform = scope.filter.platforms.empty() && excluded;

  for (const Platform p : scope.filter.platforms)
    (scope.key += to_string(p)) += ',';
  for (const std::string* part : {&scope.filter.project, &scope.filter.session})
    (scope.key += '\n') += *part;
  for (const auto* part : {&params.since, &params.until})
    (scope.key += '\n') += part->value_or("");
  return scope;
}

std::size_t token_limit(const ToolServices& services, const ScopeParams& params) {
  if (services.defaults.whole && !params.max_tokens) return kNoTokenLimit;
  const auto asked = params.max_tokens ? static_cast<std::size_t>(*params.max_tokens) : services.defaults.max_tokens;
  return std::min(asked, services.defaults.max_tokens_limit);
}

Result<Scope> scope_of(const ToolServices& services, const SessionRow& session, Capability needed) {
  ScopeParams one_platform;
  one_platform.platform = std::string(to_string(session.platform));
  MEMD_TRY_ASSIGN(Scope scope, resolve_scope(services, one_platform, {needed, {}}));
  scope.is_selected = false;
  return scope;
}

}  // namespace memd::tools
