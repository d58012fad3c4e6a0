#pragma once

#include "daemon/ingest/source_file.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/adapters/written_database.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// A case in test/golden/opencode/ or that of a fork: events.json and either input.sql, the rows of a database whose
// tables are in the files that schema.txt lists, or storage/, the file tree of versions before 1.2.
struct OpencodeCase {
  std::filesystem::path folder;
  bool is_tree = false;
};

inline std::filesystem::path opencode_golden(std::string_view program = "opencode") {
  return test::source_dir() / "test" / "golden" / program;
}

inline std::vector<OpencodeCase> opencode_cases(std::string_view program = "opencode") {
  std::vector<OpencodeCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(opencode_golden(program)))
    if (entry.is_directory()) cases.push_back({entry.path(), std::filesystem::exists(entry.path() / "storage")});
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

// Writes the case to a data directory: a copy of its files, or a closed database without -wal and -shm.
inline void lay_out(const OpencodeCase& c, const std::filesystem::path& data) {
  std::filesystem::create_directories(data);
  if (c.is_tree) {
    std::filesystem::copy(c.folder / "storage", data / "storage", std::filesystem::copy_options::recursive);
    return;
  }
  const std::filesystem::path golden = c.folder.parent_path();
  WrittenDatabase database((data / golden.filename()).string() + ".db");
  database.run("PRAGMA journal_mode = WAL; BEGIN");
  std::istringstream schemas(bytes_of(c.folder / "schema.txt"));
  for (std::string name; std::getline(schemas, name);)
    database.run(bytes_of(golden / name));
  database.run(bytes_of(c.folder / "input.sql"));
  database.run("COMMIT");
}

// Returns the sources that ingest would find in `data`.
inline std::vector<SourceCandidate> opencode_sources(const Adapter& adapter, const std::filesystem::path& data) {
  std::vector<SourceCandidate> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data))
    if (const auto candidate = adapter.classify(data, entry.path()); candidate && entry.is_regular_file())
      if (candidate->path == entry.path()) out.push_back(*candidate);
  return out;
}

}  // namespace memd::test
