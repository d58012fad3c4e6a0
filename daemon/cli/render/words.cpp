#include "daemon/cli/render/words.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/platform.hpp"
#include "schemas/subagent_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace memd::cli {

std::string with_noun(std::int64_t n, std::string_view noun) {
  return grouped_digits(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string grouped_digits(std::int64_t n) {
  std::string out = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > (n < 0 ? 1 : 0); at -= 3)
    out.insert(static_cast<std::size_t>(at), 1, ',');
  return out;
}

std::string short_number(std::int64_t n) {
  const auto value = static_cast<double>(n);
  if (n < 1000) return std::to_string(n);
  if (value < 999'950) return fmt::format("{:.1f}k", value / 1e3);
  if (value < 999'950'000) return fmt::format("{:.1f}M", value / 1e6);
  return fmt::format("{:.1f}G", value / 1e9);
}

std::string dollars(double usd) { return usd > 0 && usd < 0.01 ? "<$0.01" : fmt::format("${:.2f}", usd); }

std::string short_bytes(std::uint64_t n) {
  const auto value = static_cast<double>(n);
  if (n < 1000) return fmt::format("{} B", n);
  if (value < 999'950) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 999'950'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

std::string short_duration(std::int64_t seconds) {
  const auto two = [](std::int64_t large, const char* name, std::int64_t small, const char* rest) {
    return small == 0 ? fmt::format("{} {}", large, name) : fmt::format("{} {} {} {}", large, name, small, rest);
  };
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 86400) return two(seconds / 3600, "h", seconds % 3600 / 60, "min");
  return two(seconds / 86400, "d", seconds % 86400 / 3600, "h");
}

std::string short_path(std::string_view path) {
  const char* told = std::getenv("HOME");
  const std::string_view home = told == nullptr ? std::string_view() : std::string_view(told);
  if (home.size() < 2 || !path.starts_with(home)) return std::string(path);
  const std::string_view rest = path.substr(home.size());
  return rest.empty() || rest.starts_with('/') ? "~" + std::string(rest) : std::string(path);
}

std::string name_of_agent(std::string_view key) {
  const auto platform = parse_platform(key);
  return std::string(platform ? name_of(*platform) : key);
}

namespace {

// The parts of "claude_code:17b6b665-…/agent-a81c…": "17b6b665-…" and "a81c…". Most ids have only the first.
struct SessionIdParts {
  std::string_view session;
  std::string_view subagent;
};

SessionIdParts parts_of(std::string_view id) {
  id.remove_prefix(id.find(':') + 1);
  const auto slash = id.find('/');
  if (slash == std::string_view::npos) return {id, {}};
  std::string_view subagent = id.substr(slash + 1);
  if (subagent.starts_with(kSubagentIdBegins)) subagent.remove_prefix(kSubagentIdBegins.size());
  return {id.substr(0, slash), subagent};
}

// Returns the beginning of the id that tells it from the rivals, at least `least` bytes.
std::string_view beginning_of(std::string_view id, std::size_t least, const std::vector<std::string_view>& rivals) {
  std::size_t length = std::min(least, id.size());
  for (const std::string_view rival : rivals) {
    if (rival == id) continue;
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(id, rival).in1 - id.begin());
    length = std::max(length, std::min(same + 1, id.size()));
  }
  while (length < id.size() && id[length - 1] == '-')
    ++length;
  return id.substr(0, length);
}

}  // namespace

std::string SessionNames::name(std::string_view session_id) const {
  if (whole_) return std::string(session_id);
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kLeastOfSubagent = 4;
  const SessionIdParts own = parts_of(session_id);
  std::vector<std::string_view> sessions;
  std::vector<std::string_view> siblings;
  for (const std::string& id : ids_) {
    const SessionIdParts other = parts_of(id);
    sessions.push_back(other.session);
    if (other.session == own.session) siblings.push_back(other.subagent);
  }
  std::string out(beginning_of(own.session, kLeast, sessions));
  if (own.subagent.empty()) return out;
  return out.append("/").append(beginning_of(own.subagent, kLeastOfSubagent, siblings));
}

std::string session_name(std::string_view session_id, const Look& look) { return SessionNames(look).name(session_id); }

namespace {

struct Renaming {
  std::string_view tool;
  std::string_view people;
};

constexpr auto kTools = std::to_array<Renaming>({
    {"semantic_search", "memd search"},
    {"topic_search", "memd topic"},
    {"temporal_query", "memd timeline"},
    {"recent_turns", "memd recent"},
    {"session_summary", "memd summary"},
    {"resume_context", "memd resume"},
    {"list_sessions", "memd sessions"},
    {"list_observations", "memd observations"},
    {"file_history", "memd file-history"},
    {"get_exchange", "memd show"},
    {"capabilities", "memd capabilities"},
    {"all_projects=true", "--all-projects"},
    {"not known (send cwd)", "not known"},
    {"send cwd", "change to that of a project"},
    {"Send project", "Say --project"},
    {"session_id=\"latest\"", "latest"},
    {"include_raw=true", "--raw"},
    {"include_tools=true", "--tools"},
    {"max_tokens", "--max-tokens"},
    {"exchange_id", "id"},
    {"`also`", "--also"},
    {" To join it by time and files, send commit_time (git show -s --format=%cI), branch and paths (git show "
     "--name-only"
     " --format=).",
     ""},
    {"of none with history, name one", "of none with history; memd project list lists those there are"},
});

constexpr auto kArguments = std::to_array<Renaming>({
    {"all_projects", "--all-projects"},
    {"access", "--access"},
    {"around", "--around"},
    {"before", "--before"},
    {"chunk", "--chunk"},
    {"commit", "--commit"},
    {"complement", "--complement"},
    {"compression", "--compression"},
    {"ids", "ID"},
    {"kind", "--kind"},
    {"level", "--level"},
    {"limit", "--limit"},
    {"lines", "--lines"},
    {"max_seconds", "--max-seconds"},
    {"mode", "--mode"},
    {"n_results", "-n"},
    {"n_turns", "-n"},
    {"offset", "--offset"},
    {"path", "PATH"},
    {"platform", "--agent"},
    {"platforms", "--agent"},
    {"project", "--project"},
    {"query", "QUERY"},
    {"session_id", "SESSION"},
    {"since", "--since"},
    {"state", "--state"},
    {"strategy", "--strategy"},
    {"style", "--style"},
    {"symbol", "--symbol"},
    {"topic", "TOPIC"},
    {"until", "--until"},
});

// Returns whether names of tools and arguments may contain this byte.
bool is_name_byte_of_tool(char c) { return ascii::is_word(c); }

void replace_names(std::string& text, const Renaming& renaming) {
  for (auto at = text.find(renaming.tool); at != std::string::npos; at = text.find(renaming.tool, at)) {
    const auto end = at + renaming.tool.size();
    const bool whole =
        (at == 0 || !is_name_byte_of_tool(text[at - 1])) && (end == text.size() || !is_name_byte_of_tool(text[end]));
    if (!whole) {
      at = end;
      continue;
    }
    text.replace(at, renaming.tool.size(), renaming.people);
    at += renaming.people.size();
  }
}

}  // namespace

std::string for_people(std::string_view sentences) {
  std::string out;
  while (!sentences.empty()) {
    std::string_view one = ascii::take_until(sentences, '\n');
    std::string line(one);
    if (const auto colon = line.find(':'); colon != std::string::npos) {
      const auto found = std::ranges::find(kArguments, std::string_view(line).substr(0, colon), &Renaming::tool);
      constexpr std::string_view kMissing = ": is required and was not sent";
      const bool is_missing = std::string_view(line).substr(colon) == kMissing;
      if (is_missing) line.replace(colon, kMissing.size(), " is required");
      if (found != kArguments.end()) line.replace(0, colon, found->people);
    }
    for (const std::string_view mark : {kHistoryBegin, kHistoryEnd})
      for (auto at = line.find(mark); at != std::string::npos; at = line.find(mark))
        line.erase(at, mark.size());
    for (const Renaming& renaming : kTools)
      replace_names(line, renaming);
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

}  // namespace memd::cli
