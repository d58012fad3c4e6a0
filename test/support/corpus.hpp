#pragma once

#include "test/support/source_dir.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace memd::test {

// Returns the home directory with real transcripts: $MEMD_CORPUS, or a folder beside the checkout.
inline std::filesystem::path corpus_home() {
  if (const char* set = std::getenv("MEMD_CORPUS")) return set;
  return source_dir() / ".." / "shared" / "corpus" / "home";
}

// Fills `home` with links to the corpus, without Claude Code's largest projects. For tests that read everything several
// times and do not depend on the amount.
inline void link_corpus_excerpt(const std::filesystem::path& home) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t kLargeProject = 10'000'000;  // bytes
  for (const auto& agent : fs::directory_iterator(corpus_home()))
    if (agent.path().filename() != ".claude") fs::create_directory_symlink(agent, home / agent.path().filename());
  const fs::path projects = home / ".claude" / "projects";
  fs::create_directories(projects);
  for (const auto& project : fs::directory_iterator(corpus_home() / ".claude" / "projects")) {
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::recursive_directory_iterator(project))
      if (file.is_regular_file()) bytes += file.file_size();
    if (bytes < kLargeProject) fs::create_directory_symlink(project, projects / project.path().filename());
  }
}

}  // namespace memd::test
