#include "adapters/adapter.hpp"
#include "schemas/base/hash.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/adapters/session_counts.hpp"
#include "test/support/corpus.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <set>

// Decodes real transcripts and compares each session with the counts of an independent reader (reference.json beside
// the home). MEMD_CORPUS is the home; without a corpus the tests are skipped.
namespace memd {
namespace {

namespace fs = std::filesystem;
using test::Counts;
using test::Decoded;
using test::Session;

std::int64_t number(const boost::json::object& o, std::string_view key) {
  const auto* v = o.if_contains(key);
  return v && v->is_int64() ? v->as_int64() : 0;
}

class ClaudeCodeCorpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto home = test::corpus_home();
    if (!fs::is_directory(home / ".claude")) return;
    reference_ = boost::json::parse(test::bytes_of(home.parent_path() / "reference.json")).as_object();
    const Adapter& adapter = *find_adapter(Platform::claude_code);
    for (const auto& root : adapter.roots({home, {}})) {
      if (!fs::is_directory(root)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const auto candidate = adapter.classify(root, entry.path());
        if (!candidate || !entry.is_regular_file()) continue;
        auto decoded = test::decode_source(adapter, *candidate, test::bytes_of(entry.path()));
        sources_.emplace(fs::relative(entry.path(), home).generic_string(), std::move(decoded));
      }
    }
    for (auto& [path, decoded] : sources_) {
      sessions_.emplace(path, test::count_session(decoded));
    }
  }
  static void TearDownTestSuite() {
    sources_.clear();
    sessions_.clear();
    reference_.clear();
  }
  void SetUp() override {
    if (reference_.empty()) GTEST_SKIP() << "no transcripts under " << test::corpus_home() << "; set MEMD_CORPUS";
  }

  static const boost::json::object& reference() { return reference_.at("sessions").at("claude_code").as_object(); }

  // Calls visit(uid, reference entry, source, session) for each main transcript.
  template <class Visit>
  void each_session(Visit&& visit) {
    std::size_t seen = 0;
    for (const auto& [uid, value] : reference()) {
      const auto& entry = value.as_object();
      if (entry.contains("main_missing")) continue;
      const std::string path(entry.at("path").as_string());
      ASSERT_TRUE(sources_.contains(path)) << path;
      SCOPED_TRACE(path);
      EXPECT_EQ(sources_.at(path).source.session_uid, std::string_view(uid));
      visit(entry, sources_.at(path), sessions_.at(path));
      ++seen;
    }
    EXPECT_GT(seen, 0u);
  }
  template <class Visit>
  void each_subagent(Visit&& visit) {
    for (const auto& [uid, value] : reference())
      for (const auto& sub : value.at("subagents").as_array()) {
        const auto& entry = sub.as_object();
        const std::string path(entry.at("path").as_string());
        ASSERT_TRUE(sources_.contains(path)) << path;
        SCOPED_TRACE(path);
        visit(entry, sources_.at(path), sessions_.at(path));
      }
  }

  static void expect_counts(const boost::json::object& entry, const Counts& c) {
    EXPECT_EQ(c.tool_calls, number(entry, "tool_calls"));
    EXPECT_EQ(c.results_paired, number(entry, "results_paired"));
    EXPECT_EQ(c.orphan_results, number(entry, "orphan_results"));
    EXPECT_EQ(c.tool_errors, number(entry, "tool_errors"));
    EXPECT_EQ(c.assistant_text, number(entry, "assistant_text"));
    EXPECT_EQ(c.synthetic_text, number(entry, "synthetic_text"));
    EXPECT_EQ(c.thinking, number(entry, "thinking_blocks"));
    EXPECT_EQ(c.interrupts, number(entry, "interrupts"));
    EXPECT_EQ(c.responses, number(entry, "responses"));
    const auto& tokens = entry.at("tokens").as_object();
    EXPECT_EQ(c.tokens.input, number(tokens, "input"));
    EXPECT_EQ(c.tokens.output, number(tokens, "output"));
    EXPECT_EQ(c.tokens.cache_read, number(tokens, "cache_read"));
    EXPECT_EQ(c.tokens.cache_creation, number(tokens, "cache_creation"));
  }

  static void expect_ledger(const boost::json::object& entry, const Decoded& decoded) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> types;
    std::uint64_t total = 0;
    for (const auto& line : decoded.batch.coverage) {
      types[line.record_type].first += line.records;
      types[line.record_type].second += line.bytes;
      total += line.bytes;
      EXPECT_NE(line.disposition, Disposition::unknown) << line.record_type << " " << line.reason;
    }
    EXPECT_EQ(total, decoded.bytes);
    for (const auto& [type, value] : entry.at("records").as_object()) {
      const auto it = types.find(std::string(type));
      ASSERT_NE(it, types.end()) << type;
      EXPECT_EQ(it->second.first, static_cast<std::uint64_t>(value.at(0).as_int64())) << type;
      EXPECT_EQ(it->second.second, static_cast<std::uint64_t>(value.at(1).as_int64())) << type;
      types.erase(it);
    }
    types.erase("(blank)");
    EXPECT_TRUE(types.empty()) << types.begin()->first;
  }

  static inline std::map<std::string, Decoded> sources_;
  static inline std::map<std::string, Session> sessions_;
  static inline boost::json::object reference_;
};

TEST_F(ClaudeCodeCorpus, EveryHumanPromptWithItsText) {
  std::size_t prompts = 0;
  each_session([&](const boost::json::object& entry, const Decoded&, const Session& session) {
    const auto& expected = entry.at("prompts").as_array();
    ASSERT_EQ(session.prompts.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& want = expected[i].as_object();
      const Event& got = *session.prompts[i];
      SCOPED_TRACE(want.at("off").as_int64());
      EXPECT_EQ(got.event_id, record_key(Platform::claude_code, std::string_view(want.at("id").as_string())));
      EXPECT_EQ(got.raw.offset, static_cast<std::uint64_t>(want.at("off").as_int64()));
      EXPECT_EQ(got.time, want.at("ts").as_int64());
      const auto kind = want.at("kind").as_string();
      // The reference has the elements around a command.
      if (kind == "command")
        EXPECT_TRUE(got.text.starts_with('/')) << got.text;
      else
        EXPECT_EQ(sha256_hex(kind == "bash" ? "<bash-input>" + got.text + "</bash-input>" : got.text),
                  std::string_view(want.at("sha256").as_string()));
      EXPECT_TRUE(got.starts_exchange);
      EXPECT_EQ(got.origin, kind == "command" ? Origin::command
                            : kind == "bash"  ? Origin::shell
                            : kind == "plan"  ? Origin::plan
                                              : Origin::typed);
      ++prompts;
    }
  });
  EXPECT_EQ(prompts, 637u);
}

TEST_F(ClaudeCodeCorpus, HumanWordsOutsidePrompts) {
  std::size_t rejections = 0;
  each_session([&](const boost::json::object& entry, const Decoded&, const Session& session) {
    const auto& expected = entry.at("embedded").as_array();
    ASSERT_EQ(session.embedded.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(sha256_hex(session.embedded[i]->text), std::string_view(expected[i].at("sha256").as_string()));

    std::set<std::string> want, got;
    for (const auto& q : entry.at("queued").as_array())
      want.insert(std::string(q.at("sha256").as_string()));
    for (const Event* e : session.queued)
      got.insert(sha256_hex(e->text));
    EXPECT_EQ(got, want);
    rejections += session.rejections.size();
  });
  // The reference lacks reasons typed while rejecting a tool, which Claude Code writes into the text of the result
  // ("…the user said:"). A search of the files for that sentence finds the same number.
  EXPECT_EQ(rejections, 54u);
}

TEST_F(ClaudeCodeCorpus, CallsResultsTextsAndTokens) {
  each_session([&](const boost::json::object& entry, const Decoded&, const Session& session) {
    expect_counts(entry, session.counts);
    EXPECT_EQ(session.counts.microcompactions,
              std::int64_t(entry.at("microcompactions").is_array() ? entry.at("microcompactions").as_array().size()
                                                                   : number(entry, "microcompactions")));
  });
  each_subagent([&](const boost::json::object& entry, const Decoded& decoded, const Session& session) {
    expect_counts(entry, session.counts);
    EXPECT_TRUE(session.prompts.empty());
    for (const Event& e : session.events)
      EXPECT_TRUE(e.is_sidechain);
    const auto parent = std::find_if(decoded.batch.sessions.begin(), decoded.batch.sessions.end(), [&](const auto& s) {
      return s.session_uid == decoded.source.session_uid && s.kind == SessionKind::subagent;
    });
    ASSERT_NE(parent, decoded.batch.sessions.end());
    EXPECT_EQ(parent->parent_uid, std::string_view(entry.at("parent").as_string()));
  });
}

TEST_F(ClaudeCodeCorpus, CompactionsStandWhereTheyStood) {
  std::size_t compactions = 0;
  each_session([&](const boost::json::object& entry, const Decoded&, const Session& session) {
    const auto& expected = entry.at("compactions").as_array();
    ASSERT_EQ(session.compactions.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(session.compactions[i]->raw.offset, static_cast<std::uint64_t>(expected[i].at("off").as_int64()));
      EXPECT_EQ(session.compactions[i]->summary, std::string(expected[i].at("trigger").as_string()) + ", " +
                                                     std::to_string(expected[i].at("pre_tokens").as_int64()) +
                                                     " tokens before");
      ++compactions;
    }
    EXPECT_EQ(session.counts.compact_summaries, static_cast<std::int64_t>(expected.size()));
  });
  EXPECT_EQ(compactions, 26u);
}

TEST_F(ClaudeCodeCorpus, FilesModifiedAndRead) {
  each_session([&](const boost::json::object& entry, const Decoded&, const Session& session) {
    std::set<std::string> modified, read;
    for (const auto& f : entry.at("files_modified").as_array())
      modified.insert(std::string(f.as_string()));
    for (const auto& f : entry.at("files_read").as_array())
      read.insert(std::string(f.as_string()));
    EXPECT_EQ(session.modified, modified);
    EXPECT_EQ(session.read, read);
  });
}

TEST_F(ClaudeCodeCorpus, LedgerIsExactPerType) {
  each_session([&](const boost::json::object& entry, const Decoded& d, const Session&) { expect_ledger(entry, d); });
  each_subagent([&](const boost::json::object& entry, const Decoded& d, const Session&) { expect_ledger(entry, d); });
  for (const auto& [path, decoded] : sources_)
    EXPECT_TRUE(decoded.batch.diagnostics.empty()) << path;
}

// Progress records of an agent that has its own file must not create duplicates.
TEST_F(ClaudeCodeCorpus, AgentMessagesSeenTwiceAreOneFact) {
  std::map<std::string, std::map<std::uint64_t, std::string>> own;  // session → id → text
  for (const auto& [path, decoded] : sources_)
    if (path.find("/subagents/") != std::string::npos)
      for (const Event& e : decoded.batch.events)
        own[e.session_uid][e.event_id] = e.text;
  std::size_t shared = 0;
  for (const auto& [path, decoded] : sources_) {
    if (path.find("/subagents/") != std::string::npos) continue;
    for (const Event& e : decoded.batch.events) {
      const auto session = own.find(e.session_uid);
      if (session == own.end()) continue;
      const auto it = session->second.find(e.event_id);
      ASSERT_NE(it, session->second.end()) << path << " " << e.raw.offset;
      EXPECT_EQ(it->second, e.text);
      ++shared;
    }
  }
  EXPECT_GT(shared, 0u);
}

TEST_F(ClaudeCodeCorpus, EventIdsAreUniqueWithinAFile) {
  for (const auto& [path, decoded] : sources_) {
    std::set<std::uint64_t> ids;
    for (const Event& e : decoded.batch.events)
      EXPECT_TRUE(ids.insert(e.event_id).second || e.origin == Origin::queued) << path << " " << e.raw.offset;
  }
}

}  // namespace
}  // namespace memd
