// From memory files to searches and tools: the indexer, its thread, the watcher.
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/watcher.hpp"
#include "daemon/memories/indexer_thread.hpp"
#include "schemas/base/error.hpp"
#include "store/catalog/memory_search.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/files/whole_file.hpp"
#include "store/memory/embedding_cache.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/tool_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <mutex>

namespace memd::memories {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string memory_text(std::string_view title, std::string_view text) {
  return "---\ntype: decision\ntags: [made-up]\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: \"2026-01-10T10:30:00Z\"\n"
         "links: []\n---\n\n# " +
         std::string(title) + "\n\n" + std::string(text) + "\n";
}

class MemoryIndexerTest : public testing::Test {
 protected:
  MemoryIndexerTest() : clock_(test::kNow), writer_(Writer::open(database(), clock_).value()) {
    fs::create_directories(project() / ".git");
  }

  fs::path database() const { return root_ / "memd.db"; }
  fs::path home() const { return root_ / "home"; }
  fs::path project() const { return root_ / "home/src/app"; }
  fs::path place() const { return home() / ".claude/memory"; }

  IndexerParts parts() {
    IndexerParts out;
    out.database = database();
    out.home = home();
    out.perform = [this](std::function<Result<void>(Writer&)> task) {
      const std::lock_guard lock(writing_);
      return task(*writer_);
    };
    out.is_left_out = [this](const fs::path& path) { return path == left_out_; };
    out.watch = [this](std::vector<fs::path> directories) { watched_ = std::move(directories); };
    return out;
  }
  void run_sql(const char* sql) {
    const std::lock_guard lock(writing_);
    ASSERT_TRUE(writer_->transact([&](sqlite::Database& db) { db.exec(sql); }));
  }
  std::vector<std::string> found(const std::string& text) {
    catalog::MemorySearch question;
    question.now = clock_.now();
    question.asked = search::parse_query(text, question.now);
    std::vector<std::string> out;
    for (const auto& hit : reader_.ask(question).value().hits)
      out.push_back(hit.slug);
    return out;
  }
  catalog::CatalogStatus status() { return reader_.ask(catalog::CatalogStatusQuery{}).value(); }

  test::TempDir root_;
  test::FakeClock clock_;
  std::unique_ptr<Writer> writer_;
  std::mutex writing_;
  Reader reader_{database()};
  fs::path left_out_;
  std::vector<fs::path> watched_;
};

TEST_F(MemoryIndexerTest, FollowsFilesAndProjects) {
  MemoryIndexer indexer(parts(), clock_);
  ASSERT_TRUE(indexer.look_at_everything(true));
  EXPECT_THAT(found("cache"), IsEmpty());
  test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
  ASSERT_TRUE(indexer.look_at({place() / "cache-rule.md"}));
  EXPECT_THAT(found("cache"), ElementsAre("cache-rule"));
  fs::rename(place() / "cache-rule.md", place() / "other-name.md");
  ASSERT_TRUE(indexer.look_at({place() / "cache-rule.md", place() / "other-name.md"}));
  EXPECT_THAT(found("cache"), ElementsAre("other-name"));
  test::write_file(place() / "other-name.md", "no front matter");
  ASSERT_TRUE(indexer.look_at({place() / "other-name.md"}));
  EXPECT_THAT(found("cache"), IsEmpty()) << "it is not valid";

  test::write_file(project() / "AGENTS.md", "Run the linter.\n");
  ASSERT_TRUE(indexer.look_for_projects());
  EXPECT_THAT(found("linter"), IsEmpty()) << "of a directory that nobody speaks of";
  EXPECT_TRUE(indexer.add_project(project().native()));
  EXPECT_FALSE(indexer.add_project(project().native()));
  ASSERT_TRUE(indexer.look_at_everything(false));
  EXPECT_THAT(found("linter"), ElementsAre("agents-md"));
  EXPECT_THAT(watched_, testing::IsSupersetOf({place(), project()}));
  left_out_ = project();
  ASSERT_TRUE(indexer.look_at_everything(false));
  EXPECT_THAT(found("linter"), IsEmpty()) << "excluded";
  left_out_.clear();

  fs::remove_all(place());
  ASSERT_TRUE(indexer.look_at({place()}));
  EXPECT_EQ(status().docs, 1);
}

TEST_F(MemoryIndexerTest, ProjectsComeAndGoWithTheirSessions) {
  MemoryIndexer indexer(parts(), clock_);
  ASSERT_TRUE(indexer.look_at_everything(true));
  test::write_file(project() / ".claude/memory/rule.md", memory_text("Rule", "Use the linter."));
  run_sql(("INSERT INTO projects (identity_key, name) VALUES ('" + project().native() + "', 'app')").c_str());
  ASSERT_TRUE(indexer.look_for_projects());
  EXPECT_THAT(found("linter"), ElementsAre("rule"));
  indexer.add_project(project().native());
  run_sql("DELETE FROM projects");  // the project was forgotten
  ASSERT_TRUE(indexer.look_for_projects());
  EXPECT_THAT(found("linter"), IsEmpty());
}

TEST_F(MemoryIndexerTest, MendsWhatIsDamaged) {
  test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
  MemoryIndexer indexer(parts(), clock_);
  ASSERT_TRUE(indexer.look_at_everything(true));
  run_sql("DROP TABLE doc_vectors");
  // Found on a change, and on a full scan.
  test::write_file(place() / "second.md", memory_text("Second cache", "Another cache."));
  ASSERT_TRUE(indexer.look_at({place() / "second.md"}));
  EXPECT_EQ(status().state, catalog::CatalogState::valid);
  EXPECT_THAT(status().reason, HasSubstr("doc_vectors"));
  EXPECT_EQ(found("cache").size(), 2U);
  run_sql("DELETE FROM docs_fts_data");
  ASSERT_TRUE(indexer.look_at_everything(true));
  EXPECT_EQ(found("cache").size(), 2U);
  // Simulates a kill in the middle of a rebuild.
  {
    const std::lock_guard lock(writing_);
    ASSERT_TRUE(writer_->transact([&](sqlite::Database& db) { catalog::begin_rebuild(db, "killed", 1); }));
  }
  EXPECT_EQ(status().state, catalog::CatalogState::rebuilding);
  ASSERT_TRUE(indexer.look_at_everything(false));
  EXPECT_EQ(status().state, catalog::CatalogState::valid);
  EXPECT_EQ(found("cache").size(), 2U);
}

// The index is checked at start like the rows: rebuilt where memd maintains it, only reported where it does not.
TEST_F(MemoryIndexerTest, AnIndexIsCheckedAtTheStart) {
  using memory::MemoryDirectory;
  const fs::path index = place() / "index.json";
  MemoryDirectory directory({MemoryScope::global, MemoryDialect::plugin, place()}, {}, clock_);
  const auto start = [&](const IndexerParts& parts) {
    MemoryIndexer indexer(parts, clock_);
    indexer.add_project(project().native());
    EXPECT_TRUE(indexer.look_at_everything(true));
    return indexer.stale_indexes();
  };
  test::write_file(place() / "by-hand.md", memory_text("By hand", "Text."));
  EXPECT_THAT(start(parts()), IsEmpty());
  EXPECT_FALSE(fs::exists(index)) << "memd never wrote there";
  test::write_file(index, R"({"version":"1.0.0","lastUpdated":"2026-01-10T10:00:00Z","memories":{}})");
  EXPECT_THAT(start(parts()), ElementsAre(index)) << "somebody else's";
  EXPECT_EQ(directory.check(), MemoryDirectory::IndexState::corrupted);

  ASSERT_TRUE(directory.rebuild());
  const std::string right = files::read_whole(index).value();
  EXPECT_THAT(start(parts()), IsEmpty());
  EXPECT_EQ(files::read_whole(index).value(), right) << "what fits is not written";
  test::write_file(index, right.substr(0, right.size() / 2));
  EXPECT_THAT(start(parts()), IsEmpty());
  EXPECT_EQ(directory.check(), MemoryDirectory::IndexState::valid) << "cut";
  test::write_file(place() / "while-no-memd-ran.md", memory_text("Second", "Text."));
  EXPECT_EQ(directory.check(), MemoryDirectory::IndexState::corrupted);
  EXPECT_THAT(start(parts()), IsEmpty());
  EXPECT_EQ(directory.check(), MemoryDirectory::IndexState::valid) << "without an entry";
  fs::remove(index);
  EXPECT_THAT(start(parts()), IsEmpty());
  EXPECT_EQ(directory.check(), MemoryDirectory::IndexState::valid) << "gone";
  run_sql("DROP TABLE doc_vectors");  // the rows are rebuilt at the same start
  fs::remove(index);
  EXPECT_THAT(start(parts()), IsEmpty());
  EXPECT_EQ(directory.check(), MemoryDirectory::IndexState::valid);
  test::write_file(place() / ".pending", "index while-no-memd-ran - - 1 .\n");  // left by a killed writer
  EXPECT_THAT(start(parts()), IsEmpty());
  EXPECT_FALSE(fs::exists(place() / ".pending"));

  const fs::path of_project = project() / ".claude/memory";
  test::write_file(of_project / "rule.md", memory_text("Rule", "Use the linter."));
  MemoryDirectory shared({MemoryScope::project, MemoryDialect::plugin, of_project}, project(), clock_);
  ASSERT_TRUE(shared.rebuild());
  test::write_file(of_project / "index.json", "{}");
  EXPECT_THAT(start(parts()), ElementsAre(of_project / "index.json")) << "nobody opted in";
  IndexerParts may = parts();
  may.policy.opt_in_enabled = true;
  EXPECT_THAT(start(may), IsEmpty());
  EXPECT_EQ(shared.check(), MemoryDirectory::IndexState::valid);
}

// More files than one batch of reads.
TEST_F(MemoryIndexerTest, ARebuildOfThousandsIsWhatTheFilesAre) {
  constexpr int kFiles = 2100;
  for (int i = 0; i < kFiles; ++i)
    test::write_file(place() / ("note-" + std::to_string(i) + ".md"),
                     memory_text("Note", "Number" + std::to_string(i)));
  test::write_file(place() / "aa-older.md", memory_text("Older", "The cache is unbounded."));
  test::write_file(place() / "zz-newer.md", memory_text("Newer", "The cache is bounded."));
  memory::MemoryDirectory directory({MemoryScope::global, MemoryDialect::plugin, place()}, {}, clock_);
  ASSERT_TRUE(directory.link("zz-newer", "aa-older", "supersedes"));
  MemoryIndexer indexer(parts(), clock_);
  ASSERT_TRUE(indexer.look_at_everything(true));
  ASSERT_TRUE(indexer.rebuild("asked for"));
  EXPECT_EQ(status().state, catalog::CatalogState::valid);
  EXPECT_EQ(status().docs, kFiles + 2);
  EXPECT_EQ(found("number7").at(0), "note-7");
  EXPECT_EQ(found("number2099").at(0), "note-2099");
  catalog::MemoriesOfSlug older;
  older.slug = "aa-older";
  EXPECT_EQ(reader_.ask(older)->at(0).superseded_by, "zz-newer");
  ASSERT_TRUE(indexer.look_at_everything(true));
  EXPECT_EQ(status().reason, "asked for") << "nothing is damaged";
}

TEST_F(MemoryIndexerTest, VectorsAreKeptWhereAnIndexIs) {
  MemoryIndexer indexer(parts(), clock_);
  const auto keep_all = [&] {
    while (indexer.keep_vectors())
      continue;
  };
  test::write_file(place() / "by-hand.md", memory_text("By hand", "Text."));
  ASSERT_TRUE(indexer.look_at_everything(true));
  keep_all();
  EXPECT_FALSE(fs::exists(place() / ".embedding-cache")) << "memd never wrote there";
  memory::MemoryDirectory directory({MemoryScope::global, MemoryDialect::plugin, place()}, {}, clock_);
  ASSERT_TRUE(directory.rebuild());
  ASSERT_TRUE(indexer.look_at_everything(false));
  keep_all();
  const memory::EmbeddingCache cache{files::ScopeRoot(place())};
  const auto& model = embedding::builtin_embedder().model();
  const auto is_fresh = [&](const char* slug) {
    return cache.find(slug, model.name, directory.read(slug)->memory.content).has_value();
  };
  ASSERT_TRUE(is_fresh("by-hand"));
  const auto kept = cache.find("by-hand", model.name, directory.read("by-hand")->memory.content);
  EXPECT_EQ(kept->vector.size(), static_cast<std::size_t>(model.dimension));
  EXPECT_EQ(directory.check(), memory::MemoryDirectory::IndexState::valid) << "hasEmbedding";

  test::write_file(place() / "by-hand.md", memory_text("By hand", "Another text."));
  EXPECT_FALSE(is_fresh("by-hand"));
  ASSERT_TRUE(indexer.look_at({place() / "by-hand.md"}));
  keep_all();
  EXPECT_TRUE(is_fresh("by-hand"));
  test::write_file(place() / "by-hand.md", memory_text("By hand", "While no memd ran."));
  {
    MemoryIndexer next(parts(), clock_);
    ASSERT_TRUE(next.look_at_everything(true));
    while (next.keep_vectors())
      continue;
    EXPECT_TRUE(is_fresh("by-hand"));
    ASSERT_TRUE(cache.put("by-hand", "another model", directory.read("by-hand")->memory.content, {1}, 1));
    ASSERT_TRUE(next.look_at_everything(true));
    while (next.keep_vectors())
      continue;
    EXPECT_TRUE(is_fresh("by-hand")) << "it was of another model";
  }
  const std::string text = files::read_whole(place() / "by-hand.md").value();
  fs::rename(place() / "by-hand.md", place() / "renamed.md");
  ASSERT_TRUE(indexer.look_at({place() / "by-hand.md", place() / "renamed.md"}));
  keep_all();
  EXPECT_THAT(cache.slugs(), ElementsAre("renamed")) << "those of no memory go";
  EXPECT_EQ(files::read_whole(place() / "renamed.md").value(), text) << "nobody asked for a change of memories";
}

TEST_F(MemoryIndexerTest, VectorsOfAProjectAreKeptOnlyWhereMemdMayWrite) {
  const fs::path of_project = project() / ".claude/memory";
  test::write_file(of_project / "rule.md", memory_text("Rule", "Use the linter."));
  memory::MemoryDirectory directory({MemoryScope::project, MemoryDialect::plugin, of_project}, project(), clock_);
  ASSERT_TRUE(directory.rebuild());
  const memory::EmbeddingCache cache(files::ScopeRoot(project(), ".claude/memory"));
  const auto keep = [&](const IndexerParts& parts) {
    MemoryIndexer indexer(parts, clock_);
    indexer.add_project(project().native());
    ASSERT_TRUE(indexer.look_at_everything(true));
    while (indexer.keep_vectors())
      continue;
  };
  keep(parts());
  EXPECT_THAT(cache.slugs(), IsEmpty()) << "nobody opted in";
  IndexerParts may = parts();
  may.policy.opt_in_enabled = true;
  IndexerParts without = may;
  without.makes_vectors = false;
  keep(without);
  EXPECT_THAT(cache.slugs(), IsEmpty()) << "disabled";
  // Contents that a repository may have: a foreign index, and links that lead out of it.
  fs::remove(of_project / ".lock");
  keep(may);
  EXPECT_THAT(cache.slugs(), IsEmpty()) << "memd never wrote there";
  ASSERT_TRUE(directory.rebuild());
  const fs::path elsewhere = root_ / "elsewhere";
  test::write_file(elsewhere / "settings.json", "{}");
  fs::create_directory_symlink(elsewhere, of_project / ".embedding-cache");
  keep(may);
  EXPECT_TRUE(fs::exists(elsewhere / "settings.json"));
  EXPECT_FALSE(fs::exists(elsewhere / "rule.json"));
  fs::remove(of_project / ".embedding-cache");
  fs::rename(of_project, elsewhere / "memory");
  fs::create_directory_symlink(elsewhere / "memory", of_project);
  keep(may);
  EXPECT_THAT(cache.slugs(), IsEmpty()) << "not in the project";
  fs::remove(of_project);
  fs::rename(elsewhere / "memory", of_project);
  keep(may);
  EXPECT_THAT(cache.slugs(), ElementsAre("rule"));
}

// The watcher reports the file before the index is written.
TEST_F(MemoryIndexerTest, TheFirstMemoryOfADirectoryGetsItsVector) {
  MemoryIndexer indexer(parts(), clock_);
  ASSERT_TRUE(indexer.look_at_everything(true));
  memory::MemoryDirectory directory({MemoryScope::global, MemoryDialect::plugin, place()}, {}, clock_);
  Memory draft;
  draft.title = "First";
  draft.tags = {"made-up"};
  draft.content = "The first text.\n";
  ASSERT_TRUE(directory.create(draft));
  const fs::path index = place() / "index.json";
  fs::rename(index, root_ / "index.json");
  ASSERT_TRUE(indexer.look_at({place() / "learning-first.md"}));
  fs::rename(root_ / "index.json", index);
  while (indexer.keep_vectors())
    continue;
  EXPECT_THAT(memory::EmbeddingCache(files::ScopeRoot(place())).slugs(), ElementsAre("learning-first"));
  EXPECT_EQ(directory.check(), memory::MemoryDirectory::IndexState::valid);
}

TEST_F(MemoryIndexerTest, WithoutModelsNoVectorIsMade) {
  const auto vectors = [this] {
    const std::lock_guard lock(writing_);
    std::int64_t count = -1;
    EXPECT_TRUE(writer_->transact([&](sqlite::Database& db) {
      auto& q = db.prepare("SELECT count(*) FROM doc_vectors");
      if (q.bind().step()) count = q.int64(0);
      q.reset();
    }));
    return count;
  };
  IndexerParts without = parts();
  without.makes_vectors = false;
  test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
  {
    MemoryIndexer indexer(without, clock_);
    ASSERT_TRUE(indexer.look_at_everything(true));
    test::write_file(place() / "second.md", memory_text("Second", "Another cache."));
    ASSERT_TRUE(indexer.look_at({place() / "second.md"}));
    ASSERT_TRUE(indexer.look_at_everything(true));
    EXPECT_EQ(vectors(), 0);
    EXPECT_EQ(status().reason, "") << "it is not made anew for that";
    EXPECT_EQ(found("cache").size(), 2U) << "by words";
    catalog::MemorySearch by_meaning;
    by_meaning.asked = search::parse_query("cache");
    by_meaning.mode = SearchMode::semantic;
    EXPECT_EQ(reader_.ask(by_meaning)->hits.size(), 2U) << "by words, because there is nothing else";
  }
  {
    MemoryIndexer indexer(parts(), clock_);
    ASSERT_TRUE(indexer.look_at_everything(true));
    EXPECT_EQ(vectors(), 2) << "the configuration wants them again";
  }
  MemoryIndexer indexer(without, clock_);
  ASSERT_TRUE(indexer.look_at_everything(true));
  EXPECT_EQ(vectors(), 0) << "those that there were go";
  EXPECT_EQ(found("cache").size(), 2U);
}

TEST_F(MemoryIndexerTest, TheThreadDealsWithHints) {
  test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
  IndexerThread thread(parts(), clock_);
  EXPECT_FALSE(thread.rebuild("too early")) << "nobody would do it";
  thread.start();
  ASSERT_TRUE(thread.settle(20s));
  EXPECT_THAT(found("cache"), ElementsAre("cache-rule"));
  fs::remove(place() / "cache-rule.md");
  thread.hint(place() / "cache-rule.md");
  ASSERT_TRUE(thread.settle(20s));
  EXPECT_THAT(found("cache"), IsEmpty());
  test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
  ASSERT_TRUE(thread.rebuild("asked for"));
  EXPECT_THAT(found("cache"), ElementsAre("cache-rule"));
  EXPECT_EQ(status().reason, "asked for");
  EXPECT_EQ(thread.trouble(), "");
  thread.stop();
  thread.join();
  EXPECT_TRUE(thread.rebuild("too late").error().is(Errc::cancelled));
}

TEST_F(MemoryIndexerTest, AFirstLookIsWaitedForAndOneWithANewProject) {
  test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
  test::write_file(project() / "AGENTS.md", "Run the linter.\n");
  IndexerThread thread(parts(), clock_);
  EXPECT_FALSE(thread.await_look({}, 1ms)) << "it has not begun";
  thread.start();
  ASSERT_TRUE(thread.await_look({}, 20s));
  EXPECT_THAT(found("cache"), ElementsAre("cache-rule"));
  EXPECT_THAT(found("linter"), IsEmpty());
  ASSERT_TRUE(thread.await_look(project().native(), 20s));
  EXPECT_THAT(found("linter"), ElementsAre("agents-md"));
  thread.stop();
  thread.join();
  EXPECT_TRUE(thread.await_look(project().native(), 20s)) << "that was long ago";
  EXPECT_FALSE(thread.await_look("/another", 20s));
}

TEST_F(MemoryIndexerTest, ALookThatFailsIsNoLook) {
  IndexerParts failing = parts();
  failing.perform = [](const std::function<Result<void>(Writer&)>&) -> Result<void> {
    return Error(Errc::io, "the disk is full");
  };
  test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
  IndexerThread thread(std::move(failing), clock_);
  thread.start();
  EXPECT_FALSE(thread.await_look({}, 20s));
  EXPECT_THAT(thread.trouble(), testing::HasSubstr("the disk is full"));
  EXPECT_FALSE(thread.await_look({}, 20s)) << "it has ended";
}

// A process has just started, and a memory was edited by hand, or its directory moved, before that.
TEST(FirstAnswers, KnowWhatStandsInTheFiles) {
  const test::TempDir home;
  const test::TempDir data;
  fs::permissions(data.path(), fs::perms::owner_all);
  const test::FakeClock clock;
  Settings settings{StoreLayout(data.path()), false, home.path(), {}, "", {}};
  settings.config.embedding.choice.provider = EmbeddingProvider::disabled;
  const fs::path place = home / ".claude/memory";
  const auto first_answer = [&](const std::string& query) {
    MemoryHost host(settings, clock);
    EXPECT_TRUE(host.start_ingest());
    mcp::ToolContext context;
    return host.tools().call("memory_search", R"({"query":")" + query + "\"}", context).text;
  };
  for (const std::string word : {"quokka", "wombat", "numbat"}) {
    test::write_file(place / "rule.md", memory_text("Rule", "The " + word + " sleeps by day."));
    EXPECT_THAT(first_answer(word), HasSubstr("memory rule")) << word;
  }
  settings.home = home / "moved";
  fs::create_directories(settings.home / ".claude");
  fs::rename(place, settings.home / ".claude/memory");
  EXPECT_THAT(first_answer("numbat"), HasSubstr("moved/.claude/memory/rule.md"));

  MemoryHost reader(settings, clock);  // as while a command holds the store
  mcp::ToolContext context;
  EXPECT_THAT(reader.tools().call("memory_search", R"({"query":"zzz"})", context).text,
              testing::StartsWith("The files of memories were not looked at now"));
}

TEST_F(MemoryIndexerTest, TheWatcherTellsOfMemories) {
  fs::create_directories(place());
  boost::asio::io_context loop{1};
  const Discovery discovery({}, home(), {}, {});
  std::set<fs::path> told;
  Watcher::Callbacks callbacks;
  callbacks.also_changed = [&](const fs::path& path) { told.insert(path); };
  callbacks.changed = [](const fs::path&) {};
  callbacks.rescan = [] {};
  const auto watcher = make_watcher(loop, discovery, callbacks);
  watcher->start();
  watcher->watch_also({place(), root_ / "not/there"});
  const auto is_told = [&](const fs::path& path) {
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    while (!told.contains(path) && std::chrono::steady_clock::now() < deadline)
      loop.run_one_until(deadline);
    return told.contains(path);
  };
  test::write_file(place() / "a.md", "x");
  EXPECT_TRUE(is_told(place() / "a.md"));
  fs::create_directories(place() / "local");
  EXPECT_TRUE(is_told(place() / "local"));
  watcher->watch_also({place(), place() / "local"});
  test::write_file(place() / "local/b.md", "x");
  EXPECT_TRUE(is_told(place() / "local/b.md"));
  watcher->stop();
  loop.restart();
  loop.run();
  EXPECT_TRUE(may_be_memory(place() / "a.md"));
  EXPECT_TRUE(may_be_memory(project() / ".cursor/rules/a.mdc"));
  EXPECT_TRUE(may_be_memory(project() / ".claude"));
  EXPECT_FALSE(may_be_memory(project() / "src"));
  EXPECT_FALSE(may_be_memory(project() / "main.cpp"));
  EXPECT_FALSE(may_be_memory(place() / ".memd-new-1.md"));
}

// Works with inotify and with polling.
TEST_F(MemoryIndexerTest, DirectoriesOfThePersonMayComeLater) {
  for (const bool only_poll : {false, true}) {
    fs::remove_all(home() / ".claude");
    IndexerThread thread(parts(), clock_);
    thread.start();
    ASSERT_TRUE(thread.settle(20s));
    boost::asio::io_context loop{1};
    const Discovery discovery({}, home(), {}, {});
    Watcher::Callbacks callbacks;
    callbacks.also_changed = [&](const fs::path& path) { thread.hint(path); };
    callbacks.also_came = [&] { thread.hint_everything(); };
    callbacks.changed = [](const fs::path&) {};
    callbacks.rescan = [] {};
    const auto watcher = make_watcher(loop, discovery, callbacks, {0, 5ms, only_poll});
    watcher->start();
    // Runs the loop as the service does, until a search finds the word.
    const auto run_until_found = [&](std::string_view word) {
      const auto deadline = std::chrono::steady_clock::now() + 20s;
      do {
        if (!thread.settle(20s)) return false;
        if (watcher->watch_also(watched_)) thread.hint_everything();
        if (!found(std::string(word)).empty()) return true;
        loop.run_one_for(10ms);
        loop.restart();
      } while (std::chrono::steady_clock::now() < deadline);
      return false;
    };
    (void)watcher->watch_also(watched_);
    EXPECT_FALSE(watcher->watch_also(watched_)) << "they are watched already";
    test::write_file(place() / "cache-rule.md", memory_text("Cache rule", "The cache is bounded."));
    EXPECT_TRUE(run_until_found("bounded")) << only_poll;
    fs::remove_all(home() / ".claude");
    test::write_file(place() / "other-rule.md", memory_text("Other rule", "The queue is unbounded."));
    EXPECT_TRUE(run_until_found("unbounded")) << only_poll;
    watcher->stop();
    loop.restart();
    loop.run();
  }
}

}  // namespace
}  // namespace memd::memories

namespace memd {
namespace {

// Search tools over a store with memories.
class MemoriesInTools : public test::ToolFixture {
 protected:
  MemoriesInTools() {
    session_ = store.session({.native_id = "aaaa1", .title = "Uploads", .project = "/home/u/app"});
    fill(session_, "upload", 4);
  }
  void remember(const std::vector<Memory>& memories, const std::string& project_key = "/home/u/app") {
    catalog::CatalogChanges changes;
    changes.places = {
        {project_key + "/.claude/memory", MemoryDialect::plugin, MemoryScope::project, project_key, "app"}};
    for (const Memory& m : memories) {
      catalog::MemoryRecord record;
      record.memory = m;
      record.memory.path = project_key + "/.claude/memory/" + m.slug + ".md";
      record.is_valid = true;
      record.files = m.provenance.files;
      changes.put.push_back(std::move(record));
    }
    sqlite::Transaction transaction(store.db());
    catalog::apply(store.db(), changes);
    transaction.commit();
  }
  static Memory memory(std::string slug, std::string title, std::string content,
                       MemoryType type = MemoryType::decision) {
    Memory m;
    m.slug = std::move(slug);
    m.title = std::move(title);
    m.type = type;
    m.content = std::move(content);
    m.tags = {"made-up"};
    m.created = m.updated = test::kNow - kMsPerDay;
    return m;
  }
  static std::vector<std::string> sources(const boost::json::object& answer) {
    std::vector<std::string> out;
    for (const auto& hit : answer.at("results").as_array())
      out.push_back(test::str(hit.at("source")));
    return out;
  }
  std::int64_t session_ = 0;
};

TEST_F(MemoriesInTools, ASearchGivesTheMemoryThatAnswersFirst) {
  remember({memory("upload-retries", "Retries of uploads", "An upload is tried three times with a pause between.")});
  auto answer = call("semantic_search", R"({"query":"how often are upload retries tried","mode":"lexical"})");
  ASSERT_EQ(sources(answer).front(), "memory");
  EXPECT_EQ(sources(answer).back(), "exchange");
  const auto& first = answer.at("results").at(0);
  EXPECT_EQ(test::str(first.at("memory").at("slug")), "upload-retries");
  EXPECT_EQ(test::str(first.at("exchange_id")), "");
  EXPECT_FALSE(first.as_object().contains("likelihood")) << "nothing estimates it";
  EXPECT_TRUE(test::has(text, "memory upload-retries  2026-02-08")) << text;
  EXPECT_TRUE(test::has(text, "memory_read(slug=\"upload-retries\")")) << text;
  // Later pages contain exchanges only.
  const auto all = pages("semantic_search", R"({"query":"upload retries","mode":"lexical","n_results":2})");
  std::size_t memories = 0;
  for (const auto& page : all)
    memories += static_cast<std::size_t>(std::ranges::count(sources(page), "memory"));
  EXPECT_EQ(memories, 1U);
}

TEST_F(MemoriesInTools, AnAnswerOfAMemoryIsNotCalledNothing) {
  remember({memory("quokka-night", "The quokka sleeps by day", "A quokka is seen at night.")});
  const auto answer = call("semantic_search", R"({"query":"when is a quokka seen at night","mode":"lexical"})");
  ASSERT_EQ(sources(answer).front(), "memory");
  EXPECT_FALSE(answer.at("nothing_relevant").as_bool());
  EXPECT_FALSE(test::has(text, "Nothing fits")) << text;
  EXPECT_TRUE(test::has(text, "No turn fits well")) << text;
}

TEST_F(MemoriesInTools, AMemoryThatSurelyAnswersIsNoWorseThanAnotherProject) {
  const auto other = store.session({.native_id = "bbbb1", .project = "/home/u/other"});
  store.exchange(other, {.user = "When is a quokka seen?", .answer = "A quokka is seen at night."});
  const auto is_said = [this] {
    return call("semantic_search", R"({"query":"when is a quokka seen at night","mode":"lexical","cwd":"/home/u/app"})")
        .contains("better_elsewhere");
  };
  EXPECT_TRUE(is_said()) << structured;
  remember({memory("quokka-night", "The quokka sleeps by day", "A quokka is seen at night.")});
  EXPECT_FALSE(is_said()) << structured;
}

TEST_F(MemoriesInTools, AScopeHoldsForMemoriesToo) {
  remember({memory("upload-retries", "Retries of uploads", "An upload is tried three times.")});
  const auto count = [this](std::string_view arguments) {
    return std::ranges::count(sources(call("semantic_search", arguments)), "memory");
  };
  EXPECT_EQ(count(R"({"query":"upload retries"})"), 1);
  EXPECT_EQ(count(R"({"query":"upload retries","cwd":"/home/u/app/src"})"), 1);
  EXPECT_EQ(count(R"({"query":"upload retries","project":"app"})"), 1);
  EXPECT_EQ(count(R"({"query":"upload retries","platform":"claude_code"})"), 0);
  EXPECT_EQ(count(R"({"query":"upload retries","session_id":"aaaa1"})"), 0);
  EXPECT_EQ(count(R"({"query":"upload retries","until":"2026-02-01"})"), 0) << "it came later";
  EXPECT_EQ(count(R"({"query":"upload retries","kind":"problem"})"), 0);
  EXPECT_EQ(count(R"({"query":"upload retries","kind":"decision"})"), 1);
  store.session({.native_id = "bbbb1", .project = "/home/u/other"});
  EXPECT_EQ(count(R"({"query":"upload retries","cwd":"/home/u/other"})"), 0);
  EXPECT_EQ(count(R"({"query":"upload retries","cwd":"/home/u/other","all_projects":true})"), 1);
}

TEST_F(MemoriesInTools, ATopicNamesItsMemories) {
  remember({memory("upload-retries", "Retries of uploads", "An upload is tried three times.")});
  auto answer = call("topic_search", R"({"topic":"upload"})");
  EXPECT_EQ(test::str(answer.at("memories").at(0).at("memory").at("slug")), "upload-retries");
  EXPECT_EQ(test::str(answer.at("memories").at(0).at("source")), "memory");
  EXPECT_TRUE(test::has(text, "memory upload-retries  decision, project")) << text;
}

TEST_F(MemoriesInTools, AResumedSessionKeepsItsCoreInMind) {
  store.exchange(session_, {.user = "And the parser?", .answer = "Changed.", .files = {"/home/u/app/src/parser.cpp"}});
  std::vector<Memory> all{memory("map", "Map of the project", "Where everything is.", MemoryType::hub),
                          memory("elsewhere", "Nothing of this", "Another matter.")};
  Memory pinned = memory("never-force", "Never force-push", "The server refuses it.");
  pinned.tags = {"pinned"};
  all.push_back(pinned);
  for (int i = 0; i < 20; ++i)
    all.push_back(
        memory("hub-" + std::to_string(i), "Hub " + std::to_string(i), std::string(300, 'x'), MemoryType::hub));
  remember(all);
  auto answer = call("resume_context", R"({"max_tokens":1000})");
  const auto& lines = answer.at("memories").as_array();
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(test::str(lines.at(0)), "[never-force] decision: Never force-push – The server refuses it.");
  std::size_t tokens = 0;
  for (const auto& line : lines) {
    tokens += estimate_tokens(test::str(line));
    EXPECT_FALSE(test::has(test::str(line), "elsewhere"));
  }
  EXPECT_LE(tokens, 150U) << "at most an eighth of the answer";
  EXPECT_TRUE(test::has(text, "Memories:")) << text;
}

TEST_F(MemoriesInTools, WithoutACatalogHistoryIsFoundAllTheSame) {
  store.db().exec("DROP TABLE docs_fts");
  store.db().exec("DROP TABLE doc_catalog");
  auto answer = call("semantic_search", R"({"query":"upload"})");
  EXPECT_EQ(sources(answer).front(), "exchange");
  EXPECT_TRUE(test::has(text, "Memories were not searched")) << text;
  (void)call("resume_context", "{}");
}

}  // namespace
}  // namespace memd
