#pragma once

#include "store/write/writer.hpp"
#include "test/support/event_script.hpp"
#include "test/support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace memd::test {

// Writes the events of a script to the store, as ingest would.
inline void take_in(const std::filesystem::path& database, const EventScript& script,
                    Platform platform = Platform::claude_code, const std::string& path = "/h/t.jsonl") {
  static const FakeClock clock;
  auto writer = Writer::open(database, clock);
  ASSERT_TRUE(writer) << writer.error().message();
  SourceSlice slice;
  slice.source.platform = platform;
  slice.source.path = path;
  slice.batch = script.batch();
  slice.adapter_version = "1";
  const auto applied = (*writer)->apply(slice);
  ASSERT_TRUE(applied) << applied.error().message();
  ASSERT_TRUE((*writer)->commit());
}

}  // namespace memd::test
