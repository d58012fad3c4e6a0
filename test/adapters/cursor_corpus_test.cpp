#include "adapters/adapter.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/hash.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cstdlib>
#include <map>
#include <set>

// Reads real Cursor databases and compares them with the counts of an independent reader (reference.json beside the
// home). MEMD_CORPUS is the home; without a corpus the tests are skipped.
namespace memd {
namespace {

namespace fs = std::filesystem;
using test::Snapshot;
using test::SnapshotSession;

std::int64_t cursor_corpus_number(const boost::json::object& o, std::string_view key) {
  const auto* v = o.if_contains(key);
  return v && v->is_int64() ? v->as_int64() : 0;
}

std::set<std::string> texts(const boost::json::value& list) {
  std::set<std::string> out;
  for (const auto& v : list.as_array())
    out.emplace(v.as_string());
  return out;
}

class CursorCorpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* set = std::getenv("MEMD_CORPUS");
    home_ = set != nullptr ? fs::path(set) : test::source_dir() / ".." / "shared" / "corpus" / "home";
    if (!fs::is_directory(home_ / ".config" / "Cursor")) return;
    reference_ = boost::json::parse(test::bytes_of(home_.parent_path() / "reference.json")).as_object();
    const Adapter& adapter = *find_adapter(Platform::cursor);
    const DiskView view;
    for (const auto& root : adapter.roots({home_, {}})) {
      if (!fs::is_directory(root)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const auto candidate = adapter.classify(root, entry.path());
        if (!candidate || !entry.is_regular_file()) continue;
        sources_.emplace(fs::relative(entry.path(), home_).generic_string(),
                         test::decode_snapshot(adapter, *candidate, view));
      }
    }
  }
  static void TearDownTestSuite() {
    sources_.clear();
    reference_.clear();
  }
  void SetUp() override {
    if (reference_.empty()) GTEST_SKIP() << "no Cursor under " << home_ << "; set MEMD_CORPUS";
  }

  // Calls visit(reference entry, session) for each conversation.
  template <class Visit>
  void each_session(Visit&& visit) {
    std::size_t seen = 0;
    for (const auto& [uid, value] : reference_.at("sessions").at("cursor").as_object()) {
      SCOPED_TRACE(std::string(uid));
      const auto& entry = value.as_object();
      const auto& source = sources_.at(std::string(entry.at("path").as_string()));
      const auto it = source.sessions.find(std::string(uid));
      ASSERT_NE(it, source.sessions.end());
      visit(entry, it->second);
      ++seen;
    }
    EXPECT_EQ(seen, 2U);
  }

  static inline fs::path home_;
  static inline std::map<std::string, Snapshot> sources_;
  static inline boost::json::object reference_;
};

TEST_F(CursorCorpus, EveryPromptInOrder) {
  std::size_t prompts = 0;
  each_session([&](const boost::json::object& entry, const SnapshotSession& session) {
    const auto& expected = entry.at("prompts").as_array();
    std::size_t i = 0;
    TimeMs before = 0;
    for (const Event& e : session.batch.events) {
      EXPECT_GE(e.time, before);
      before = e.time;
      if (e.kind != EventKind::user_msg) continue;
      ASSERT_LT(i, expected.size());
      const auto& want = expected[i++].as_object();
      EXPECT_EQ(e.event_id, record_key(Platform::cursor, std::string_view(want.at("id").as_string())));
      const auto hash = sha256_hex(e.text);
      EXPECT_TRUE(hash == std::string_view(want.at("sha256").as_string()) ||
                  hash == std::string_view(want.at("sha256_raw").as_string()))
          << want.at("id");
      EXPECT_TRUE(e.starts_exchange);
      EXPECT_EQ(e.origin, Origin::typed);
      EXPECT_TRUE(e.time_estimated);
    }
    EXPECT_EQ(i, expected.size());
    prompts += i;
  });
  EXPECT_EQ(prompts, 23U);
}

TEST_F(CursorCorpus, CallsResultsFilesAndTokens) {
  std::int64_t calls = 0, results = 0, errors = 0, answers = 0, thinking = 0;
  TokenUsage all;
  each_session([&](const boost::json::object& entry, const SnapshotSession& session) {
    std::int64_t n_calls = 0, n_results = 0, n_errors = 0, n_answers = 0;
    TokenUsage tokens;
    std::set<std::string> open, modified, modified_ok, read;
    std::map<std::string, std::int64_t> tools;
    for (const Event& e : session.batch.events) {
      tokens += e.usage;
      thinking += e.kind == EventKind::thinking;
      n_answers += e.kind == EventKind::assistant_msg;
      if (e.kind == EventKind::tool_call) {
        ++n_calls;
        ++tools[e.tool];
        EXPECT_TRUE(open.insert(e.call_id).second);
        EXPECT_FALSE(e.summary.empty());
        for (const auto& file : e.files)
          (file.access == FileAccess::read ? read : modified).insert(file.path);
      }
      if (e.kind != EventKind::tool_result) continue;
      n_results += open.contains(e.call_id);
      n_errors += e.is_error;
      EXPECT_FALSE(e.text.empty());
      for (const auto& file : e.files) {
        modified_ok.insert(file.path);
        EXPECT_GT(file.lines_added + file.lines_removed, 0) << file.path;
      }
    }
    const auto normal = [](const std::set<std::string>& paths) {
      std::set<std::string> out;
      for (std::string path : paths) {
        std::replace(path.begin(), path.end(), '\\', '/');
        out.insert(path);
      }
      return out;
    };
    EXPECT_EQ(n_calls, cursor_corpus_number(entry, "tool_calls"));
    EXPECT_EQ(n_results, cursor_corpus_number(entry, "results_paired"));
    EXPECT_EQ(n_errors, cursor_corpus_number(entry, "tool_errors"));
    EXPECT_EQ(n_answers, cursor_corpus_number(entry, "assistant_text"));
    EXPECT_EQ(normal(modified), texts(entry.at("files_modified")));
    EXPECT_EQ(normal(modified_ok), texts(entry.at("files_modified_ok")));
    EXPECT_EQ(normal(read), texts(entry.at("files_read")));
    for (const auto& [tool, count] : entry.at("tools").as_object())
      EXPECT_EQ(tools[std::string(tool)], count.as_int64()) << tool;
    EXPECT_EQ(tokens.input, cursor_corpus_number(entry.at("tokens").as_object(), "input"));
    EXPECT_EQ(tokens.output, cursor_corpus_number(entry.at("tokens").as_object(), "output"));
    calls += n_calls, results += n_results, errors += n_errors, answers += n_answers;
    all += tokens;
  });
  EXPECT_EQ(thinking, 16);
  EXPECT_EQ(calls, 30);
  EXPECT_EQ(results, 29);
  EXPECT_EQ(errors, 4);
  EXPECT_EQ(answers, 48);
  EXPECT_EQ(all.input, 786061);
  EXPECT_EQ(all.output, 16385);
}

TEST_F(CursorCorpus, WhatTheConversationsAreAsAWhole) {
  each_session([&](const boost::json::object& entry, const SnapshotSession& session) {
    ASSERT_EQ(session.batch.sessions.size(), 1U);
    const SessionUpdate& update = session.batch.sessions.front();
    EXPECT_EQ(update.native_id, std::string_view(entry.at("native_id").as_string()));
    EXPECT_EQ(update.title, std::string_view(entry.at("title").as_string()));
    EXPECT_EQ(update.started_at, cursor_corpus_number(entry, "first_ts"));
    EXPECT_EQ(update.ended_at, cursor_corpus_number(entry, "last_ts"));
    EXPECT_EQ(update.mode, "agent");
    EXPECT_EQ(update.cwd, "c:/Users/atarax/Desktop/vite");
    EXPECT_GT(update.cost_usd.value_or(0), 0.1);
    EXPECT_TRUE(session.batch.diagnostics.empty());
    EXPECT_EQ(static_cast<std::int64_t>(session.keys.size()), cursor_corpus_number(entry, "bubbles"));
  });
}

// The ledger covers each row of each table with the bytes of its key and its value.
TEST_F(CursorCorpus, LedgerToTheRow) {
  const auto& databases = reference_.at("platforms").at("cursor").at("extra").at("databases").as_array();
  ASSERT_EQ(databases.size(), sources_.size());
  for (const auto& database : databases) {
    const std::string path(database.at("path").as_string());
    SCOPED_TRACE(path);
    const Snapshot& source = sources_.at(path);
    const DiskView view;
    std::uint64_t want_rows = 0, want_bytes = 0, rows = 0, bytes = 0;
    // The reference counts bytes of values only; here a row is its key and its value.
    const auto keys = sqlite::ReadOnlyDatabase::open(view, (home_ / path).string()).value();
    for (const char* table : {"ItemTable", "cursorDiskKV"}) {
      if (!keys->has_table(table).value()) continue;
      auto query = keys->prepare(std::string("SELECT sum(length(CAST(key AS BLOB))) FROM ") + table).value();
      ASSERT_TRUE(query.step().value());
      want_bytes += static_cast<std::uint64_t>(query.integer(0));
    }
    for (const auto& [name, counts] : database.at("rows").as_object()) {
      want_rows += static_cast<std::uint64_t>(counts.at(0).as_int64());
      want_bytes += static_cast<std::uint64_t>(counts.at(1).as_int64());
    }
    std::map<std::string, std::uint64_t> reasons;
    const auto add = [&](const CoverageEntry& line) {
      rows += line.records;
      bytes += line.bytes;
      reasons[line.record_type + "/" + line.reason] += line.records;
      EXPECT_NE(line.disposition, Disposition::unknown) << line.record_type;
    };
    for (const auto& line : source.plan.rest)
      add(line);
    for (const auto& [uid, session] : source.sessions)
      for (const auto& line : session.batch.coverage)
        add(line);
    EXPECT_EQ(rows, want_rows);
    EXPECT_EQ(bytes, want_bytes);
    EXPECT_EQ(source.plan.size, want_bytes);
    if (!path.ends_with("globalStorage/state.vscdb")) continue;
    EXPECT_EQ(reasons["composerData/no_messages"], 5U);
    EXPECT_EQ(reasons["composerData/deleted"], 1U);
    EXPECT_EQ(reasons["bubbleId/deleted"], 3U);
    EXPECT_EQ(reasons["bubble/"] + reasons["bubble/blank_message"], 118U);
    EXPECT_EQ(reasons["conversation/"], 2U);
    EXPECT_EQ(reasons["ItemTable/editor_state"] + reasons["ItemTable:credentials/never_read"], 84U);
  }
}

TEST_F(CursorCorpus, TextComesBackFromTheRecord) {
  const Adapter& adapter = *find_adapter(Platform::cursor);
  const DiskView view;
  Source source;
  source.path = (home_ / ".config/Cursor/User/globalStorage/state.vscdb").string();
  const auto reader = adapter.open_snapshot(source, view);
  each_session([&](const boost::json::object& entry, const SnapshotSession& session) {
    const std::string id(entry.at("native_id").as_string());
    for (const Event& e : session.batch.events) {
      if (e.kind == EventKind::lifecycle) continue;
      auto bytes = reader->item(id, session.keys.at(e.raw.offset - 1)).value();
      EXPECT_EQ(bytes.size(), e.raw.length);
      bytes.resize(bytes.size() + kRecordPadding, ' ');
      const auto text = adapter.event_text(std::string_view(bytes.data(), e.raw.length), e.kind, e.raw.block);
      ASSERT_TRUE(text);
      EXPECT_TRUE(text->starts_with(e.text)) << e.tool;
      EXPECT_FALSE(text->empty());
    }
  });
}

}  // namespace
}  // namespace memd
