// Files that an agent works with: modified files before read ones, recent and frequent use before older and rare use.
#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/turn_work.hpp"
#include "store/insight/continuity/weights.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/path_names.hpp"
#include "store/text/shell_line.hpp"

#include <algorithm>
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

// Calls `out` with each file or directory that a command line removes or moves away.
template <class F>
void for_each_removed(std::string_view line, F out) {
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(next_separator(line, begin), line.size());
    std::string_view part = ascii::trimmed(line.substr(begin, end - begin));
    begin = end + (line.substr(end).starts_with("&&") ? 2 : 1);
    if (part.starts_with("git ")) part.remove_prefix(4);
    const bool moves = part.starts_with("mv ");
    if (!moves && !part.starts_with("rm ")) continue;
    std::string_view last;  // where a move goes to
    for (part.remove_prefix(3); !part.empty();) {
      const std::string_view word = ascii::take_until(part, ' ');
      if (word.empty() || word.starts_with('-')) continue;
      if (!last.empty()) out(last);
      last = word;
    }
    if (!moves && !last.empty()) out(last);
  }
}

// Returns whether the file is of no project: in the directory for temporary files, or in a hidden one of a home, as the
// notes of agents are.
bool is_apart(std::string_view path, std::string_view cwd) {
  if (!cwd.empty() && path.starts_with(cwd)) return false;
  if (path.starts_with("/tmp/") || path.starts_with("/root/.")) return true;
  if (!path.starts_with("/home/") && !path.starts_with("/Users/")) return false;
  const auto below_home = path.find('/', path.find('/', 1) + 1);
  return below_home != std::string_view::npos && path.substr(below_home).starts_with("/.");
}

// Knows which files are still part of the work: when each was used last, and whether it was removed since.
class Presence {
 public:
  explicit Presence(const SessionPast& past) : cwd_(past.cwd), present_(begin_of_present_work(past)) {}

  void use(const std::string& path, std::size_t exchange) { used_[path] = exchange; }
  void write(const std::string& path) {
    std::erase_if(removed_, [&](const std::string& r) { return covers(r, path); });
  }
  void remove(std::string path) { removed_.insert(std::move(path)); }

  bool is_present(const std::string& path) const {
    const auto used = used_.find(path);
    if (is_apart(path, cwd_) || (used != used_.end() && used->second < present_)) return false;
    return std::ranges::none_of(removed_, [&](const std::string& r) { return covers(r, path); });
  }

 private:
  static bool covers(std::string_view removed, std::string_view path) {
    return path.starts_with(removed) && (path.size() == removed.size() || path[removed.size()] == '/');
  }

  const std::string_view cwd_;
  const std::size_t present_;  // index of an exchange
  std::map<std::string, std::size_t, std::less<>> used_;
  std::set<std::string, std::less<>> removed_;  // files and directories
};

}  // namespace

void find_files(const SessionPast& past, WorkingState& out) {
  const PathsOfCalls in_commands = paths_in_commands(past);
  Presence presence(past);
  PathNames names(past.cwd);
  for (const PastEvent& e : past.events)
    if (is_file_call(e) && is_absolute(e.path)) names.add(e.path);
  for (const auto& [seq, paths] : in_commands)
    for (const std::string& path : paths)
      if (is_absolute(path)) names.add(path);

  std::map<std::string, WorkingFile, std::less<>> files;
  std::set<std::string, std::less<>> edited;
  const auto use = [&](std::string_view path, std::size_t exchange) -> WorkingFile& {
    std::string name = names.absolute(path);
    presence.use(name, exchange);
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
        WorkingFile& file = use(path, e.exchange);
        if (file.exchange == 0) file.exchange = id_of(past, e.exchange);
        file.score += kWeights.file_in_command * freshness;
      }
    }
    for (const ShellCommand& command : e.facts.commands)
      for_each_removed(without_here_text(tidy_command(command.line)),
                       [&](std::string_view path) { presence.remove(names.absolute(path)); });
    if (e.kind == EventKind::edit && assembly::is_deletion(e.summary)) presence.remove(names.absolute(e.path));
    if (!is_file_call(e)) continue;
    WorkingFile& file = use(e.path, e.exchange);
    const bool told_edit = e.kind == EventKind::edit;
    const bool modified = e.modifies || told_edit;
    // Skips an edit whose call was counted already.
    if (told_edit && edited.contains(file.path)) continue;
    file.edits += modified;
    file.reads += !modified;
    if (modified) edited.insert(file.path);
    if (modified && !assembly::is_deletion(e.summary)) presence.write(file.path);
    file.exchange = id_of(past, e.exchange);
    file.score += (modified ? kWeights.file_modified : 1) * freshness;
    if (said != nullptr && said->age <= e.age + 4 && (modified || file.edits == 0)) {
      std::string purpose = purpose_of(said->summary);
      if (!purpose.empty()) file.purpose = std::move(purpose);
    }
  }
  for (auto& [path, file] : files)
    if (presence.is_present(path)) out.files.push_back(std::move(file));
  std::sort(out.files.begin(), out.files.end(), [](const WorkingFile& a, const WorkingFile& b) {
    return a.score != b.score ? a.score > b.score : a.path < b.path;
  });
  if (out.files.size() > kFiles) out.files.resize(kFiles);
}

}  // namespace memd::continuity
