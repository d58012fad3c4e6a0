// Damages one page of a sound store: zeroes it, flips some of its bits, exchanges it with another page, or cuts the
// file before it. Every command must then end in time and without a crash. Its answer must be right or report the
// damage, or doctor must. MEMD_DAMAGES sets the number of damaged stores; every kind of page (table or index; inner,
// leaf or overflow page) is damaged in turn.
#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/transcript_home.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr TimeMs kThen = 1'770'000'000'000;
constexpr unsigned kSeconds = 20;  // time limit of a command
constexpr std::size_t kPage = 4096;

enum class DamageKind { zeroed, flipped, exchanged, cut };
constexpr std::array kDamageNames{"zeroed", "flipped", "exchanged", "cut"};

struct Question {
  const char* tool;
  const char* arguments;
};
constexpr std::array kQuestions{
    Question{"semantic_search", R"({"query":"lexer word7","mode":"lexical"})"},
    Question{"semantic_search", R"({"query":"\"the lexer\" -parser","mode":"lexical"})"},
    Question{"list_sessions", R"({"max_tokens":8000})"},
    Question{"recent_turns", R"({"n_turns":30})"},
    Question{"session_summary", "{}"},
    Question{"resume_context", R"({"session_id":"latest"})"},
    Question{"topic_search", "{}"},
    Question{"list_observations", "{}"},
    Question{"temporal_query", R"({"since":"2026-01-01"})"},
    Question{"get_exchange", R"({"ids":["x1","x9","x30"],"include_tools":true,"max_tokens":8000})"},
    Question{"file_history", R"({"path":"word3.txt"})"}};

// The output of a command. An error message counts as a report of the damage.
struct Said {
  bool failed = false;
  std::string text;
  bool operator==(const Said&) const = default;
};
struct Heard {
  std::vector<Said> answers;  // one per question
  bool doctor_is_content = true;
  bool wrote = false;       // the new session is found
  bool complained = false;  // the writer reports why it cannot write
  int signal = 0;           // the signal that ended the process
  std::string at;           // the command that was running
};

class DamagedStore {
 public:
  DamagedStore() {
    for (int session = 1; session <= 6; ++session)
      for (int turn = 0; turn < 12; ++turn) {
        const std::string word = "word" + std::to_string(turn);
        home_.turn(
            "/w/p" + std::to_string(session % 3), session, kThen + session * kMsPerDay + turn * 60'000, word,
            "Mend the lexer of " + word + ". " + std::string(turn == 3 ? 9000 : 40, 'p'),
            "We decided to keep the lexer because of " + word + ". " + std::string(turn == 5 ? 20'000 : 60, 'a'));
      }
    fs::create_directories(sound_.path());
    run(sound_.path(), true);
    sqlite::Database::open(file(sound_), sqlite::OpenMode::read_write).exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expected_ = run(sound_.path(), false);
    auto db = sqlite::Database::open(file(sound_), sqlite::OpenMode::read_only);
    auto& q = db.prepare("SELECT name || ' ' || pagetype, pageno FROM dbstat ORDER BY 1, 2");
    while (q.step())
      kinds_[q.str(0)].push_back(q.int64(1));
    q.reset();
    pages_ = db.pragma("page_count");
    // Written after the store was made: the damaged store has to ingest it.
    home_.turn("/w/p1", 7, kThen + 30 * kMsPerDay, "zebra", "Draw a zebra.", "It is drawn.");
  }

  const Heard& expected() const { return expected_; }
  const std::map<std::string, std::vector<std::int64_t>>& kinds() const { return kinds_; }

  Heard ask(std::int64_t page, DamageKind kind, std::mt19937& random) {
    test::TempDir copy;
    fs::copy(sound_.path(), copy.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    damage(file(copy), static_cast<std::size_t>(page - 1), kind, random);
    return run_apart(copy.path());
  }

 private:
  static fs::path file(const test::TempDir& dir) { return dir / "memd.db"; }

  void damage(const fs::path& file, std::size_t page, DamageKind kind, std::mt19937& random) const {
    if (kind == DamageKind::cut) return fs::resize_file(file, std::max<std::size_t>(page, 1) * kPage);
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes(kPage, '\0');
    const auto seek = [&](std::size_t to) {
      out.seekg(static_cast<std::streamoff>(to * kPage));
      out.seekp(static_cast<std::streamoff>(to * kPage));
    };
    if (kind == DamageKind::flipped) {
      seek(page);
      out.read(bytes.data(), kPage);
      for (auto n = 1 + random() % 8; n > 0; --n)
        bytes[random() % kPage] ^= static_cast<char>(1U << random() % 8);
    } else if (kind == DamageKind::exchanged) {
      const std::size_t other = random() % static_cast<std::size_t>(pages_);
      std::string mine(kPage, '\0');
      seek(page);
      out.read(mine.data(), kPage);
      seek(other);
      out.read(bytes.data(), kPage);
      seek(other);
      out.write(mine.data(), kPage);
    }
    seek(page);
    out.write(bytes.data(), kPage);
  }

  // Runs in a child process, so that an end by a signal can be detected.
  Heard run_apart(const fs::path& data) const {
    const fs::path answers = data / "answers";
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGALRM, SIG_DFL);
      const Heard heard = run(data, true, answers);
      std::ofstream out(answers, std::ios::binary);
      for (const Said& said : heard.answers)
        out << said.failed << ' ' << said.text.size() << ' ' << said.text;
      out << heard.doctor_is_content << ' ' << heard.wrote << ' ' << heard.complained;
      out.close();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    Heard out;
    std::ifstream in(answers, std::ios::binary);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
      out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
      std::getline(in, out.at);
      return out;
    }
    for (std::size_t i = 0; i < kQuestions.size(); ++i) {
      Said said;
      std::size_t size = 0;
      in >> said.failed >> size;
      in.get();
      said.text.resize(size);
      in.read(said.text.data(), static_cast<std::streamsize>(size));
      out.answers.push_back(std::move(said));
    }
    in >> out.doctor_is_content >> out.wrote >> out.complained;
    return out;
  }

  // Asks all questions, runs doctor, then ingests the new session. `at` receives the name of the current command.
  Heard run(const fs::path& data, bool writes, const fs::path& at = {}) const {
    const auto begin = [&](const std::string& name) {
      if (at.empty()) return;
      std::ofstream(at, std::ios::binary) << name << '\n';
      ::alarm(kSeconds);
    };
    fs::permissions(data, fs::perms::owner_all);
    Config config;
    config.embedding.choice.provider = EmbeddingProvider::disabled;
    config.raw_layer = RawMode::off;
    const Settings settings{StoreLayout(data), false, home_.path(), config, "", {}};
    const test::FakeClock clock(kThen + 60 * kMsPerDay);
    Heard out;
    begin("open");
    MemoryHost host(settings, clock);
    mcp::ToolRegistry admin_tools;
    admin::register_admin_tools(admin_tools, host, {});
    mcp::ToolContext context;
    for (const Question& q : kQuestions) {
      begin(std::string(q.tool) + q.arguments);
      const auto outcome = host.tools().call(q.tool, q.arguments, context);
      out.answers.push_back({outcome.is_error, outcome.text});
    }
    begin("doctor");
    const auto doctor = admin_tools.call("doctor", "{}", context);
    const auto is_problem = [&](const std::string& check) {
      return doctor.structured.find(R"("name":")" + check + R"(","status":"problem")") != std::string::npos;
    };
    out.doctor_is_content = !doctor.is_error && !is_problem("store") && !is_problem("searching");
    if (writes) {
      begin("ingest");
      const auto started = host.start_ingest();
      out.complained = !started;
      if (started) {
        host.ingest()->scan();
        const bool idle = host.ingest()->block_until_idle(1s);
        out.complained = !idle || !host.ingest()->progress().snapshot().last_error.empty();
        begin("search for what is new");
        const auto found = host.tools().call("semantic_search", R"({"query":"zebra","mode":"lexical"})", context);
        out.wrote = found.text.find("Draw a zebra") != std::string::npos;
        out.complained = out.complained || found.is_error;
      }
      begin("stop");
      host.stop();
    }
    if (!at.empty()) ::alarm(0);
    return out;
  }

  test::TranscriptHome home_;
  test::TempDir sound_;
  Heard expected_;
  std::map<std::string, std::vector<std::int64_t>> kinds_;
  std::int64_t pages_ = 0;
};

int wanted_damages() {
  constexpr int kFew = 12;
  const char* set = std::getenv("MEMD_DAMAGES");
  return set != nullptr ? std::atoi(set) : kFew;
}

TEST(PageDamage, NothingCrashesNothingHangsAndDamageIsSaid) {
  DamagedStore store;
  for (const Said& said : store.expected().answers)
    ASSERT_FALSE(said.failed) << said.text;
  ASSERT_TRUE(store.expected().doctor_is_content);
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> kinds(store.kinds().begin(), store.kinds().end());
  ASSERT_GT(kinds.size(), 20U);
  std::mt19937 random(11);
  std::shuffle(kinds.begin(), kinds.end(), random);
  struct Count {
    int tries = 0;
    int right = 0;   // all answers are right, and the new session was ingested
    int said = 0;    // reported by an answer, the writer or doctor
    int silent = 0;  // wrong, and not reported
  };
  std::array<Count, kDamageNames.size()> counts;
  for (int i = 0; i < wanted_damages(); ++i) {
    const auto& [name, pages] = kinds[static_cast<std::size_t>(i) % kinds.size()];
    const auto kind = static_cast<DamageKind>(
        (static_cast<std::size_t>(i) + static_cast<std::size_t>(i) / kinds.size()) % kDamageNames.size());
    const std::int64_t page = pages[random() % pages.size()];
    SCOPED_TRACE(std::to_string(i) + ": page " + std::to_string(page) + ", " + name + ", " +
                 kDamageNames[static_cast<std::size_t>(kind)]);
    const Heard heard = store.ask(page, kind, random);
    ASSERT_EQ(heard.signal, 0) << (heard.signal == SIGALRM ? "no end of " : "a crash in ") << heard.at;
    Count& count = counts[static_cast<std::size_t>(kind)];
    ++count.tries;
    bool wrong = !heard.wrote && !heard.complained;
    bool said = heard.complained || !heard.doctor_is_content;
    for (std::size_t q = 0; q < kQuestions.size(); ++q) {
      said = said || heard.answers[q].failed;
      wrong = wrong || (!heard.answers[q].failed && heard.answers[q] != store.expected().answers[q]);
    }
    ++(said ? count.said : wrong ? count.silent : count.right);
    // SQLite has no checksums: a changed letter or an exchanged page of a long text cannot be detected.
    if (wrong && !said && kind != DamageKind::flipped) {
      EXPECT_NE(name.find("overflow"), std::string::npos) << "wrong without a word";
    }
  }
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    std::printf("%-9s %4d tries: %4d right, %4d said, %4d wrong without a word\n", kDamageNames[kind],
                counts[kind].tries, counts[kind].right, counts[kind].said, counts[kind].silent);
}

}  // namespace
}  // namespace memd
