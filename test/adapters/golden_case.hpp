#pragma once

#include "test/adapters/decode_source.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::test {

// test/golden/<platform>/<case>/{input.jsonl, events.json} and, where the file's place matters, source.txt with the
// path it is to be taken for.
struct GoldenCase {
  std::filesystem::path folder;
  std::string input;
  SourceCandidate candidate;
};

inline constexpr std::string_view kGoldenRoot = "/home/ada/.claude/projects";

inline std::vector<GoldenCase> golden_cases(const Adapter& adapter) {
  const auto base = std::filesystem::path(MEMD_SOURCE_DIR) / "test" / "golden" / "claude_code";
  std::vector<GoldenCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(base)) {
    GoldenCase c;
    c.folder = entry.path();
    c.input = read_file(c.folder / "input.jsonl");
    std::string path = read_file(c.folder / "source.txt");
    path = path.substr(0, path.find('\n'));
    if (path.empty()) path = std::string(kGoldenRoot) + "/-home-ada-app/11111111-1111-4111-8111-111111111111.jsonl";
    c.candidate = adapter.classify(kGoldenRoot, path).value();
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

inline std::uint64_t ledger_bytes(const EventBatch& batch) {
  std::uint64_t bytes = 0;
  for (const auto& line : batch.coverage)
    bytes += line.bytes;
  return bytes;
}

}  // namespace memd::test
