// Lets each system call of memd fail in turn. The process must end by itself in bounded time and report what it could
// not do, and the next run must give the store of an undisturbed run. MEMD_FAILURES sets how many calls fail for each
// kind of work: a number, or "all". MEMD_FAILURES_OF restricts the test to one kind of call (kCallNames).
#include "test/fault/memd_process.hpp"
#include "test/fault/prepared_store.hpp"
#include "test/support/mixed_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::Call;
using test::CallFailuresFile;
using test::Ending;
using test::MemdProcess;

constexpr auto kPatience = 60s;
constexpr std::uint32_t kForEver = std::numeric_limits<std::uint32_t>::max();

struct Failure {
  Call call{};
  std::uint32_t first = 0;  // 0: none
  std::uint32_t last = 0;
  int error = 0;

  std::string text() const {
    const char* how = error == test::kShort ? "short" : strerrorname_np(error);
    return std::string(test::kCallNames[static_cast<std::size_t>(call)]) + " " + std::to_string(first) +
           (last == kForEver ? " and all after it: " : ": ") + how;
  }
};

// One kind of work on a store, and the rows that it gives without failures.
class Work {
 public:
  // `arguments` are the command line of the work. It runs in a copy of `prepared`; the agents' files are in `home`.
  Work(const char* name, fs::path prepared, fs::path home, std::vector<std::string> arguments,
       const std::string& configuration = {})
      : name_(name), prepared_(std::move(prepared)), home_(std::move(home)), arguments_(std::move(arguments)) {
    test::write_file(dir_ / "config.yaml", configuration);
  }

  // Counts all calls of an undisturbed run.
  void count() {
    const Place place(*this, 0);
    const Ending ending = run(place, arguments_, {});
    ASSERT_EQ(ending.signal, 0) << ending.said;
    ASSERT_EQ(ending.code, 0) << ending.said;
    for (std::size_t call = 0; call < test::kCalls; ++call)
      seen_[call] = place.failures->seen[call];
    want_now_ = dump_now(place);
    ASSERT_GT(want_now_.size(), 30U);
    finish(place);
    want_ = test::dump_with_enrichment(StoreLayout(place.data));
    finish(place);
    ASSERT_EQ(test::rows_of_one(test::dump_with_enrichment(StoreLayout(place.data)), want_),
              std::vector<std::string>());
  }

  // Returns one failure for each call, and for each kind of call a lasting failure from some call on, with each
  // possible error.
  std::vector<Failure> all_failures(std::mt19937& random) const {
    std::vector<Failure> out;
    const char* alone = std::getenv("MEMD_FAILURES_OF");
    for (std::size_t call = 0; call < test::kCalls; ++call) {
      if (alone != nullptr && std::string_view(alone) != test::kCallNames[call]) continue;
      const auto& errors = test::kErrors[call];
      for (std::uint32_t n = 1; n <= seen_[call]; ++n)
        out.push_back({static_cast<Call>(call), n, n, errors[(n + random() % 2) % errors.size()]});
      for (const int error : errors)
        if (seen_[call] > 0 && error != EINTR && error != test::kShort)
          out.push_back(
              {static_cast<Call>(call), 1 + static_cast<std::uint32_t>(random() % seen_[call]), kForEver, error});
    }
    return out;
  }

  void attack(const Failure& failure, int number) {
    const Place place(*this, number);
    const Ending ending = run(place, arguments_, failure);
    SCOPED_TRACE(std::string(name_) + ", " + failure.text() + ", " + std::string(place.failures->where.data()) + "\n" +
                 ending.said.substr(0, 600));
    ++tries_;
    if (place.failures->failed == 0) return;  // threads do not make the same calls in each run
    ++failed_;
    // The SIGTERM with which the test ends a daemon may arrive while a daemon that could not start is already ending.
    EXPECT_TRUE(ending.signal == 0 || (is_daemon() && ending.signal == SIGTERM))
        << (ending.signal == SIGKILL ? "no end" : "a crash") << ": signal " << ending.signal;
    const bool said = ending.code != 0 || ending.said.find("memd: ") != std::string::npos ||
                      ending.said.find("found by words alone") != std::string::npos;
    said_ += said ? 1 : 0;
    if (!said && ending.signal != 0)
      ++stopped_early_;
    else if (!said && may_go_unsaid(failure, place))
      ++locked_out_;
    else if (!said) {
      ++went_on_;
      EXPECT_EQ(test::rows_of_one(dump_now(place), want_now_), std::vector<std::string>())
          << "not all was done, and nothing says so: " << dump_now(place).size() << " rows of " << want_now_.size();
    }
    EXPECT_TRUE(ending.code == 0 || !ending.said.empty());
    finish(place);
    const auto rows = test::rows_of_one(test::dump_with_enrichment(StoreLayout(place.data)), want_);
    if (!rows.empty()) ++lost_;
    EXPECT_EQ(rows, std::vector<std::string>()) << "after a run in which nothing fails";
  }

  // Refuses all locks from some moment on while the store is open. SQLite retries each lock for ten seconds, so memd
  // must give up after few attempts.
  void refuse_locks(int tries) {
    constexpr std::uint64_t kMostOfAThread = 41'000'000;  // four tries; three were seen in 480 runs
    constexpr std::uint64_t kMostOfAll = 82'000'000;      // eight tries; six were seen in 200 runs
    const std::uint32_t locks = seen_[static_cast<std::size_t>(Call::lock)];
    std::uint64_t most = 0;
    for (int i = 1; i <= tries; ++i) {
      const Place place(*this, i);
      const Failure failure{Call::lock, locks / 3 + locks * static_cast<std::uint32_t>(i) / (2U * tries), kForEver,
                            ENOLCK};
      SCOPED_TRACE(failure.text() + " of " + std::to_string(locks));
      place.failures->skips_sleep = 1;
      const Ending ending = run(place, arguments_, failure);
      EXPECT_EQ(ending.signal, 0);
      // The work may be done by then: threads do not make the same calls in each run.
      if (ending.said.find("memd: ") == std::string::npos) {
        EXPECT_EQ(test::rows_of_one(dump_now(place), want_now_), std::vector<std::string>()) << ending.said;
      }
      EXPECT_LE(place.failures->longest_sleep_us, kMostOfAThread) << ending.said;
      EXPECT_LE(place.failures->slept_us, kMostOfAll) << ending.said;
      most = std::max(most, place.failures->longest_sleep_us.load());
      place.failures->skips_sleep = 0;
      finish(place);
      EXPECT_EQ(test::rows_of_one(test::dump_with_enrichment(StoreLayout(place.data)), want_),
                std::vector<std::string>());
    }
    std::printf("%-10s %5d tries: waits of %.1f s at most in a thread\n", name_, tries,
                static_cast<double>(most) / 1e6);
  }

  void report() const {
    std::printf(
        "%-10s %5d tries, %5d failed: %5d said so, %5d did it all the same, %5d were not to read a file, %5d were "
        "stopped before they were ready; lost: %d\n",
        name_, tries_.load(), failed_.load(), said_.load(), went_on_.load(), locked_out_.load(), stopped_early_.load(),
        lost_.load());
  }

 private:
  // A copy of the prepared store.
  struct Place {
    Place(const Work& work, int number)
        : dir(work.dir_ / std::to_string(number)),
          data(dir / "data"),
          failures((fs::create_directories(dir), dir / "failures"), data, work.home_) {
      if (fs::exists(work.prepared_)) fs::copy(work.prepared_, data, fs::copy_options::recursive);
    }
    ~Place() {
      std::error_code ignored;
      fs::remove_all(dir, ignored);
    }
    const fs::path dir;
    const fs::path data;
    mutable CallFailuresFile failures;
  };

  Ending run(const Place& place, const std::vector<std::string>& arguments, const Failure& failure) const {
    place.failures->call = failure.call;
    place.failures->error = failure.error;
    place.failures->first = failure.first;
    place.failures->last = failure.last;
    std::vector<std::string> all{"--data-dir",   place.data.string(), "--home",
                                 home_.string(), "--config",          (dir_ / "config.yaml").string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    MemdProcess memd(all, place.dir / "said", place.failures.path());
    return arguments.front() == "--socket" ? live_as_daemon(memd, place) : in_time(memd);
  }
  static Ending in_time(MemdProcess& memd) {
    if (auto ending = memd.wait(kPatience)) return *ending;
    memd.signal(SIGKILL);
    return memd.wait(kPatience).value_or(Ending{SIGKILL, 0, {}});
  }
  // Makes the daemon read everything, then stops it. Output of the client counts as output of the daemon.
  Ending live_as_daemon(MemdProcess& memd, const Place& place) const {
    while (!memd.is_over() && !fs::exists(place.data / "memd.sock"))
      (void)memd.wait(2ms);
    Ending asked;
    if (!memd.is_over()) {
      MemdProcess client({"--data-dir", place.data.string(), "--home", home_.string(), "--config",
                          (dir_ / "config.yaml").string(), "ingest", "--once"},
                         place.dir / "client");
      asked = in_time(client);
    }
    memd.signal(SIGTERM);
    Ending ending = in_time(memd);
    if (ending.signal == 0) {
      ending.code = std::max(ending.code, asked.code);
      ending.said += asked.said;
      if (asked.signal != 0) ending.signal = asked.signal;
    }
    return ending;
  }

  bool is_daemon() const { return arguments_.front() == "--socket"; }
  // A daemon makes vectors and digests in the background, so they are not compared.
  std::vector<std::string> dump_now(const Place& place) const {
    const StoreLayout store(place.data);
    if (!is_daemon()) return test::dump_with_enrichment(store);
    auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_only);
    return test::dump_store(db);
  }

  // Runs without failures and two hours later, when no source waits for a retry.
  void finish(const Place& place) const {
    place.failures->clock_offset_s = 7200;
    const Ending ending = run(place, is_daemon() ? std::vector<std::string>{"ingest", "--once"} : arguments_, {});
    EXPECT_EQ(ending.signal, 0) << ending.said;
    EXPECT_EQ(ending.code, 0) << ending.said;
    place.failures->clock_offset_s = 0;
  }

  // A directory of an agent that its user has locked is not reported by memd.
  bool may_go_unsaid(const Failure& failure, const Place& place) const {
    const std::string where(place.failures->where.data());
    return failure.error == EACCES && where.starts_with(home_.native()) &&
           (failure.call == Call::open || failure.call == Call::stat);
  }

  test::TempDir dir_;
  const char* const name_;
  const fs::path prepared_;
  const fs::path home_;
  const std::vector<std::string> arguments_;
  std::vector<std::string> want_now_;  // after the work
  std::vector<std::string> want_;      // after a second run
  std::array<std::uint32_t, test::kCalls> seen_{};
  std::atomic<int> tries_{0};
  std::atomic<int> failed_{0};
  std::atomic<int> said_{0};
  std::atomic<int> went_on_{0};
  std::atomic<int> locked_out_{0};     // failures for which may_go_unsaid() is true
  std::atomic<int> stopped_early_{0};  // daemons that the test's SIGTERM ended
  std::atomic<int> lost_{0};
};

class FailingCall : public testing::Test {
 protected:
  FailingCall() { test::write_mixed_home(home_, system_clock().now() - 10 * kMsPerDay); }

  static constexpr const char* kWords = "embedding: {provider: disabled}\n";

  // Returns the data directory that `memd ingest --once` creates.
  fs::path ingested(const std::string& configuration) {
    const fs::path data = dir_ / "ingested";
    test::write_file(dir_ / "config.yaml", configuration);
    MemdProcess memd({"--data-dir", data.string(), "--home", home_.path().string(), "--config",
                      (dir_ / "config.yaml").string(), "ingest", "--once"},
                     dir_ / "said");
    const auto ending = memd.wait(kPatience);
    EXPECT_TRUE(ending && ending->code == 0) << (ending ? ending->said : "no end");
    return data;
  }

  static void attack(Work& work) {
    work.count();
    if (HasFatalFailure()) return;
    std::mt19937 random(19);
    auto failures = work.all_failures(random);
    const char* wanted = std::getenv("MEMD_FAILURES");
    if (wanted == nullptr || std::string_view(wanted) != "all") {
      constexpr std::size_t kFew = 6;
      // Orders the failures: the first of each call, then the second of each, and so on.
      std::shuffle(failures.begin(), failures.end(), random);
      std::array<int, test::kCalls> numbers{};
      std::vector<std::pair<int, Failure>> turns;
      for (const Failure& failure : failures)
        turns.emplace_back(numbers[static_cast<std::size_t>(failure.call)]++, failure);
      std::stable_sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      turns.resize(std::min(turns.size(), wanted != nullptr ? static_cast<std::size_t>(std::atoi(wanted)) : kFew));
      failures.clear();
      for (const auto& [turn, failure] : turns)
        failures.push_back(failure);
    }
    std::atomic<std::size_t> next{0};
    const auto some = [&] {
      for (std::size_t i = next++; i < failures.size(); i = next++)
        work.attack(failures[i], static_cast<int>(i) + 1);
    };
    {
      const std::jthread other(some);
      some();
    }
    work.report();
  }

  test::TranscriptHome home_;
  test::TempDir dir_;
};

TEST_F(FailingCall, OfIngest) {
  Work work("ingest", dir_ / "nothing", home_.path(), {"ingest", "--once"});
  attack(work);
}

TEST_F(FailingCall, OfMakingVectors) {
  Work work("vectors", ingested(kWords), home_.path(), {"ingest", "--once"});
  attack(work);
}

TEST_F(FailingCall, OfLocksEndsTheWorkSoon) {
  Work work("locks", ingested(kWords), home_.path(), {"ingest", "--once"});
  work.count();
  if (HasFatalFailure()) return;
  const char* wanted = std::getenv("MEMD_FAILURES");
  work.refuse_locks(wanted != nullptr ? 40 : 4);
}

TEST_F(FailingCall, OfARebuild) {
  Work work("rebuild", ingested(kWords), home_.path(), {"rebuild"}, kWords);
  attack(work);
}

TEST_F(FailingCall, OfRetention) {
  Work work("retention", ingested(kWords), home_.path(), {"retention", "--apply"},
            std::string(kWords) + "retention: {max_age_days: 30}\n");
  attack(work);
}

TEST_F(FailingCall, OfForgetting) {
  Work work("forget", ingested(kWords), home_.path(), {"forget", "--project", "exproject", "--yes"}, kWords);
  attack(work);
}

TEST_F(FailingCall, OfADaemon) {
  Work work("daemon", dir_ / "nothing", home_.path(), {"--socket"}, kWords);
  attack(work);
}

}  // namespace
}  // namespace memd
