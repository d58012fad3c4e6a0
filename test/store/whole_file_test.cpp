#include "store/files/whole_file.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace memd::files {
namespace {

// Returns the number of a process that has ended.
std::string dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return std::to_string(child);
}

TEST(WholeFile, WhatKilledWritersLeftIsRemovedAndNothingElse) {
  const test::TempDir dir;
  const std::string dead = dead_process();
  const std::string alive = std::to_string(::getpid());
  for (const std::string& gone : {".memd-new-" + dead + "-1", "out.jsonl." + dead + ".part"})
    test::write_file(dir / gone, "key");
  const std::vector<std::string> kept{".memd-new-" + alive + "-1",
                                      "out.jsonl." + alive + ".part",
                                      "out.jsonl." + dead + ".txt",
                                      "other.jsonl." + dead + ".part",
                                      "out.jsonl.part",
                                      ".memd-new-" + dead,
                                      ".memd-new--1",
                                      "out.jsonl.0.part"};
  for (const std::string& name : kept)
    test::write_file(dir / name, "text");
  remove_dead(dir.path());
  remove_dead(dir.path(), "out.jsonl.", ".part");
  for (const std::string& name : kept)
    EXPECT_TRUE(std::filesystem::exists(dir / name)) << name;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), std::ssize(kept));
  remove_dead(dir / "nothing");
}

}  // namespace
}  // namespace memd::files
