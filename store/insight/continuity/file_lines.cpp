#include "store/insight/continuity/file_lines.hpp"

#include "schemas/ids.hpp"
#include "store/text/token_estimate.hpp"

#include <algorithm>
#include <map>

namespace memd::continuity {
namespace {

constexpr std::size_t kLine = 5;  // quotes, colon and an id or two
constexpr std::size_t kId = 4;
constexpr std::size_t kPurposes = 8;

struct Place {
  std::string directory;  // with its last slash, below the working directory as far as it is there
  std::string name;
};

Place place_of(std::string_view path, std::string_view cwd) {
  if (!cwd.empty() && path.size() > cwd.size() + 1 && path.starts_with(cwd) && path[cwd.size()] == '/')
    path.remove_prefix(cwd.size() + 1);
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {"./", std::string(path)};
  return {std::string(path.substr(0, slash + 1)), std::string(path.substr(slash + 1))};
}

struct Entry {
  const FileUse* file = nullptr;
  std::string text;
};

std::string counted(const FileUse& file, const std::string& name) {
  std::string out = name;
  if (file.edits > 0) out += " e" + std::to_string(file.edits);
  if (file.reads > 0) out += " r" + std::to_string(file.reads);
  return out;
}

std::string line_of(const std::string& directory, std::vector<Entry>& entries) {
  // Files of one exchange stand together, so that one id does for them.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.file->exchange > b.file->exchange; });
  std::string out = directory + ":";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out += (i == 0 ? " " : ", ") + entries[i].text;
    const bool last = i + 1 == entries.size() || entries[i + 1].file->exchange != entries[i].file->exchange;
    if (last && entries[i].file->exchange != 0) out += " [" + format_exchange_id(entries[i].file->exchange) + "]";
  }
  return out;
}

}  // namespace

std::vector<std::string> file_lines(const WorkingState& state, std::size_t tokens, TokenBudget& budget,
                                    std::int64_t& left_out) {
  std::vector<std::pair<std::string, std::vector<Entry>>> lines;  // best directory first
  const auto pay = [&](std::size_t cost) {
    if (cost > tokens || !budget.take(cost)) return false;
    tokens -= cost;
    return true;
  };
  for (const FileUse& file : state.files) {
    const Place place = place_of(file.path, state.cwd);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == place.directory; });
    const bool is_new = line == lines.end();
    const bool same_id = !is_new && std::any_of(line->second.begin(), line->second.end(),
                                                [&](const Entry& e) { return e.file->exchange == file.exchange; });
    Entry entry{&file, counted(file, place.name)};
    const std::size_t cost = estimate_tokens(", " + entry.text) + (same_id ? 0 : kId) +
                             (is_new ? estimate_tokens(place.directory) + kLine : 0);
    if (!pay(cost)) {
      ++left_out;
      continue;
    }
    if (is_new) line = lines.insert(lines.end(), {place.directory, {}});
    line->second.push_back(std::move(entry));
  }
  // What for, with what is left.
  std::size_t purposes = 0;
  for (const FileUse& file : state.files) {
    if (file.purpose.empty() || file.edits == 0 || purposes == kPurposes) continue;
    for (auto& [directory, entries] : lines)
      for (Entry& entry : entries) {
        if (entry.file != &file) continue;
        const std::string purpose = " (" + file.purpose + ")";
        if (!pay(estimate_tokens(purpose))) continue;
        entry.text += purpose;
        ++purposes;
      }
  }
  std::vector<std::string> out;
  for (auto& [directory, entries] : lines)
    out.push_back(line_of(directory, entries));
  return out;
}

}  // namespace memd::continuity
