// Files that an agent works with: modified files before read ones, recent and frequent use before older and rare use.
#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/path_names.hpp"
#include "store/text/shell_line.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace memd::continuity {
namespace {

constexpr std::size_t kFiles = 120;
constexpr std::size_t kPurposeBytes = 70;
constexpr std::size_t kShortestPurpose = 8;

// "Now let me update the lock check:" → "update the lock check"; empty for a sentence that announces no work.
std::string announced(std::string_view sentence) {
  bool announces = false;
  for (auto opening = cues().opening(sentence, Cue::announces); opening;
       opening = cues().opening(sentence, Cue::announces)) {
    sentence = ascii::trimmed(sentence.substr(opening->end));
    announces = true;
  }
  if (!announces || sentence.size() < kShortestPurpose || sentence.starts_with("I ")) return {};
  std::string out = shortened(sentence, kPurposeBytes);
  while (!out.empty() && (out.back() == ':' || out.back() == '.' || out.back() == ' '))
    out.pop_back();
  return out;
}

// Returns the announced work of the first sentence that announces any.
std::string purpose_of(std::string_view said) {
  while (!said.empty()) {
    const auto end = std::min({said.find(". "), said.find("! "), said.size()});
    if (std::string purpose = announced(said.substr(0, end)); !purpose.empty()) return purpose;
    said.remove_prefix(std::min(end + 2, said.size()));
  }
  return {};
}

bool is_file_call(const PastEvent& e) {
  const bool told_edit = e.kind == EventKind::edit && !e.pair_seq;
  if (e.path.empty() || !(e.kind == EventKind::tool_call || told_edit)) return false;
  const std::string_view name = std::string_view(e.path).substr(e.path.rfind('/') + 1);
  if (name.empty() || name == "." || name == "..") return false;
  return e.modifies || told_edit || name.find('.') != std::string_view::npos;  // else a searched directory
}

using PathsOfCalls = std::unordered_map<std::int64_t, std::vector<std::string>>;

PathsOfCalls paths_in_commands(const SessionPast& past) {
  PathsOfCalls out;
  for (const PastEvent& e : past.events) {
    if (!e.path.empty()) continue;
    for (const ShellCommand& command : e.facts.commands) {
      const std::string line = tidy_command(command.line);
      const auto text = line.find("<<");
      const bool whole = command.is_whole || text != line.npos;
      for (const std::string_view path : paths_in(std::string_view(line).substr(0, text), whole))
        out[e.seq].emplace_back(path);
    }
  }
  return out;
}

}  // namespace

void find_files(const SessionPast& past, WorkingState& out) {
  const PathsOfCalls in_commands = paths_in_commands(past);
  PathNames names(past.cwd);
  for (const PastEvent& e : past.events)
    if (is_file_call(e) && is_absolute(e.path)) names.add(e.path);
  for (const auto& [seq, paths] : in_commands)
    for (const std::string& path : paths)
      if (is_absolute(path)) names.add(path);

  std::map<std::string, WorkingFile, std::less<>> files;
  std::set<std::string, std::less<>> edited;
  const auto use = [&](std::string_view path) -> WorkingFile& {
    std::string name = names.absolute(path);
    WorkingFile& file = files[name];
    if (file.path.empty()) file.path = std::move(name);
    return file;
  };
  const PastEvent* said = nullptr;  // the agent's newest message
  for (const PastEvent& e : past.events) {
    if (e.kind == EventKind::assistant_msg) said = &e;
    if (e.kind == EventKind::user_msg) said = nullptr;
    const double freshness = decay(e.age, kWeights.file_half_life);
    if (const auto paths = in_commands.find(e.seq); paths != in_commands.end()) {
      for (const std::string& path : paths->second) {
        WorkingFile& file = use(path);
        if (file.exchange == 0) file.exchange = id_of(past, e.exchange);
        file.score += kWeights.file_in_command * freshness;
      }
    }
    if (!is_file_call(e)) continue;
    WorkingFile& file = use(e.path);
    const bool told_edit = e.kind == EventKind::edit;
    const bool modified = e.modifies || told_edit;
    // Skips an edit whose call was counted already.
    if (told_edit && edited.contains(file.path)) continue;
    file.edits += modified;
    file.reads += !modified;
    if (modified) edited.insert(file.path);
    file.exchange = id_of(past, e.exchange);
    file.score += (modified ? kWeights.file_modified : 1) * freshness;
    if (said != nullptr && said->age <= e.age + 4 && (modified || file.edits == 0)) {
      std::string purpose = purpose_of(said->summary);
      if (!purpose.empty()) file.purpose = std::move(purpose);
    }
  }
  for (auto& [path, file] : files)
    out.files.push_back(std::move(file));
  std::sort(out.files.begin(), out.files.end(), [](const WorkingFile& a, const WorkingFile& b) {
    return a.score != b.score ? a.score > b.score : a.path < b.path;
  });
  if (out.files.size() > kFiles) out.files.resize(kFiles);
}

}  // namespace memd::continuity
