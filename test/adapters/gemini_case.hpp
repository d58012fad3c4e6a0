#pragma once

#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/support/memory_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::test {

// test/golden/gemini/<case>/{input.json or input.jsonl, events.json} and, where they matter, source.txt with the path
// it is to be taken for, project_root.txt and projects.json.
struct GeminiCase {
  std::filesystem::path folder;
  std::string input;
  SourceCandidate candidate;
  MemoryFiles files;
};

inline constexpr std::string_view kGeminiRoot = "/home/ada/.gemini/tmp";

inline std::vector<GeminiCase> gemini_cases(const Adapter& adapter) {
  const auto base = std::filesystem::path(MEMD_SOURCE_DIR) / "test" / "golden" / "gemini";
  std::vector<GeminiCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(base)) {
    GeminiCase c;
    c.folder = entry.path();
    const bool is_log = std::filesystem::exists(c.folder / "input.jsonl");
    c.input = read_file(c.folder / (is_log ? "input.jsonl" : "input.json"));
    std::string path = read_file(c.folder / "source.txt");
    path = path.substr(0, path.find('\n'));
    if (path.empty()) path = std::string(kGeminiRoot) + "/app/chats/session-2026-03-01T10-00-aaaaaaaa.json";
    c.candidate = adapter.classify(kGeminiRoot, path).value();
    c.files.write(path, c.input);
    if (auto text = read_file(c.folder / "project_root.txt"); !text.empty())
      c.files.write(std::string(kGeminiRoot) + "/app/.project_root", std::move(text));
    if (auto text = read_file(c.folder / "projects.json"); !text.empty())
      c.files.write("/home/ada/.gemini/projects.json", std::move(text));
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

}  // namespace memd::test
