#pragma once

#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
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
  if (updates_golden_files()) write_file(file, got);
  EXPECT_EQ(got, bytes_of(file)) << file << ": MEMD_UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace memd::test
