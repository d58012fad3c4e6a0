// Names an agent works with, by how lately, how often and where they were used.
#include "schemas/hash.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/name_places.hpp"
#include "store/text/code_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace memd::continuity {
namespace {

constexpr std::size_t kNames = 900;
constexpr std::size_t kReadOfResult = 8 * 1024;
constexpr std::size_t kReadOfText = 24 * 1024;  // a longer one is a paste or a file

// Keys of tool inputs as their readable form has them; they are in each, and nobody's words.
constexpr std::array<std::string_view, 66> kInputKeys{
    "file_path", "old_string", "new_string", "replace_all", "run_in_background", "output_mode", "head_limit",
    "notebook_path", "taskId", "activeForm", "subagent_type", "cell_id", "target_file", "code_edit", "is_background",
    "filePath", "oldString", "newString", "replaceAll", "absolute_path", "dir_path", "old_str", "new_str",
    "multiSelect", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskOutput", "TodoWrite", "AskUserQuestion",
    "ExitPlanMode", "EnterPlanMode", "ToolSearch", "WebFetch", "WebSearch", "NotebookEdit",
    // of Codex, Cline and Cursor
    "max_output_tokens", "yield_time_ms", "sandbox_permissions", "require_escalated", "prefix_rule", "timeout_ms",
    "write_stdin", "exec_command", "apply_patch", "requires_approval", "task_progress", "final_file_content",
    "newFileCreated", "editedExistingFile", "operationIsLocatedInWorkspace", "startLineNumbers", "read_file",
    "write_to_file", "replace_in_file", "list_files", "search_files", "execute_command", "list_dir", "numLines",
    "directoryRelativeWorkspacePath", "isDirectory", "tools.exec_command", "tools.apply_patch", "tools.write_stdin"};

bool is_input_key(std::string_view name) {
  return name.starts_with("REDACTED") || std::find(kInputKeys.begin(), kInputKeys.end(), name) != kInputKeys.end();
}

bool comes_first(const NameInPlay& a, const NameInPlay& b) {
  return a.score != b.score ? a.score > b.score : a.text < b.text;
}

// The beginning of a text, without a part of a name at its end.
std::string_view cut_at_word(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  return text.substr(0, text.find_last_of(" \t\n\"'(),;", bytes - 1) + 1);
}

class Tally {
 public:
  explicit Tally(double half_life) : half_life_(half_life) {}
  void read(std::string_view text, double weight, std::size_t age, ExchangeId exchange) {
    const double w = weight * decay(age, half_life_);
    for_each_code_name(cut_at_word(text, kReadOfText), [&](std::string_view name) {
      if (is_input_key(name)) return;
      auto it = scores_.find(name);
      if (it == scores_.end()) it = scores_.emplace(std::string(name), Use{}).first;
      it->second.score += w;
      it->second.exchange = std::max(it->second.exchange, exchange);
    });
  }
  std::vector<NameInPlay> best() const {
    std::vector<NameInPlay> out;
    out.reserve(scores_.size());
    for (const auto& [name, use] : scores_)
      if (!is_standard_name(name)) out.push_back({name, use.score, {}, 0, use.exchange});
    std::sort(out.begin(), out.end(), comes_first);
    if (out.size() > kNames) out.resize(kNames);
    return out;
  }

 private:
  struct Use {
    double score = 0;
    ExchangeId exchange = 0;  // the last
  };
  double half_life_;
  std::unordered_map<std::string, Use, TextHash, std::equal_to<>> scores_;
};

}  // namespace

void find_names(const SessionPast& past, WorkingState& out) {
  Tally tally(kWeights.name_half_life);
  for (const PastText& t : past.texts)
    tally.read(t.text, 1, t.age, id_of(past, t.exchange));
  for (const PastEvent& e : past.events) {
    const ExchangeId id = id_of(past, e.exchange);
    const std::string_view whole = past.full_text(e.seq);
    if (e.kind == EventKind::tool_result) {
      const std::string_view text = e.is_told_by_summary() ? std::string_view(e.summary) : whole;
      tally.read(cut_at_word(text, kReadOfResult), kWeights.name_in_result, e.age, id);
    }
    if (e.kind != EventKind::tool_call) continue;
    const bool of_file = e.modifies || !e.path.empty();
    const double weight = e.modifies ? kWeights.name_in_edit
                          : of_file  ? kWeights.name_in_call
                                     : kWeights.name_in_command;
    if (!whole.empty())
      tally.read(whole, weight, e.age, id);
    else if (of_file || (e.facts.commands.empty() && !e.facts.todos))  // todos are told as steps
      tally.read(e.summary, e.modifies ? kWeights.name_in_edit : kWeights.name_in_call, e.age, id);
    else
      for (const ShellCommand& command : e.facts.commands)
        tally.read(command.line, kWeights.name_in_command, e.age, id);
  }
  out.names = tally.best();
  const NamePlaces places(past);
  for (NameInPlay& name : out.names) {
    NamePlace place = places.of(name.text);
    name.path = std::move(place.path);
    name.line = place.line;
    if (name.path.empty()) name.score *= kWeights.name_without_place;
  }
  std::stable_sort(out.names.begin(), out.names.end(), comes_first);
}

void weigh_names(std::vector<NameInPlay>& names, const std::vector<NameSpread>& spreads) {
  const std::size_t known = std::min(names.size(), spreads.size());
  for (std::size_t i = 0; i < known; ++i)
    names[i].score *= std::sqrt(name_weight(names[i].text, spreads[i]));
  // Those behind were used less than any of them.
  std::stable_sort(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(known), comes_first);
}

}  // namespace memd::continuity
