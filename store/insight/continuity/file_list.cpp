#include "store/insight/continuity/file_list.hpp"

#include <algorithm>

namespace memd::continuity {
namespace {

constexpr std::size_t kLine = 4;  // quotes and colon
constexpr std::size_t kBraces = 2;
constexpr std::size_t kPurposes = 8;
constexpr std::size_t kWithLine = 12;  // number of names listed with their line; the file suffices for the others

struct Place {
  std::string directory;  // with trailing slash
  std::string name;
};

Place place_of(std::string_view path, std::string_view cwd) {
  const std::string below = path_below(path, cwd);
  const auto slash = below.rfind('/');
  if (slash == std::string::npos) return {"./", below};
  return {below.substr(0, slash + 1), below.substr(slash + 1)};
}

std::string counted(const WorkingFile& file, const std::string& name) {
  std::string out = name;
  if (file.edits > 0) out += " e" + std::to_string(file.edits);
  if (file.reads > 0) out += " r" + std::to_string(file.reads);
  return out;
}

// A file name written by an agent may be relative.
bool is_same_file(std::string_view path, std::string_view written) {
  if (path == written) return true;
  return path.size() > written.size() && path.ends_with(written) && path[path.size() - written.size() - 1] == '/';
}

}  // namespace

std::string path_below(std::string_view path, std::string_view cwd) {
  if (!cwd.empty() && path.size() > cwd.size() + 1 && path.starts_with(cwd) && path[cwd.size()] == '/')
    path.remove_prefix(cwd.size() + 1);
  return std::string(path);
}

FileList::FileList(const WorkingState& state, TokenBudget& budget) : state_(state), budget_(budget) {
  for (const WorkingFile& file : state.files) {
    if (file.reads > 0) read_.insert(place_of(file.path, state.cwd).directory);
    if (file.edits > 0) edited_.insert(place_of(file.path, state.cwd).directory);
  }
}

bool FileList::is_worth_a_line(const std::string& directory) const {
  return edited_.empty() ? read_.contains(directory) : edited_.contains(directory);
}

bool FileList::pay(std::size_t cost, std::size_t& tokens) {
  if (cost > tokens || !budget_.take(cost)) return false;
  tokens -= cost;
  return true;
}

std::int64_t FileList::add_files(std::size_t tokens) {
  std::int64_t left_out = 0;
  for (const WorkingFile& file : state_.files) {
    const Place place = place_of(file.path, state_.cwd);
    if (is_worth_a_line(place.directory) && !add(place.directory, {file.path, counted(file, place.name), {}}, tokens))
      ++left_out;
  }
  add_purposes(tokens);
  return left_out;
}

bool FileList::add(const std::string& directory, Entry entry, std::size_t& tokens) {
  auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& l) { return l.first == directory; });
  const bool is_new = line == lines_.end();
  const std::size_t cost = estimate_tokens(", " + entry.text + " " + entry.names) +
                           (entry.names.empty() ? 0 : kBraces) + (is_new ? estimate_tokens(directory) + kLine : 0);
  if (!pay(cost, tokens)) return false;
  if (is_new) line = lines_.insert(lines_.end(), {directory, {}});
  line->second.push_back(std::move(entry));
  return true;
}

void FileList::add_purposes(std::size_t tokens) {
  std::size_t purposes = 0;
  for (const WorkingFile& file : state_.files) {
    if (file.purpose.empty() || file.edits == 0 || purposes == kPurposes) continue;
    Entry* entry = find(file.path);
    const std::string purpose = " (" + file.purpose + ")";
    if (entry == nullptr || !pay(estimate_tokens(purpose), tokens)) continue;
    entry->text += purpose;
    ++purposes;
  }
}

FileList::Entry* FileList::find(const std::string& path) {
  for (auto& [directory, entries] : lines_)
    for (Entry& entry : entries)
      if (is_same_file(entry.path, path) || is_same_file(path, entry.path)) return &entry;
  return nullptr;
}

bool FileList::add_name(const WorkingName& name, std::size_t& tokens) {
  if (name.path.empty()) return false;
  const std::string with_line =
      name.line > 0 && named_ < kWithLine ? name.text + ":" + std::to_string(name.line) : name.text;
  if (Entry* entry = find(name.path)) {
    const std::string text = (entry->names.empty() ? "" : " ") + with_line;
    if (!pay(estimate_tokens(text) + (entry->names.empty() ? kBraces : 0), tokens)) return false;
    entry->names += text;
  } else {
    const Place place = place_of(name.path, state_.cwd);
    if (!is_worth_a_line(place.directory) || !add(place.directory, {name.path, place.name, with_line}, tokens))
      return false;
  }
  ++named_;
  return true;
}

std::vector<std::string> FileList::lines() const {
  std::vector<std::string> out;
  for (const auto& [directory, entries] : lines_) {
    std::string line = directory + ":";
    for (std::size_t i = 0; i < entries.size(); ++i) {
      line += (i == 0 ? " " : ", ") + entries[i].text;
      if (!entries[i].names.empty()) line += " {" + entries[i].names + "}";
    }
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace memd::continuity
