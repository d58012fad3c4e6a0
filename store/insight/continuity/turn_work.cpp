#include "store/insight/continuity/turn_work.hpp"

#include "store/text/shell_line.hpp"

#include <algorithm>
#include <string_view>

namespace memd::continuity {
namespace {

bool is_edit(const PastEvent& e) { return e.modifies || e.kind == EventKind::edit; }

bool is_refused_or_failed(const SessionPast& past, const PastEvent& call) {
  const PastEvent* result = call.pair_seq ? past.event(*call.pair_seq) : nullptr;
  return result != nullptr && result->has_failed();
}

// Returns the existing branch that the arguments of "git checkout" or "git switch" name; empty: they are an option ("-b
// new" takes the work along) or files.
std::string_view branch_in(std::string_view arguments) {
  const std::string_view first = arguments.substr(0, arguments.find_first_of(" ;&|\n"));
  const bool names_files =
      first.find('.') != std::string_view::npos || arguments.substr(first.size()).starts_with(" -- ");
  return first.starts_with('-') || names_files ? std::string_view() : first;
}

// Returns the branch that the command line turns to last; empty: none.
std::string_view branch_turned_to(std::string_view line) {
  std::string_view out;
  for (const std::string_view command : {"git checkout ", "git switch "})
    for (auto at = line.find(command); at != std::string_view::npos; at = line.find(command, at + 1))
      if (const auto branch = branch_in(line.substr(at + command.size())); !branch.empty()) out = branch;
  return out;
}

bool ends_work(std::string_view line) {
  return line.find("gh pr merge") != std::string_view::npos || line.find("gh pr checkout") != std::string_view::npos;
}

// Returns the index of the first exchange from `begin` on that was on the branch, before `end`; `end`: none was.
std::size_t first_on(const SessionPast& past, std::string_view branch, std::size_t begin, std::size_t end) {
  while (begin < end && past.exchanges[begin].git_branch != branch)
    ++begin;
  return begin;
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
      return runs_commit(without_here_text(c.line)) && !is_refused_or_failed(past, e);
    });
  }
  return out;
}

std::size_t begin_of_present_work(const SessionPast& past) {
  std::size_t ended = 0;
  std::size_t turned = 0;
  std::size_t out = 0;
  for (const PastEvent& e : past.events) {
    if (is_edit(e)) out = turned;
    if (is_refused_or_failed(past, e)) continue;
    for (const ShellCommand& command : e.facts.commands) {
      const std::string_view line = without_here_text(command.line);
      if (ends_work(line)) turned = ended = e.exchange;
      // Who comes back to a branch goes on with its work.
      if (const auto branch = branch_turned_to(line); !branch.empty())
        turned = first_on(past, branch, ended, e.exchange);
    }
  }
  return out;
}

}  // namespace memd::continuity
