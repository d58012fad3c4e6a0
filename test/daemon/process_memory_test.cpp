#include "daemon/process_memory.hpp"

#include "schemas/base/embedded.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <span>
#include <string>

#ifdef __linux__

namespace memd {
namespace {

// Returns the resident bytes of the mapping that contains `at`, from /proc/self/smaps.
std::size_t resident_around(const std::byte* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::ifstream in("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(in, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::size_t kib = 0;
    if (std::sscanf(line.c_str(), "%zx-%zx ", &begin, &end) == 2)
      is_here = begin <= address && address < end;
    else if (is_here && std::sscanf(line.c_str(), "Rss: %zu kB", &kib) == 1)
      return kib * 1024;
  }
  return 0;
}

unsigned sum_of(std::span<const std::byte> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), 0U,
                         [](unsigned sum, std::byte b) { return sum * 31 + std::to_integer<unsigned>(b); });
}

TEST(ProcessMemory, TheModelsPagesGoAndComeBackAsTheyWere) {
  const auto model = embedded::builtin_model().bytes;
  const std::byte* middle = model.data() + model.size() / 2;
  const unsigned sum = sum_of(model);
  const std::size_t before = resident_around(middle);
  ASSERT_GT(before, model.size() / 10 * 9);
  process_memory::unmap_program_pages();
  // The mapping holds other constants too, some of which are in use again at once.
  EXPECT_LT(resident_around(middle) + model.size() / 10 * 7, before);
  EXPECT_EQ(sum_of(model), sum);
}

TEST(ProcessMemory, WhatWasWrittenToStays) {
  static const char* const relocated = "relocated";  // written when the program was loaded
  static volatile int written = 0;
  written = 42;
  process_memory::unmap_program_pages();
  EXPECT_EQ(written, 42);
  EXPECT_STREQ(relocated, "relocated");
}

}  // namespace
}  // namespace memd

#endif
