#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace memd::test {

// Returns whether golden files are rewritten: MEMD_UPDATE_GOLDEN=1 or --update-golden.
inline bool updates_golden_files() {
  if (std::getenv("MEMD_UPDATE_GOLDEN") != nullptr) return true;
  const auto arguments = testing::internal::GetArgvs();
  return std::find(arguments.begin(), arguments.end(), "--update-golden") != arguments.end();
}

// Compares `got` with a golden file, or rewrites the file. Review the difference before you commit it.
inline void expect_golden(const std::filesystem::path& file, const std::string& got) {
  if (updates_golden_files()) std::ofstream(file, std::ios::binary) << got;
  std::ifstream in(file, std::ios::binary);
  EXPECT_EQ(got, std::string(std::istreambuf_iterator<char>(in), {}))
      << file << ": MEMD_UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace memd::test
