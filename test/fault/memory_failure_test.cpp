// Lets each system call of `memd memory` fail in turn, also with a full disk. No existing text is lost or cut, work
// that was not done is reported, and the next run makes index and graph match the files. MEMD_FAILURES sets how many
// calls fail for each command: a number, or "all".
#include "store/files/whole_file.hpp"
#include "store/memory/memory_directory.hpp"
#include "test/fault/memd_process.hpp"
#include "test/support/memory_invariants.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct MemoryFailure {
  test::Call call{};
  std::uint32_t first = 0;  // 0: none
  std::uint32_t last = 0;
  int error = 0;
};

class MemoryFailureTest : public testing::Test {
 protected:
  MemoryFailureTest() {
    place_ =
        memory::MemoryPlaces{prepared_.path(), {}, {}, {}}.place(MemoryScope::global, MemoryDialect::plugin).value();
    memory::MemoryDirectory directory(place_, {}, clock_);
    for (const char* name : {"one", "two", "three"}) {
      Memory m;
      m.type = MemoryType::learning;
      m.slug = std::string("learning-") + name;
      m.title = name;
      m.tags = {"test"};
      m.content = std::string("text of ") + name + "\n" + std::string(6000, 'x') + "\nend of " + name + "\n";
      EXPECT_TRUE(directory.create(m));
    }
    EXPECT_TRUE(directory.link("learning-one", "learning-two", "implements"));
    EXPECT_TRUE(directory.link("learning-two", "learning-three", "part-of"));
    text_ = prepared_.path() / "text.md";
    EXPECT_TRUE(files::write_whole(text_, "text of the new one\n" + std::string(5000, 'y') + "\nend of the new one\n",
                                   files::OnDisk::later));
  }

  struct Run {
    test::Ending ending;
    std::array<std::uint32_t, test::kCalls> seen{};
    std::uint32_t failed = 0;
    std::string where;
  };
  Run run(const fs::path& home, const std::vector<std::string>& arguments, const MemoryFailure& failure) {
    test::CallFailuresFile failures(work_.path() / "failures", home / "data", home);
    failures->call = failure.call;
    failures->error = failure.error;
    failures->first = failure.first;
    failures->last = failure.last;
    std::vector<std::string> all{"--data-dir", (home / "data").string(), "--home", home.string(), "memory"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    test::MemdProcess memd(all, work_.path() / "said", failures.path());
    Run out;
    if (auto ending = memd.wait(60s))
      out.ending = *ending;
    else
      out.ending.signal = SIGKILL;
    for (std::size_t call = 0; call < test::kCalls; ++call)
      out.seen[call] = failures->seen[call];
    out.failed = failures->failed;
    out.where = failures->where.data();
    return out;
  }

  static std::string everything(const fs::path& directory) {
    std::string out;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
      if (entry.is_regular_file() && entry.path().extension() == ".md")
        if (const auto text = files::read_whole(entry.path())) out += *text;
    return out;
  }

  // Runs one command with one failure, in its own copy of the home.
  void attack(const std::vector<std::string>& arguments, const MemoryFailure& failure) {
    const test::TempDir home;
    fs::copy(prepared_.path(), home.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const Run done = run(home.path(), arguments, failure);
    SCOPED_TRACE(arguments.front() + ", " + test::kCallNames[static_cast<std::size_t>(failure.call)] + " " +
                 std::to_string(failure.first) + " error " + std::to_string(failure.error) + ", " + done.where + "\n" +
                 done.ending.said.substr(0, 400));
    if (done.failed == 0) return;
    ++failed_;
    said_ += done.ending.code != 0 ? 1 : 0;
    EXPECT_EQ(done.ending.signal, 0);
    EXPECT_TRUE(done.ending.code == 0 || done.ending.said.find("memd: ") != std::string::npos);
    auto place = place_;
    place.directory = home / ".claude/memory";
    memory::MemoryDirectory directory(place, {}, clock_);
    const auto rebuilt = directory.rebuild();
    ASSERT_TRUE(rebuilt) << rebuilt.error().message();
    test::expect_memory_invariants(directory);
    for (const auto& read : directory.read_all())
      EXPECT_TRUE(read.is_valid()) << read.problems.front().text();
    const std::string texts = everything(place.directory);
    for (const char* name : {"one", "two", "three"})
      for (const char* part : {"text of ", "end of "})
        EXPECT_NE(texts.find(std::string(part) + name), std::string::npos) << part << name << " is lost";
    if (done.ending.code == 0 && arguments.front() == "write") {
      EXPECT_NE(texts.find("end of the new one"), std::string::npos) << "was told as written";
    }
  }

  void attack_all(const std::vector<std::string>& arguments) {
    const test::TempDir home;
    fs::copy(prepared_.path(), home.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const Run calm = run(home.path(), arguments, {});
    ASSERT_EQ(calm.ending.code, 0) << calm.ending.said;
    std::vector<MemoryFailure> failures;
    for (std::size_t call = 0; call < test::kCalls; ++call)
      for (std::uint32_t n = 1; n <= calm.seen[call]; ++n) {
        const auto& errors = test::kErrors[call];
        failures.push_back({static_cast<test::Call>(call), n, n, errors[n % errors.size()]});
        // The disk is full and stays full.
        if (static_cast<test::Call>(call) == test::Call::write || static_cast<test::Call>(call) == test::Call::sync)
          failures.push_back({static_cast<test::Call>(call), n, std::numeric_limits<std::uint32_t>::max(), ENOSPC});
      }
    std::mt19937 random(11);
    std::shuffle(failures.begin(), failures.end(), random);
    const char* wanted = std::getenv("MEMD_FAILURES");
    if (wanted == nullptr || std::string_view(wanted) != "all")
      failures.resize(std::min<std::size_t>(failures.size(), wanted != nullptr ? std::atoi(wanted) : 3));
    for (const MemoryFailure& failure : failures)
      attack(arguments, failure);
    std::printf("%-8s %4zu calls, %4d failed, %4d said so\n", arguments.front().c_str(), failures.size(), failed_,
                said_);
    failed_ = said_ = 0;
  }

  const Clock& clock_ = system_clock();  // the clock of the program
  test::TempDir prepared_;
  test::TempDir work_;
  fs::path text_;
  memory::MemoryPlace place_;
  int failed_ = 0;
  int said_ = 0;
};

TEST_F(MemoryFailureTest, NoTextIsLostWhicheverCallFails) {
  attack_all({"write", "--type", "learning", "--title", "A new one", text_.string()});
  attack_all({"edit", "learning-one", "--title", "One, said otherwise"});
  attack_all({"link", "learning-one", "learning-three", "--label", "builds-on"});
  attack_all({"delete", "learning-two"});
}

}  // namespace
}  // namespace memd
