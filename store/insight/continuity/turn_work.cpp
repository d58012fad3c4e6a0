#include "store/insight/continuity/turn_work.hpp"

#include "store/text/shell_line.hpp"

#include <algorithm>
#include <string_view>

namespace memd::continuity {
namespace {

bool is_edit(const PastEvent& e) { return e.modifies || e.kind == EventKind::edit; }

bool is_refused_or_failed(const SessionPast& past, const PastEvent& call) {
  const PastEvent* result = call.pair_seq ? past.event(*call.pair_seq) : nullptr;
  return result != nullptr && result->failed;
}

// Returns whether "git checkout", "git switch" and the like are followed by the name of a branch that exists: neither
// by an option ("-b new" takes the work along) nor by a file.
bool names_branch(std::string_view arguments) {
  const std::string_view first = arguments.substr(0, arguments.find_first_of(" ;&|\n"));
  return !first.empty() && first.front() != '-' && first.find('.') == std::string_view::npos &&
         !arguments.substr(first.size()).starts_with(" -- ");
}

bool turns_to_other_work(std::string_view line) {
  line = without_here_text(line);
  for (const std::string_view command : {"git checkout ", "git switch "})
    for (auto at = line.find(command); at != std::string_view::npos; at = line.find(command, at + 1))
      if (names_branch(line.substr(at + command.size()))) return true;
  return line.find("gh pr merge") != std::string_view::npos || line.find("gh pr checkout") != std::string_view::npos;
}

}  // namespace

std::vector<TurnWork> work_of_turns(const SessionPast& past) {
  std::vector<TurnWork> out(past.exchanges.size());
  if (past.events.empty()) return out;
  for (std::size_t i = past.events.front().exchange; i < out.size(); ++i)
    out[i].is_loaded = true;
  for (const PastEvent& e : past.events) {
    TurnWork& turn = out[e.exchange];
    turn.edits |= is_edit(e);
    turn.works |= is_edit(e) || e.kind == EventKind::tool_call;
    turn.commits |= std::ranges::any_of(e.facts.commands, [&](const ShellCommand& c) {
      return without_here_text(c.line).find("git commit") != std::string_view::npos && !is_refused_or_failed(past, e);
    });
  }
  return out;
}

std::size_t begin_of_present_work(const SessionPast& past) {
  std::size_t turned = 0;
  std::size_t out = 0;
  for (const PastEvent& e : past.events) {
    if (is_edit(e)) out = turned;
    if (std::ranges::any_of(e.facts.commands, [](const ShellCommand& c) { return turns_to_other_work(c.line); }) &&
        !is_refused_or_failed(past, e))
      turned = e.exchange;
  }
  return out;
}

}  // namespace memd::continuity
