#include "daemon/ingest/source_file.hpp"
#include "schemas/base/hash.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/support/corpus.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <map>
#include <set>

// Compares real tasks with the counts of an independent reader. MEMD_CORPUS is the home.
namespace memd {
namespace {

namespace fs = std::filesystem;

const Adapter& cline_corpus_cline() { return *find_adapter(Platform::cline); }

struct Task {
  fs::path main;
  std::uint64_t folder_bytes = 0;
  test::Snapshot snapshot;
  test::SnapshotSession session;
};

class ClineCorpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto home = test::corpus_home();
    if (!fs::is_directory(home / ".config")) return;
    reference_ = boost::json::parse(test::bytes_of(home.parent_path() / "reference.json"))
                     .at("sessions")
                     .at("cline")
                     .as_object();
    const DiskView files;
    for (const auto& root : cline_corpus_cline().roots({home, {}})) {
      if (!fs::is_directory(root)) continue;
      std::map<std::string, SourceCandidate> sources;
      std::map<std::string, std::uint64_t> bytes;
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (!entry.is_regular_file()) continue;
        const auto candidate = cline_corpus_cline().classify(root, entry.path());
        if (!candidate) continue;
        sources.emplace(candidate->path, *candidate);
        bytes[candidate->path] += entry.file_size();
      }
      for (const auto& [path, candidate] : sources) {
        Task task{path, bytes[path], test::decode_snapshot(cline_corpus_cline(), candidate, files), {}};
        ASSERT_EQ(task.snapshot.sessions.size(), 1U);
        task.session = task.snapshot.sessions.begin()->second;
        tasks_.emplace(task.session.uid, std::move(task));
      }
    }
  }
  static void TearDownTestSuite() {
    tasks_.clear();
    reference_.clear();
  }
  void SetUp() override {
    if (reference_.empty()) GTEST_SKIP() << "no tasks under " << test::corpus_home() << "; set MEMD_CORPUS";
  }
  template <class Visit>
  void each_task(Visit&& visit) {
    ASSERT_EQ(reference_.size(), tasks_.size());
    for (const auto& [uid, entry] : reference_) {
      SCOPED_TRACE(std::string(uid));
      ASSERT_TRUE(tasks_.contains(std::string(uid)));
      visit(entry.as_object(), tasks_.at(std::string(uid)));
    }
  }
  static inline boost::json::object reference_;
  static inline std::map<std::string, Task> tasks_;
};

std::int64_t count(const Task& task, EventKind kind) {
  const auto& events = task.session.batch.events;
  return std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.kind == kind; });
}

std::set<std::string> files(const Task& task, EventKind kind, FileAccess access) {
  std::set<std::string> out;
  for (const Event& e : task.session.batch.events)
    for (const auto& f : e.files)
      if (e.kind == kind && f.access == access) out.insert(f.path);
  return out;
}
std::set<std::string> strings(const boost::json::value& array) {
  std::set<std::string> out;
  for (const auto& v : array.as_array())
    out.insert(std::string(v.as_string()));
  return out;
}

TEST_F(ClineCorpus, PromptsAreThosePeopleTyped) {
  each_task([](const boost::json::object& entry, const Task& task) {
    std::vector<const Event*> prompts;
    for (const Event& e : task.session.batch.events)
      if (e.starts_exchange) prompts.push_back(&e);
    const auto& expected = entry.at("prompts").as_array();
    ASSERT_EQ(prompts.size(), expected.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const auto& prompt = expected[i].as_object();
      EXPECT_EQ(prompts[i]->time, prompt.at("ts").as_int64());
      EXPECT_EQ(sha256_hex(prompts[i]->text), std::string(prompt.at("sha256").as_string()));
    }
  });
}

TEST_F(ClineCorpus, WordsAndCallsAndTokens) {
  each_task([](const boost::json::object& entry, const Task& task) {
    EXPECT_EQ(count(task, EventKind::assistant_msg), entry.at("assistant_text").as_int64());
    EXPECT_EQ(count(task, EventKind::tool_call), entry.at("tool_calls").as_int64());
    TokenUsage sum;
    std::set<std::uint64_t> responses;
    for (const Event& e : task.session.batch.events)
      if (e.response_key != 0 && responses.insert(e.response_key).second) sum += e.usage;
    const auto& tokens = entry.at("tokens").as_object();
    EXPECT_EQ(sum.input, tokens.at("input").as_int64());
    EXPECT_EQ(sum.output, tokens.at("output").as_int64());
    EXPECT_EQ(sum.cache_read, tokens.at("cache_read").as_int64());
    EXPECT_EQ(sum.cache_creation, tokens.at("cache_creation").as_int64());
    EXPECT_EQ(static_cast<std::int64_t>(responses.size()), entry.at("api_requests").as_int64());
  });
}

// Every call that the model continued from has a result. The last command of a task may have none.
TEST_F(ClineCorpus, ResultsAnswerTheirCalls) {
  each_task([](const boost::json::object& entry, const Task& task) {
    std::map<std::string, std::string> open;
    std::int64_t paired = 0;
    for (const Event& e : task.session.batch.events) {
      if (e.kind == EventKind::tool_call) {
        EXPECT_TRUE(open.emplace(e.call_id, e.tool).second) << e.call_id;
      }
      if (e.kind != EventKind::tool_result) continue;
      ++paired;
      EXPECT_EQ(open.erase(e.call_id), 1U) << e.tool;
      EXPECT_FALSE(e.text.empty());
      EXPECT_FALSE(e.is_error) << e.tool;
    }
    EXPECT_EQ(count(task, EventKind::tool_result), paired);
    for (const auto& [id, tool] : open)
      EXPECT_EQ(tool, "execute_command");
    if (entry.at("files").as_object().contains("api_conversation_history.json")) {
      EXPECT_EQ(paired, entry.at("api_results_paired").as_int64());
    }
  });
}

TEST_F(ClineCorpus, FilesAreAbsolute) {
  each_task([](const boost::json::object& entry, const Task& task) {
    EXPECT_EQ(files(task, EventKind::tool_call, FileAccess::modified), strings(entry.at("files_modified")));
    EXPECT_EQ(files(task, EventKind::tool_result, FileAccess::modified), strings(entry.at("files_modified")));
    EXPECT_EQ(files(task, EventKind::tool_call, FileAccess::read), strings(entry.at("files_read")));
    std::set<std::string> cwds;
    for (const auto& [cwd, n] : entry.at("cwds").as_object())
      cwds.insert(std::string(cwd));
    std::set<std::string> ours;
    for (const Event& e : task.session.batch.events)
      ours.insert(e.cwd);
    EXPECT_EQ(ours, cwds);
  });
}

TEST_F(ClineCorpus, LedgerHoldsEachByteOnce) {
  each_task([](const boost::json::object& entry, const Task& task) {
    std::uint64_t rest = 0;
    for (const auto& line : task.snapshot.plan.rest)
      rest += line.bytes;
    EXPECT_EQ(task.snapshot.item_bytes + rest, task.folder_bytes);
    EXPECT_EQ(task.snapshot.plan.size, task.folder_bytes);
    std::uint64_t files = 0;
    for (const auto& [name, bytes] : entry.at("files").as_object())
      files += static_cast<std::uint64_t>(bytes.as_int64());
    EXPECT_EQ(task.folder_bytes, files);
    // Record types and their bytes equal those of the reference.
    std::map<std::string, std::int64_t> ours;
    for (const auto& line : task.session.batch.coverage) {
      ours[line.record_type] += static_cast<std::int64_t>(line.bytes);
      EXPECT_NE(line.disposition, Disposition::unknown) << line.record_type;
    }
    ours.erase("(head)");
    std::map<std::string, std::int64_t> theirs;
    for (const auto& [type, numbers] : entry.at("records").as_object())
      if (type != "_structure") theirs[std::string(type)] = numbers.as_array()[1].as_int64();
    EXPECT_EQ(ours, theirs);
    EXPECT_TRUE(task.session.batch.diagnostics.empty());
  });
}

}  // namespace
}  // namespace memd
