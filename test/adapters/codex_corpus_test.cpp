#include "adapters/adapter.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/adapters/session_counts.hpp"
#include "test/support/corpus.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <map>
#include <set>

// Decodes real rollouts and compares each session with the counts of an independent reader (reference.json beside the
// home). MEMD_CORPUS is the home; without a corpus the tests are skipped.
namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;
using test::Decoded;

std::int64_t codex_corpus_number(const bj::object& o, std::string_view key) {
  const auto* v = o.if_contains(key);
  return v && v->is_int64() ? v->as_int64() : 0;
}

std::set<std::string> names_in(const bj::value& list) {
  std::set<std::string> out;
  if (list.is_array())
    for (const auto& v : list.as_array())
      out.insert(std::string(v.as_string()));
  else
    for (const auto& [name, count] : list.as_object())
      out.insert(std::string(name));
  return out;
}

class CodexCorpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto home = test::corpus_home();
    if (!fs::is_directory(home / ".codex")) return;
    reference_ = bj::parse(test::bytes_of(home.parent_path() / "reference.json")).as_object();
    const Adapter& adapter = *find_adapter(Platform::codex);
    const auto take = [&](const fs::path& root, const fs::path& file) {
      const auto candidate = adapter.classify(root, file);
      if (candidate && fs::is_regular_file(file))
        sources_.emplace(fs::relative(file, home).generic_string(),
                         test::decode_source(adapter, *candidate, test::bytes_of(file)));
    };
    for (const auto& root : adapter.roots({home, {}})) {
      take(root, root);
      if (!fs::is_directory(root)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root))
        take(root, entry.path());
    }
    for (auto& [path, decoded] : sources_)
      sessions_.emplace(path, test::count_session(decoded));
  }
  static void TearDownTestSuite() {
    sources_.clear();
    sessions_.clear();
    reference_.clear();
  }
  void SetUp() override {
    if (reference_.empty()) GTEST_SKIP() << "no rollouts under " << test::corpus_home() << "; set MEMD_CORPUS";
  }

  // Calls visit(reference entry, source, session) for each rollout.
  template <class Visit>
  void each_session(Visit&& visit) {
    std::size_t seen = 0;
    for (const auto& [uid, value] : reference_.at("sessions").at("codex").as_object()) {
      const auto& entry = value.as_object();
      const std::string path(entry.at("path").as_string());
      ASSERT_TRUE(sources_.contains(path)) << path;
      SCOPED_TRACE(path);
      EXPECT_EQ(sources_.at(path).source.session_uid, std::string_view(uid));
      visit(entry, sources_.at(path), sessions_.at(path));
      ++seen;
    }
    EXPECT_EQ(seen, 13u);
    EXPECT_EQ(sources_.size(), 14u);  // 13 rollouts and the session index
  }

  static inline std::map<std::string, Decoded> sources_;
  static inline std::map<std::string, test::Session> sessions_;
  static inline bj::object reference_;
};

TEST_F(CodexCorpus, EveryHumanPromptWithItsText) {
  std::size_t prompts = 0;
  each_session([&](const bj::object& entry, const Decoded&, const test::Session& session) {
    const auto& expected = entry.at("prompts").as_array();
    ASSERT_EQ(session.prompts.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& want = expected[i].as_object();
      const Event& got = *session.prompts[i];
      EXPECT_EQ(got.raw.offset, static_cast<std::uint64_t>(want.at("off").as_int64()));
      EXPECT_EQ(got.time, want.at("ts").as_int64());
      EXPECT_EQ(sha256_hex(got.text), std::string_view(want.at("sha256").as_string()));
      EXPECT_TRUE(got.starts_exchange);
      ++prompts;
    }
  });
  EXPECT_EQ(prompts, 172u);
}

TEST_F(CodexCorpus, CallsResultsTextsAndTokens) {
  std::int64_t calls = 0;
  std::int64_t errors = 0;
  each_session([&](const bj::object& entry, const Decoded&, const test::Session& session) {
    const auto& c = session.counts;
    EXPECT_EQ(c.tool_calls, codex_corpus_number(entry, "tool_calls"));
    EXPECT_EQ(c.results_paired, codex_corpus_number(entry, "results_paired"));
    EXPECT_EQ(c.orphan_results, codex_corpus_number(entry, "orphan_results"));
    EXPECT_EQ(c.tool_errors, codex_corpus_number(entry, "tool_errors"));
    EXPECT_EQ(c.assistant_text, codex_corpus_number(entry, "assistant_text"));
    EXPECT_EQ(c.thinking, codex_corpus_number(entry, "reasoning"));
    EXPECT_EQ(c.interrupts, codex_corpus_number(entry, "turn_aborted"));
    const auto& tokens = entry.at("tokens").as_object();
    EXPECT_EQ(c.tokens.input, codex_corpus_number(tokens, "input"));
    EXPECT_EQ(c.tokens.output, codex_corpus_number(tokens, "output"));
    EXPECT_EQ(c.tokens.cache_read, codex_corpus_number(tokens, "cache_read"));
    EXPECT_EQ(c.tokens.cache_creation, codex_corpus_number(tokens, "cache_creation"));
    std::map<std::string, std::int64_t> tools;
    for (const Event& e : session.events)
      if (e.kind == EventKind::tool_call) ++tools[e.tool];
    for (const auto& [tool, count] : entry.at("tools").as_object()) {
      EXPECT_EQ(tools[tool], count.as_int64()) << tool;
      tools.erase(tool);
    }
    EXPECT_TRUE(tools.empty());
    calls += c.tool_calls;
    errors += c.tool_errors;
  });
  EXPECT_EQ(calls, 1432);
  EXPECT_EQ(errors, 109);
}

TEST_F(CodexCorpus, WhatTheSessionsAre) {
  each_session([&](const bj::object& entry, const Decoded& decoded, const test::Session& session) {
    std::set<std::string> models, branches, cwds;
    for (const Event& e : session.events) {
      if (!e.model.empty()) models.insert(e.model);
      if (!e.git_branch.empty()) branches.insert(e.git_branch);
      if (!e.cwd.empty()) cwds.insert(e.cwd);
    }
    EXPECT_EQ(models, names_in(entry.at("models")));
    EXPECT_EQ(branches, names_in(entry.at("git_branches")));
    EXPECT_EQ(cwds, names_in(entry.at("cwds")));
    ASSERT_FALSE(session.events.empty());
    EXPECT_EQ(session.events.front().lifecycle, "session_start");
    for (const auto& update : decoded.batch.sessions) {
      EXPECT_EQ(update.session_uid, decoded.source.session_uid);
      EXPECT_EQ(update.kind, SessionKind::main);
      EXPECT_EQ(update.parent_uid + update.forked_from, "");
    }
  });
}

TEST_F(CodexCorpus, CompactionsStandWhereTheyStood) {
  std::size_t compactions = 0;
  each_session([&](const bj::object& entry, const Decoded&, const test::Session& session) {
    const auto& expected = entry.at("compactions").as_array();
    ASSERT_EQ(session.compactions.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(session.compactions[i]->raw.offset, static_cast<std::uint64_t>(expected[i].at("off").as_int64()));
      EXPECT_EQ(session.compactions[i]->summary,
                std::to_string(expected[i].at("replacement_items").as_int64()) + " messages kept");
      ++compactions;
    }
  });
  EXPECT_EQ(compactions, 1u);
}

TEST_F(CodexCorpus, FilesModified) {
  std::size_t files = 0;
  each_session([&](const bj::object& entry, const Decoded&, const test::Session& session) {
    std::set<std::string> modified;
    std::string cwd;
    for (const Event& e : session.events) {
      if (!e.cwd.empty()) cwd = e.cwd;
      if (e.kind == EventKind::tool_call || e.kind == EventKind::edit)
        for (const FileTouch& f : e.files)
          if (f.access == FileAccess::modified) modified.insert((fs::path(cwd) / f.path).lexically_normal().string());
    }
    EXPECT_EQ(modified, names_in(entry.at("files_modified")));
    files += modified.size();
  });
  EXPECT_EQ(files, 259u);
}

TEST_F(CodexCorpus, TitlesComeFromTheIndex) {
  const auto& index = sources_.at(".codex/session_index.jsonl").batch;
  EXPECT_TRUE(index.events.empty());
  std::map<std::uint64_t, std::string> titles;
  for (const auto& update : index.sessions)
    titles[update.title_record_key] = update.title;
  EXPECT_EQ(titles.size(), 2u);  // one of them belongs to a missing rollout
  std::size_t with_title = 0;
  each_session([&](const bj::object& entry, const Decoded&, const test::Session& session) {
    const auto it = titles.find(session.events.front().event_id);
    const std::string title = it == titles.end() ? "" : it->second;
    EXPECT_EQ(title, entry.at("title").is_string() ? std::string(entry.at("title").as_string()) : "");
    with_title += title.empty() ? 0 : 1;
  });
  EXPECT_EQ(with_title, 1u);
}

TEST_F(CodexCorpus, LedgerIsExactPerType) {
  each_session([&](const bj::object& entry, const Decoded& decoded, const test::Session&) {
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
      EXPECT_EQ(types[type].first, static_cast<std::uint64_t>(value.at(0).as_int64())) << type;
      EXPECT_EQ(types[type].second, static_cast<std::uint64_t>(value.at(1).as_int64())) << type;
      types.erase(type);
    }
    EXPECT_TRUE(types.empty()) << types.begin()->first;
  });
  for (const auto& [path, decoded] : sources_)
    EXPECT_TRUE(decoded.batch.diagnostics.empty()) << path;
}

TEST_F(CodexCorpus, EventIdsAreUniqueAndWholeTextsComeBack) {
  const Adapter& adapter = *find_adapter(Platform::codex);
  std::set<std::uint64_t> ids;
  std::size_t texts = 0;
  for (const auto& [path, decoded] : sources_) {
    std::string bytes = test::bytes_of(test::corpus_home() / path);
    bytes.resize(bytes.size() + kRecordPadding);
    for (const Event& e : decoded.batch.events) {
      const bool may_repeat = e.is_echo || e.lifecycle == "usage" || e.lifecycle == "turn_context";
      if (!may_repeat) {
        EXPECT_TRUE(ids.insert(e.event_id).second) << path << " " << e.raw.offset;
      }
      if (e.kind == EventKind::lifecycle) continue;
      const auto whole =
          adapter.event_text(std::string_view(bytes).substr(e.raw.offset, e.raw.length), e.kind, e.raw.block);
      ASSERT_TRUE(whole.has_value()) << path << " " << e.raw.offset;
      EXPECT_TRUE(e.kind != EventKind::tool_result || whole->starts_with(e.text)) << path << " " << e.raw.offset;
      ++texts;
    }
  }
  EXPECT_GT(texts, 4000u);
}

}  // namespace
}  // namespace memd
