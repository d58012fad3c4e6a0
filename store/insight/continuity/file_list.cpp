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

bool FileList::pay(std::size_t cost, std::size_t& tokens) {
  if (cost > tokens || !budget_.take(cost)) return false;
  tokens -= cost;
  return true;
}

std::int64_t FileList::add_files(std::size_t tokens) {
  std::int64_t left_out = 0;
  for (const WorkingFile& file : state_.files) {
    const Place place = place_of(file.path, state_.cwd);
    auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& l) { return l.first == place.directory; });
    const bool is_new = line == lines_.end();
    Entry entry{file.path, counted(file, place.name), {}};
    const std::size_t cost =
        estimate_tokens(", " + entry.text) + (is_new ? estimate_tokens(place.directory) + kLine : 0);
    if (!pay(cost, tokens)) {
      ++left_out;
      continue;
    }
    if (is_new) line = lines_.insert(lines_.end(), {place.directory, {}});
    line->second.push_back(std::move(entry));
  }
  add_purposes(tokens);
  return left_out;
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
    Place place = place_of(name.path, state_.cwd);
    auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& l) { return l.first == place.directory; });
    const bool is_new = line == lines_.end();
    const std::size_t cost = estimate_tokens(", " + place.name + " " + with_line) + kBraces +
                             (is_new ? estimate_tokens(place.directory) + kLine : 0);
    if (!pay(cost, tokens)) return false;
    if (is_new) line = lines_.insert(lines_.end(), {place.directory, {}});
    line->second.push_back({name.path, std::move(place.name), with_line, true});
  }
  ++named_;
  return true;
}

std::vector<std::string> FileList::lines() const {
  const bool edited =
      std::any_of(state_.files.begin(), state_.files.end(), [](const WorkingFile& f) { return f.edits > 0; });
  std::vector<std::string> out;
  for (const auto& [directory, entries] : lines_) {
    // If files were edited, a single name from a directory without read or edited files is not informative.
    if (edited && entries.size() == 1 && entries[0].is_only_named && entries[0].names.find(' ') == std::string::npos)
      continue;
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
