#pragma once

#include "test/adapters/decode_source.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// A folder test/golden/<platform>/<case> with the expected events.json and input in one of two forms:
//   home/      the files of the home directory /home/ada; every source in it is read
//   input.EXT  one source, as if it were at the path in source.txt of the case, else in that of the platform;
//              home/ may contain the files around it
struct GoldenCase {
  std::filesystem::path folder;
  FolderView files;
  std::map<std::string, SourceCandidate> sources;  // by path
  bool is_input = false;                           // the input is input.EXT

  std::string name() const { return folder.filename().string(); }
  // Only for a case with one source.
  const SourceCandidate& source() const { return sources.begin()->second; }
  const std::string& input() const { return files.text(sources.begin()->first); }
};

inline constexpr std::string_view kGoldenHome = "/home/ada";

inline std::filesystem::path golden_folder(const Adapter& adapter) {
  return test::source_dir() / "test" / "golden" / to_string(adapter.describe().platform);
}

// Returns the candidate that ingest derives from a file of /home/ada.
inline std::optional<SourceCandidate> classify_at_home(const Adapter& adapter, const std::string& path) {
  auto roots = adapter.roots({kGoldenHome, {}});
  if (roots.empty()) roots = adapter.roots({kGoldenHome, {kGoldenHome}});  // roots must be configured
  for (const auto& root : roots)
    if (path == root || path.starts_with(root.string() + "/"))
      if (auto candidate = adapter.classify(root, path)) return candidate;
  return std::nullopt;
}

inline std::string first_line(const std::filesystem::path& file) {
  const std::string text = bytes_of(file);
  return text.substr(0, text.find('\n'));
}

// Returns nullopt if the folder has neither form.
inline std::optional<GoldenCase> read_case(const Adapter& adapter, const std::filesystem::path& folder) {
  GoldenCase c;
  c.folder = folder;
  const bool has_home = std::filesystem::is_directory(folder / "home");
  if (has_home) c.files.take(folder / "home", kGoldenHome);
  for (const std::string_view name : {"input.jsonl", "input.json"}) {
    if (!std::filesystem::exists(folder / name)) continue;
    c.is_input = true;
    std::string path = first_line(folder / "source.txt");
    if (path.empty()) path = first_line(folder.parent_path() / "source.txt");
    if (path.empty()) return std::nullopt;
    c.files.write(path, bytes_of(folder / name));
    if (const auto candidate = classify_at_home(adapter, path)) c.sources.emplace(candidate->path, *candidate);
    return c;
  }
  for (const auto& path : c.files.paths())
    if (const auto candidate = classify_at_home(adapter, path)) c.sources.emplace(candidate->path, *candidate);
  return has_home ? std::optional(std::move(c)) : std::nullopt;
}

// Returns the cases of a platform, sorted by name. Cursor, opencode and Kilo have further cases with databases, which
// their own tests write.
inline std::vector<GoldenCase> golden_cases(const Adapter& adapter) {
  std::vector<GoldenCase> cases;
  const auto folder = golden_folder(adapter);
  if (!std::filesystem::is_directory(folder)) return cases;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_directory())
      if (auto c = read_case(adapter, entry.path())) cases.push_back(std::move(*c));
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

inline bool is_log(const Adapter& adapter, const SourceCandidate& candidate, const FileView& files) {
  Source source;
  source.platform = candidate.platform;
  source.path = candidate.path;
  source.format = candidate.format;
  return adapter.open_snapshot(source, files) == nullptr;
}

}  // namespace memd::test
