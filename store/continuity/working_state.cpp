#include "store/continuity/working_state.hpp"

#include "store/continuity/evidence.hpp"
#include "store/continuity/shell_line.hpp"
#include "store/continuity/todo_list.hpp"
#include "store/summary/text_shape.hpp"

#include <algorithm>

namespace memd::continuity {

ExchangeId id_of(const SessionPast& past, std::size_t exchange) {
  return exchange < past.exchanges.size() ? past.exchanges[exchange].id : 0;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  std::string out;
  if (const auto begin = text.find_first_not_of("-*• \t\r\n");
      begin != std::string_view::npos && begin > 0 && text[begin - 1] == ' ')
    text.remove_prefix(begin);  // of a list
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || static_cast<unsigned char>(c) < 0x20;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
    if (out.size() > bytes + 4) break;
  }
  while (out.ends_with(' '))
    out.pop_back();
  if (out.size() <= bytes) return out;
  std::size_t end = bytes;
  if (const auto blank = out.rfind(' ', end); blank != std::string::npos && blank > bytes / 2) end = blank;
  while (end > 0 && is_utf8_tail(out, end))
    --end;
  return out.substr(0, end) + "…";
}

std::string command_line(const SessionPast& past, const PastEvent& call, bool& whole) {
  whole = true;
  if (const auto command = command_of_input(past.full_text(call.seq)); !command.empty()) return tidy_command(command);
  std::string_view line = call.summary;
  const auto colon = line.find(": ");
  line = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 2);
  whole = !line.ends_with("…");
  return tidy_command(line);
}

std::vector<TextWish> texts_to_fetch(const SessionPast& past) {
  constexpr std::size_t kEdits = 60;
  constexpr std::size_t kCommands = 80;
  constexpr std::size_t kErrors = 4;
  constexpr std::size_t kTodos = 40;
  constexpr std::size_t kResults = 40;
  std::vector<TextWish> out;
  std::size_t edits = 0;
  std::size_t commands = 0;
  std::size_t errors = 0;
  std::size_t todos = 0;
  std::size_t results = 0;
  for (auto e = past.events.rbegin(); e != past.events.rend(); ++e) {
    if (e->kind == EventKind::tool_result && e->failed) {
      if (errors++ < kErrors) out.push_back({e->seq, e->kind});
    } else if (e->kind == EventKind::tool_result) {
      if (results++ < kResults) out.push_back({e->seq, e->kind});
    } else if (e->kind == EventKind::tool_call) {
      const bool wanted = e->modifies              ? edits++ < kEdits
                          : runs_commands(e->tool) ? commands++ < kCommands
                                                   : keeps_todos(e->tool) && todos++ < kTodos;
      if (wanted) out.push_back({e->seq, e->kind});
    }
  }
  return out;
}

WorkingState recover_state(const SessionPast& past) {
  WorkingState out;
  out.cwd = past.cwd;
  out.branch = past.branch;
  find_goal(past, out);
  find_constraints(past, out);
  find_choices(past, out);
  find_problems(past, out);
  find_next_steps(past, out);
  find_last_error(past, out);
  find_files(past, out);
  find_commands(past, out);
  find_names(past, out);
  return out;
}

}  // namespace memd::continuity
