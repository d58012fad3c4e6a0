#pragma once

#include "test/adapters/batch_json.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/folder_view.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace memd::test {

// test/golden/<platform>/<case>/{home/…, events.json}: files as they lie in a home directory, and what they give.
struct FolderCase {
  std::filesystem::path folder;
  FolderView files;
  std::map<std::string, SourceCandidate> sources;  // by path
};

inline constexpr std::string_view kGoldenHome = "/home/ada";

inline std::map<std::string, SourceCandidate> find_sources(const Adapter& adapter, const FolderView& files) {
  std::map<std::string, SourceCandidate> sources;
  for (const auto& root : adapter.roots({std::string(kGoldenHome), {}}))
    for (const auto& path : files.paths()) {
      if (!path.starts_with(root.string() + "/")) continue;
      if (const auto candidate = adapter.classify(root, path)) sources.emplace(candidate->path, *candidate);
    }
  return sources;
}

inline std::vector<FolderCase> folder_cases(const Adapter& adapter) {
  const auto base = std::filesystem::path(MEMD_SOURCE_DIR) / "test" / "golden" / to_string(adapter.describe().platform);
  std::vector<FolderCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(base)) {
    FolderCase c;
    c.folder = entry.path();
    c.files.take(entry.path() / "home", std::string(kGoldenHome));
    c.sources = find_sources(adapter, c.files);
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

inline std::uint64_t bytes_of(const std::vector<CoverageEntry>& ledger) {
  std::uint64_t sum = 0;
  for (const auto& line : ledger)
    sum += line.bytes;
  return sum;
}

// All that a case gives, as JSON.
inline std::string golden_text(const Adapter& adapter, const FolderCase& c) {
  std::string out = "[";
  const auto quote = [](const std::string& text) { return "\"" + text + "\""; };
  for (const auto& [path, candidate] : c.sources) {
    const Snapshot snapshot = decode_snapshot(adapter, candidate, c.files);
    EXPECT_EQ(snapshot.item_bytes + bytes_of(snapshot.plan.rest), snapshot.plan.size) << path;
    out += out.size() > 1 ? ",\n" : "\n";
    out += "{\"source\": " + quote(path) + ", \"rest\": [";
    for (std::size_t i = 0; i < snapshot.plan.rest.size(); ++i) {
      const auto& line = snapshot.plan.rest[i];
      out += (i > 0 ? ", " : "") + ("[" + quote(line.record_type)) + ", " +
             quote(std::string(to_string(line.disposition))) + ", " + quote(line.reason) + ", " +
             std::to_string(line.records) + ", " + std::to_string(line.bytes) + "]";
    }
    out += "], \"sessions\": [";
    bool first = true;
    for (const auto& [uid, session] : snapshot.sessions) {
      out += (first ? "\n{\"uid\": " : ",\n{\"uid\": ") + quote(uid) + ", \"items\": [";
      first = false;
      for (std::size_t i = 0; i < session.keys.size(); ++i)
        out += (i > 0 ? ", " : "") + quote(session.keys[i]);
      out += "], \"batch\":\n" + batch_json(session.batch) + "}";
    }
    out += "]}";
  }
  return out + "\n]\n";
}

inline bool update_golden_files() {
  if (std::getenv("MEMD_UPDATE_GOLDEN") != nullptr) return true;
  const auto arguments = testing::internal::GetArgvs();
  return std::find(arguments.begin(), arguments.end(), "--update-golden") != arguments.end();
}

inline void check_golden(const Adapter& adapter, std::size_t at_least) {
  const auto cases = folder_cases(adapter);
  ASSERT_GE(cases.size(), at_least);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.folder.filename());
    EXPECT_FALSE(c.sources.empty());
    const std::string got = golden_text(adapter, c);
    if (update_golden_files()) std::ofstream(c.folder / "events.json", std::ios::binary) << got;
    std::ifstream in(c.folder / "events.json", std::ios::binary);
    EXPECT_EQ(got, std::string(std::istreambuf_iterator<char>(in), {}));
  }
}

// A session as a store knows it after the reader showed it: the items in order, with their versions.
inline std::vector<SourceItem> as_known(const SnapshotReader::Session& session) {
  std::vector<SourceItem> known;
  for (const auto& item : session.items) {
    SourceItem& k = known.emplace_back();
    k.key = item.key;
    k.version = item.version;
    k.ledger.bytes = item.ledger_bytes;
  }
  return known;
}

}  // namespace memd::test
