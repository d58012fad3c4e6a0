#include "daemon/tools/capability_matrix.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/embedded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

namespace memd::tools {
namespace {

struct Column {
  Capability capability;
  std::string_view heading;  // short, for the terminal
  std::string_view meaning;
};
constexpr std::array kColumns{
    Column{Capability::semantic_search, "search", "texts and actions can be searched"},
    Column{Capability::temporal_query, "time", "events have times"},
    Column{Capability::session_summary, "summary", "sessions can be summarised"},
    Column{Capability::exchange_retrieval, "exchange", "a turn and its answer can be shown in full"},
    Column{Capability::token_metrics, "tokens", "token usage of responses is known"},
    Column{Capability::file_context, "files", "the files that a turn read and changed are known"},
    Column{Capability::live_tail, "live", "new events are stored within seconds"},
    Column{Capability::compaction_markers, "compact", "the compactions of the context are known"},
    Column{Capability::tool_calls, "tools", "tool calls are known with their results"},
    Column{Capability::cost, "cost", "effort can be computed: tokens, turns, time, retries"},
    Column{Capability::session_stop, "stop",
           "the agent records the end of a session; for others memd infers it from silence"},
    Column{Capability::git_branch, "branch", "the branch of the work is known"},
};
static_assert(kColumns.size() == kAllCapabilities.size());

// A question, the tools that answer it, and the capability that they need.
struct Pattern {
  std::string_view question;
  std::string_view tools;
  Capability needed;
};
constexpr std::array kPatterns{
    Pattern{"What did we say about X?", "semantic_search", Capability::semantic_search},
    Pattern{"How did X develop, what was decided?", "topic_search, list_observations", Capability::semantic_search},
    Pattern{"What happened yesterday, last week?", "temporal_query", Capability::temporal_query},
    Pattern{"What were the last turns?", "recent_turns", Capability::exchange_retrieval},
    Pattern{"What was a whole session about?", "session_summary", Capability::session_summary},
    Pattern{"What was I doing before the compaction?", "resume_context", Capability::compaction_markers},
    Pattern{"Who changed this file, these lines, and why?", "file_history", Capability::file_context},
    Pattern{"What did the agent run, and what came of it?", "get_exchange(include_tools)", Capability::tool_calls},
    Pattern{"How much effort did it take?", "list_sessions, session_summary, capabilities", Capability::cost}};

constexpr std::array kSystems{std::pair{OperatingSystem::linux_system, std::string_view("Linux")},
                              std::pair{OperatingSystem::macos, std::string_view("macOS")},
                              std::pair{OperatingSystem::windows, std::string_view("Windows")}};

#ifdef __APPLE__
constexpr auto kThisSystem = OperatingSystem::macos;
#else
constexpr auto kThisSystem = OperatingSystem::linux_system;
#endif

const AdapterDescription* find(std::span<const AdapterDescription> adapters, Platform platform) {
  const auto it =
      std::find_if(adapters.begin(), adapters.end(), [&](const auto& adapter) { return adapter.platform == platform; });
  return it == adapters.end() ? nullptr : &*it;
}

bool can(const AdapterDescription* adapter, Capability capability) {
  return adapter != nullptr && std::find(adapter->capabilities.begin(), adapter->capabilities.end(), capability) !=
                                   adapter->capabilities.end();
}

std::string_view status_of(const AdapterDescription* adapter) {
  return adapter == nullptr ? to_string(AdapterStatus::unsupported) : to_string(adapter->status);
}
std::string_view data_of(const AdapterDescription* adapter) {
  return adapter == nullptr ? std::string_view("-") : to_string(adapter->data_completeness);
}

// Returns the system that a location's prefix belongs to; nullopt: every system.
std::optional<OperatingSystem> system_named(std::string_view location) {
  const auto starts = [&](std::initializer_list<std::string_view> with) {
    return std::any_of(with.begin(), with.end(), [&](auto w) { return location.starts_with(w); });
  };
  if (starts({"~/Library/"})) return OperatingSystem::macos;
  if (starts({"%", "~/AppData", "~\\", "C:\\"})) return OperatingSystem::windows;
  if (starts({"~/.config/", "~/.local/", "$XDG_"})) return OperatingSystem::linux_system;
  return std::nullopt;
}

std::string contract_note(const AdapterDescription& adapter) {
  return fmt::format("adapter {}, contract {}", adapter.adapter_version, adapter.contract_version);
}

// Returns the fields behind a platform's name in its line of a table of adapters/, which are separated by tabs; empty:
// it has no line.
std::array<std::string_view, 3> fields_of_line(std::string_view table, Platform platform) {
  using ascii::take_until;
  while (!table.empty()) {
    std::string_view line = take_until(table, '\n');
    if (take_until(line, '\t') == to_string(platform)) return {take_until(line, '\t'), take_until(line, '\t'), line};
  }
  return {};
}

std::string_view embedded_table(std::string_view name) {
  for (const auto& file : embedded::validation_status())
    if (file.name == name) return file.text;
  return {};
}

// The version of the agent that test/real_agents watched (empty: none), the date, and what is missing.
std::array<std::string_view, 3> watched(Platform platform) {
  return fields_of_line(embedded_table("validation.tsv"), platform);
}

std::string seen_at_work(Platform platform) {
  const auto [version, date, missing] = watched(platform);
  if (version.empty()) return missing.empty() ? std::string() : fmt::format("never watched at work: {}", missing);
  return fmt::format("version {} watched at work on {}; missing: {}", version, date,
                     missing.empty() ? "nothing" : missing);
}

// A fact that agents record, as adapters/facts.tsv names it, and where memd shows it.
struct Fact {
  std::string_view name;
  std::string_view shown;
};
constexpr std::array kFacts{
    Fact{"subagents", "with their parent in `list_sessions` and `memd show SESSION`; their calls in `get_exchange`"},
    Fact{"files", "`file_history`, `get_exchange`"},
    Fact{"attachments", "by name, type and hash in `get_exchange`, `memd show`, exports"},
    Fact{"notebooks", "as files"},
    Fact{"mcp", "calls of MCP servers as `mcp__server__tool` in `get_exchange`"},
    Fact{"todos", "the list in its last state in `resume_context`"},
    Fact{"plans", "accepted plans in `list_observations`"},
    Fact{"context", "how full the context was, in `session_summary`"},
    Fact{"checkpoints", "nowhere: they are copies of files, and the edits are known"},
};

// Returns the table of the agents: what each lacks, what memd does with its program, and the facts that are known.
std::string agents_markdown(std::span<const AdapterDescription> adapters, std::span<const AgentWays> ways,
                            std::string_view facts) {
  std::string out =
      "| agent | data | lacks | seen at work | `memd setup`, hook, `memd open`, `handoff` | known beside the "
      "conversation |\n|---|---|---|---|---|---|\n";
  for (const AdapterDescription& adapter : adapters) {
    const auto way = std::find_if(ways.begin(), ways.end(), [&](auto& w) { return w.platform == adapter.platform; });
    const bool is_client = way != ways.end();
    const auto [version, date, missing] = watched(adapter.platform);
    const auto [lines, held, left_out] = fields_of_line(facts, adapter.platform);
    const auto lists = [](std::string_view names, std::string_view name) {
      return fmt::format(" {} ", names).find(fmt::format(" {} ", name)) != std::string::npos;
    };
    const auto add = [](std::string& cell, std::string_view name) {
      cell.append(cell.empty() ? "" : ", ").append(name);
    };
    const auto or_dash = [](const std::string& cell) { return cell.empty() ? "–" : cell; };
    std::string lacks;
    for (const Column& c : kColumns)
      if (!can(&adapter, c.capability)) add(lacks, to_string(c.capability));
    std::string done;
    if (is_client) add(done, way->client);
    if (is_client && way->has_hook) add(done, "hook");
    if (!adapter.resume_command.empty()) add(done, "open");
    if (is_client && way->is_started) add(done, "handoff");
    std::string known;
    for (const Fact& fact : kFacts)
      if (const bool skipped = lists(left_out, fact.name); skipped || lists(held, fact.name))
        add(known, std::string(fact.name) + (skipped ? "*" : ""));
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", to_string(adapter.platform), data_of(&adapter),
                       or_dash(lacks), version.empty() ? "–" : fmt::format("{}, {}", version, date), or_dash(done),
                       or_dash(known));
  }
  return out;
}

// Returns the locations of an adapter, each once: those of every system, then those of some, after their names.
std::string places_markdown(const AdapterDescription& adapter) {
  std::vector<std::pair<std::string, std::vector<std::string>>> places;  // by systems; the first: every one
  places.emplace_back();
  for (const auto& location : adapter.storage_locations) {
    std::string systems;
    std::size_t count = 0;
    for (const auto& [system, name] : kSystems) {
      const auto there = storage_on(adapter, system);
      if (std::find(there.begin(), there.end(), location) == there.end()) continue;
      systems += (systems.empty() ? "" : " and ") + std::string(name);
      ++count;
    }
    if (count == kSystems.size()) systems.clear();
    auto it = std::find_if(places.begin(), places.end(), [&](const auto& place) { return place.first == systems; });
    if (it == places.end()) it = places.emplace(places.end(), systems, std::vector<std::string>());
    it->second.push_back(location);
  }
  std::string out;
  for (const auto& [systems, locations] : places) {
    if (locations.empty()) continue;
    out += out.empty() ? "Reads " : "; ";
    if (!systems.empty()) out += "on " + systems + " ";
    out += fmt::format("`{}`", fmt::join(locations, "`, `"));
  }
  return out + ".\n";
}

}  // namespace

std::vector<std::string> storage_on(const AdapterDescription& adapter, OperatingSystem system) {
  const bool tells_systems_apart =
      std::any_of(adapter.storage_locations.begin(), adapter.storage_locations.end(), [](const auto& location) {
        const auto named = system_named(location);
        return named && *named != OperatingSystem::linux_system;
      });
  std::vector<std::string> out;
  for (const auto& location : adapter.storage_locations) {
    const auto named = tells_systems_apart ? system_named(location) : std::nullopt;
    if (!named || *named == system) out.push_back(location);
  }
  return out;
}

std::string capability_line(const AdapterDescription& adapter) {
  const auto names = adapter.capabilities | std::views::transform([](Capability c) { return to_string(c); });
  return fmt::format("{} {}, data {}: {}", to_string(adapter.platform), to_string(adapter.status),
                     to_string(adapter.data_completeness), fmt::join(names, " "));
}

std::string matrix_table(std::span<const AdapterDescription> adapters) {
  std::string out = fmt::format("{:<12}{:<12}{:<14}", "platform", "status", "data");
  for (const Column& c : kColumns)
    out += fmt::format(" {}", c.heading);
  out += '\n';
  for (const Platform platform : platform_ids()) {
    const auto* adapter = find(adapters, platform);
    out += fmt::format("{:<12}{:<12}{:<14}", to_string(platform), status_of(adapter), data_of(adapter));
    for (const Column& c : kColumns)
      out += fmt::format(" {:<{}}", can(adapter, c.capability) ? "yes" : "-", c.heading.size());
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  for (const Platform platform : platform_ids()) {
    const auto* adapter = find(adapters, platform);
    out += fmt::format("\n{}", to_string(platform));
    if (adapter == nullptr) {
      out += ": no adapter in this version\n";
      continue;
    }
    out += fmt::format(" ({})\n", contract_note(*adapter));
    if (const std::string seen = seen_at_work(platform); !seen.empty()) out += fmt::format("  agent: {}\n", seen);
    for (const auto& location : storage_on(*adapter, kThisSystem))
      out += fmt::format("  reads: {}\n", location);
    for (const auto& limitation : adapter->limitations)
      out += fmt::format("  limitation: {}\n", limitation);
  }
  return out;
}

std::string_view known_facts() { return embedded_table("facts.tsv"); }

std::string matrix_markdown(std::span<const AdapterDescription> adapters, std::span<const AgentWays> ways,
                            std::string_view facts) {
  std::string out = fmt::format(
      "# Capabilities\n\nWhat memd knows of each agent (platform), as its adapter declares. `memd capabilities "
      "--markdown` writes this page, and a test compares them.\nAdapter contract {}.\n\n## By agent\n\n{}\n"
      "Data: the share of the agent's information on disk. Lacks: the capabilities below that the agent's files do not "
      "give; a tool skips such\nplatforms, and lists them in `platforms_skipped`. Seen at work: the version that "
      "`test/real_agents` watched, and when. `memd handoff` writes a file\nfor agents that it cannot start. Known: "
      "what "
      "golden cases (`test/golden`) hold, and where memd shows it; \\*: the agent records it, and memd skips it.\n\n",
      kContractVersion, agents_markdown(adapters, ways, facts));
  for (const Column& c : kColumns)
    out += fmt::format("* `{}`: {}\n", to_string(c.capability), c.meaning);
  out += '\n';
  for (const Fact& fact : kFacts)
    out += fmt::format("* `{}`: {}\n", fact.name, fact.shown);
  out +=
      "\nThe platforms' sections say where each agent keeps its data on Linux, macOS and Windows, and what is limited. "
      "memd runs on Linux; on macOS\n[it was not tried](macos.md), and on Windows it does not run.\n\n## By "
      "question\n\n"
      "| question | tools | needs |\n|---|---|---|\n";
  for (const Pattern& pattern : kPatterns)
    out += fmt::format("| {} | {} | `{}` |\n", pattern.question, pattern.tools, to_string(pattern.needed));
  out += "\nWithout `compaction_markers` resume_context covers a session to its end.\n";
  for (const Platform platform : platform_ids()) {
    const auto* adapter = find(adapters, platform);
    out += fmt::format("\n## {}\n\n", to_string(platform));
    if (adapter == nullptr) {
      out += "No adapter in this version.\n";
      continue;
    }
    out += places_markdown(*adapter);
    const auto [version, date, missing] = watched(platform);
    if (!missing.empty())
      out += fmt::format("{}: {}.\n", version.empty() ? "Never watched at work" : "Missing when watched", missing);
    if (!adapter->limitations.empty()) out += '\n';
    for (const auto& limitation : adapter->limitations)
      out += fmt::format("* {}\n", limitation);
  }
  out +=
      "\n## What cannot be read\n\n"
      "* Plandex: conversations are in its server's database, or in its cloud; the client keeps settings only.\n"
      "* Chats with ChatGPT and Gemini: on the makers' servers. `memd import` reads [their "
      "exports](events-format.md#conversations-of-other-programs).\n"
      "* Grok CLI of vibe-kit: writes no session.\n\nWhat else is encrypted or elsewhere stands in its agent's "
      "section.\n";
  return out;
}

}  // namespace memd::tools
