#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/hash.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/session_counts.hpp"
#include "test/support/corpus.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <map>

// Compares real histories of opencode and Gemini CLI with the counts of an independent reader (reference.json beside
// the home). MEMD_CORPUS is the home; without a corpus the tests are skipped.
namespace memd {
namespace {

namespace fs = std::filesystem;

class SnapshotCorpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(test::corpus_home() / ".gemini"))
      GTEST_SKIP() << "no histories under " << test::corpus_home();
    reference_ = boost::json::parse(test::bytes_of(test::corpus_home().parent_path() / "reference.json")).as_object();
  }

  // Calls visit(reference entry, snapshot, session, its counts) for each session of the platform.
  template <class Visit>
  void each_session(Platform platform, Visit&& visit) {
    const Adapter& adapter = *find_adapter(platform);
    const DiskView files;
    const auto& sessions = reference_.at("sessions").at(to_string(platform)).as_object();
    std::size_t seen = 0;
    for (const auto& root : adapter.roots({test::corpus_home(), {}})) {
      if (!fs::is_directory(root)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const auto candidate = adapter.classify(root, entry.path());
        if (!candidate || candidate->path != entry.path()) continue;
        auto snapshot = test::decode_snapshot(adapter, *candidate, files);
        for (auto& [uid, session] : snapshot.sessions) {
          SCOPED_TRACE(uid);
          ASSERT_TRUE(sessions.contains(uid));
          test::Decoded decoded;
          decoded.source.session_uid = uid;
          decoded.batch = session.batch;
          EXPECT_TRUE(session.batch.diagnostics.empty());
          visit(sessions.at(uid).as_object(), snapshot, session, test::count_session(decoded));
          ++seen;
        }
      }
    }
    EXPECT_EQ(seen, sessions.size());
  }

  static std::int64_t number(const boost::json::object& o, std::string_view key) { return o.at(key).as_int64(); }

  static void expect_prompts(const boost::json::object& entry, const test::Session& session, Platform platform) {
    const auto& expected = entry.at("prompts").as_array();
    ASSERT_EQ(session.prompts.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& want = expected[i].as_object();
      EXPECT_EQ(session.prompts[i]->event_id, record_key(platform, std::string_view(want.at("id").as_string())));
      EXPECT_EQ(session.prompts[i]->time, number(want, "ts"));
      EXPECT_EQ(sha256_hex(session.prompts[i]->text), std::string_view(want.at("sha256").as_string()));
      EXPECT_TRUE(session.prompts[i]->starts_exchange);
    }
  }
  static void expect_files(const boost::json::object& entry, const test::Session& session) {
    std::set<std::string> modified, read;
    for (const auto& f : entry.at("files_modified").as_array())
      modified.insert(std::string(f.as_string()));
    for (const auto& f : entry.at("files_read").as_array())
      read.insert(std::string(f.as_string()));
    EXPECT_EQ(session.modified, modified);
    EXPECT_EQ(session.read, read);
  }

  boost::json::object reference_;
};

TEST_F(SnapshotCorpus, OpencodeAsCounted) {
  each_session(Platform::opencode, [](const boost::json::object& entry, const test::Snapshot& snapshot,
                                      const test::SnapshotSession& decoded, const test::Session& session) {
    const auto& counts = session.counts;
    expect_prompts(entry, session, Platform::opencode);
    expect_files(entry, session);
    EXPECT_EQ(counts.tool_calls, number(entry, "tool_calls"));
    EXPECT_EQ(counts.results_paired, number(entry, "results_paired"));
    EXPECT_EQ(counts.assistant_text, number(entry, "assistant_text"));
    // The reference counts failed commands apart from failed tools; for opencode both are "completed".
    EXPECT_EQ(counts.tool_errors, number(entry, "tool_errors") + number(entry, "nonzero_exits"));
    const auto& tokens = entry.at("tokens").as_object();
    EXPECT_EQ(counts.tokens.input, number(tokens, "input"));
    EXPECT_EQ(counts.tokens.output, number(tokens, "output"));
    EXPECT_EQ(counts.tokens.cache_read, number(tokens, "cache_read"));
    EXPECT_EQ(counts.tokens.cache_creation, number(tokens, "cache_creation"));
    // Texts and calls per exchange, in the order of the items.
    std::vector<std::pair<std::int64_t, std::int64_t>> exchanges;
    for (const Event& e : session.events) {
      if (e.starts_exchange) exchanges.emplace_back();
      if (e.kind == EventKind::assistant_msg) ++exchanges.back().first;
      if (e.kind == EventKind::tool_call) ++exchanges.back().second;
    }
    const auto& per_exchange = entry.at("per_exchange").as_array();
    ASSERT_EQ(exchanges.size(), per_exchange.size());
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      EXPECT_EQ(exchanges[i].first, per_exchange[i].at(0).as_int64()) << i;
      EXPECT_EQ(exchanges[i].second, per_exchange[i].at(1).as_int64()) << i;
    }
    // The reference counts values of rows by kind. An item is a message with its parts and includes their ids.
    std::uint64_t records = 0;
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    for (const auto& [type, value] : entry.at("records").as_object()) {
      rows += static_cast<std::uint64_t>(value.at(0).as_int64());
      bytes += static_cast<std::uint64_t>(value.at(1).as_int64());
    }
    std::uint64_t covered = 0;
    for (const auto& line : decoded.batch.coverage) {
      EXPECT_NE(line.disposition, Disposition::unknown);
      if (!line.record_type.starts_with("message/")) continue;
      records += line.records;
      covered += line.bytes;
    }
    EXPECT_EQ(records, 35u);
    EXPECT_EQ(covered, bytes + 30 * rows);
    EXPECT_EQ(snapshot.item_bytes, snapshot.plan.size);
    // "New session - …" is not a title.
    ASSERT_EQ(decoded.batch.sessions.size(), 1u);
    EXPECT_EQ(decoded.batch.sessions[0].title, "");
    EXPECT_EQ(decoded.batch.sessions[0].cwd, "/workspace");
    EXPECT_EQ(session.events.back().model, "monkeycode-ai/monkeycode-basic/deepseek-v4-flash");
  });
}

TEST_F(SnapshotCorpus, GeminiAsCounted) {
  each_session(Platform::gemini, [](const boost::json::object& entry, const test::Snapshot& snapshot,
                                    const test::SnapshotSession& decoded, const test::Session& session) {
    const auto& counts = session.counts;
    expect_prompts(entry, session, Platform::gemini);
    expect_files(entry, session);
    EXPECT_EQ(counts.tool_calls, number(entry, "tool_calls"));
    EXPECT_EQ(counts.results_paired, number(entry, "results_paired"));
    EXPECT_EQ(counts.assistant_text, number(entry, "assistant_text"));
    EXPECT_EQ(counts.tool_errors, number(entry, "tool_errors"));
    const auto& tokens = entry.at("tokens").as_object();
    const auto& raw = entry.at("tokens_raw").as_object();
    EXPECT_EQ(counts.tokens.input, number(tokens, "input"));
    EXPECT_EQ(counts.tokens.cache_read, number(tokens, "cache_read"));
    // The reference omits thinking tokens, which the model produced as well; other platforms include them in the
    // output.
    const std::int64_t thoughts = raw.contains("thoughts") ? number(raw, "thoughts") : 0;
    EXPECT_EQ(counts.tokens.output, number(tokens, "output") + thoughts);
    if (raw.contains("total")) {
      EXPECT_EQ(counts.tokens.input + counts.tokens.cache_read + counts.tokens.output, number(raw, "total"));
    }
    // Bytes must match exactly by type; bytes between the messages are structure.
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> types;
    for (const auto* list : {&decoded.batch.coverage, &snapshot.plan.rest})
      for (const auto& line : *list)
        if (line.record_type != "(session)" && line.records != 0) types[line.record_type] = {line.records, line.bytes};
    for (const auto& [type, value] : entry.at("records").as_object()) {
      const std::string name = type == "_structure" ? std::string("(structure)") : std::string(type);
      ASSERT_TRUE(types.contains(name)) << name;
      EXPECT_EQ(types[name].first, static_cast<std::uint64_t>(value.at(0).as_int64())) << name;
      EXPECT_EQ(types[name].second, static_cast<std::uint64_t>(value.at(1).as_int64())) << name;
      types.erase(name);
    }
    EXPECT_TRUE(types.empty());
    // Prompts that the client sent by itself count as turns, but not as typed by the user.
    for (std::size_t i = 0; i < session.prompts.size(); ++i) {
      const bool by_client = entry.at("prompts").at(i).at("kind").as_string() == "system?";
      EXPECT_EQ(session.prompts[i]->origin, by_client ? Origin::injected : Origin::typed);
    }
  });
}

}  // namespace
}  // namespace memd
