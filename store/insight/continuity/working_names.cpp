// Names that an agent works with, by recency, frequency and context of use.
#include "schemas/base/hash.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/name_places.hpp"
#include "store/insight/continuity/weights.hpp"
#include "store/text/code_names.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace memd::continuity {
namespace {

constexpr std::size_t kNames = 900;
constexpr std::size_t kReadOfResult = 8 * 1024;
constexpr std::size_t kReadOfText = 24 * 1024;  // a longer text is a paste or a file

// Keys of tool inputs in their readable form. They occur in every call and are not text of a user or an agent.
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

bool comes_first(const WorkingName& a, const WorkingName& b) {
  return a.score != b.score ? a.score > b.score : a.text < b.text;
}

// Returns the start of a text, without a partial name at its end.
std::string_view cut_at_word(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  return text.substr(0, text.find_last_of(" \t\n\"'(),;", bytes - 1) + 1);
}

// The kind of text that contains a name.
enum class Spot { person, agent, command, edit, call, result };
constexpr std::size_t kSpots = 6;

// Frequency and recency of a name.
struct NameUse {
  std::array<std::uint32_t, kSpots> times{};  // number of texts that contain it, by Spot
  std::size_t seen = kNever;                  // age of the last text of any kind
  std::size_t used = kNever;                  // age of the last text that is not a result
  static constexpr std::size_t kNever = 2000;
};

// Returns the likelihood that the name is used again, up to a constant factor.
double likelihood(std::string_view name, const NameUse& use) {
  const NameWeights& w = kWeights.names;
  double x = 0;
  for (std::size_t i = 0; i < kSpots; ++i)
    x += w.times[i] * std::log1p(static_cast<double>(use.times[i]));
  x -= w.seen * std::log1p(static_cast<double>(use.seen)) + w.used * std::log1p(static_cast<double>(use.used));
  if (name.find_first_of(".:") != std::string_view::npos) x -= w.dotted;
  return std::exp(x);
}

// A sublinear cost: favours short names, so that more fit, but not exclusively.
double cost_of_name(std::string_view name) { return std::sqrt(static_cast<double>(estimate_tokens(name))); }

class Tally {
 public:
  void read(std::string_view text, Spot spot, std::size_t age) {
    ++text_;
    for_each_code_name(cut_at_word(text, kReadOfText), [&](std::string_view name) {
      if (name.starts_with('-') || is_input_key(name)) return;
      auto it = uses_.find(name);
      if (it == uses_.end()) it = uses_.emplace(std::string(name), NameUse{}).first;
      if (std::exchange(last_text_[it->first], text_) != text_) count(it->second, spot, age);
    });
  }
  std::vector<WorkingName> best() const {
    std::vector<WorkingName> out;
    out.reserve(uses_.size());
    for (const auto& [name, use] : uses_)
      if (!is_standard_name(name)) out.push_back({name, likelihood(name, use), {}, 0});
    std::sort(out.begin(), out.end(), comes_first);
    if (out.size() > kNames) out.resize(kNames);
    return out;
  }

 private:
  static void count(NameUse& use, Spot spot, std::size_t age) {
    ++use.times[static_cast<std::size_t>(spot)];
    use.seen = std::min(use.seen, age);
    if (spot != Spot::result) use.used = std::min(use.used, age);
  }

  std::unordered_map<std::string, NameUse, TextHash, std::equal_to<>> uses_;
  std::unordered_map<std::string_view, std::size_t> last_text_;  // keys of uses_
  std::size_t text_ = 0;
};

}  // namespace

double WorkingName::likelihood() const { return score * cost_of_name(text); }

void find_names(const SessionPast& past, WorkingState& out) {
  Tally tally;
  for (const PastText& t : past.texts)
    tally.read(t.text, t.speaker == Speaker::agent ? Spot::agent : Spot::person, t.age);
  for (const PastEvent& e : past.events) {
    const std::string_view whole = past.full_text(e.seq);
    if (e.kind == EventKind::tool_result) {
      const std::string_view text = e.is_complete_in_summary() ? std::string_view(e.summary) : whole;
      tally.read(cut_at_word(text, kReadOfResult), Spot::result, e.age);
    }
    if (e.kind != EventKind::tool_call) continue;
    const Spot spot = e.modifies ? Spot::edit : Spot::call;
    if (!e.facts.commands.empty())
      for (const ShellCommand& command : e.facts.commands)
        tally.read(command.line, Spot::command, e.age);
    else if (!whole.empty())
      tally.read(whole, spot, e.age);
    else if (!e.facts.todos)  // todos are covered by the next steps
      tally.read(e.summary, spot, e.age);
  }
  out.names = tally.best();
  const NamePlaces places(past);
  for (WorkingName& name : out.names) {
    NamePlace place = places.of(name.text);
    name.path = std::move(place.path);
    name.line = place.line;
    name.score /= cost_of_name(name.text);
  }
  std::erase_if(out.names, [](const WorkingName& name) { return name.path.empty(); });
  std::stable_sort(out.names.begin(), out.names.end(), comes_first);
}

void weigh_names(std::vector<WorkingName>& names, const std::vector<NameSpread>& spreads) {
  const std::size_t known = std::min(names.size(), spreads.size());
  for (std::size_t i = 0; i < known; ++i)
    names[i].score *= std::sqrt(name_weight(names[i].text, spreads[i]));
  // The names after these were used less than any of them.
  std::stable_sort(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(known), comes_first);
}

}  // namespace memd::continuity
