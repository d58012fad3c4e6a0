// The catalog of memories: rows made from files, and searches over them.
#include "schemas/query.hpp"
#include "store/catalog/catalog_changes.hpp"
#include "store/catalog/memory_file_set.hpp"
#include "store/catalog/memory_search.hpp"
#include "store/files/whole_file.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace memd::catalog {
namespace {

namespace fs = std::filesystem;
using memory::MemoryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeMs kNow = 1'770'616'800'000;  // 2026-02-09T06:00:00Z

class MemoryCatalog : public testing::Test {
 protected:
  MemoryCatalog() : clock_(kNow) {
    fs::create_directories(project() / ".git");
    fs::create_directories(home());
  }

  fs::path home() const { return root_ / "home"; }
  fs::path project() const { return root_ / "home/src/app"; }
  memory::MemoryPlaces places() const { return {home(), project(), {}, {}}; }
  MemoryDirectory directory(MemoryScope scope, MemoryDialect dialect = MemoryDialect::plugin) const {
    return {places().place(scope, dialect).value(), project(), clock_};
  }
  static Memory draft(std::string title, std::string content, MemoryType type = MemoryType::decision) {
    Memory m;
    m.type = type;
    m.title = std::move(title);
    m.tags = {"test"};
    m.content = std::move(content);
    return m;
  }
  std::string write(std::string title, std::string content, MemoryScope scope = MemoryScope::project) {
    const auto made = directory(scope).create(draft(std::move(title), std::move(content)));
    EXPECT_TRUE(made) << made.error().message();
    return made ? made->memory.slug : std::string();
  }

  MemoryFileSet file_set() const {
    return MemoryFileSet({home(), {}, {}, {project()}, [this](const fs::path& path) { return path == left_out_; }});
  }
  // Updates the rows as the indexer does. Returns how many files were read.
  std::size_t update() {
    const MemoryFileSet now = file_set();
    CatalogChanges changes;
    changes.places = now.places();
    const auto seen = now.files();
    const auto known = KnownFilesQuery{}.run(store_.db());
    auto comparison = compare(seen, known);
    std::vector<SeenFile> to_read;
    for (const std::size_t i : comparison.to_read)
      to_read.push_back(seen[i]);
    changes.gone = std::move(comparison.gone);
    read_into(changes, to_read, known, clock_.now());
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < now.places().size(); ++i)
      all.insert(i);
    read_graphs(changes, now, all, KnownGraphsQuery{}.run(store_.db()));
    if (!changes.empty()) {
      sqlite::Transaction transaction(store_.db());
      apply(store_.db(), changes);
      transaction.commit();
    }
    return changes.put.size();
  }
  MemorySearchAnswer search(std::string text, MemoryFilter filter = {}) {
    MemorySearch question;
    question.asked = search::parse_query(text, kNow);
    question.filter = std::move(filter);
    question.now = kNow;
    auto answer = reader_.ask(question);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? *std::move(answer) : MemorySearchAnswer();
  }
  static std::vector<std::string> slugs(const MemorySearchAnswer& answer) {
    std::vector<std::string> out;
    for (const MemoryHit& hit : answer.hits)
      out.push_back(hit.slug);
    return out;
  }
  static std::string first(const MemorySearchAnswer& answer) {
    return answer.hits.empty()
               ? "nothing of " + std::to_string(answer.docs) + ", " + std::string(to_string(answer.state))
               : answer.hits.front().slug;
  }
  // Returns the catalog's rows as text, by path.
  std::map<std::string, std::string> rows() {
    std::map<std::string, std::string> out;
    auto& q = store_.db().prepare("SELECT path, file_hash, slug, title, tags, content FROM docs");
    for (q.bind(); q.step();)
      out[q.str(0)] = q.str(1) + "|" + q.str(2) + "|" + q.str(3) + "|" + q.str(4) + "|" + q.str(5);
    q.reset();
    return out;
  }
  std::set<std::string> edges() {
    std::set<std::string> out;
    auto& q = store_.db().prepare("SELECT source, label, target FROM doc_edges");
    for (q.bind(); q.step();)
      out.insert(q.str(0) + " " + q.str(1) + " " + q.str(2));
    q.reset();
    return out;
  }

  test::TempDir root_;
  test::FakeClock clock_;
  test::StoreFixture store_;
  Reader reader_{store_.file()};
  fs::path left_out_;
};

TEST_F(MemoryCatalog, FindsByWordsAndByMeaning) {
  write("Use WAL for the store", "Readers do not wait for the writer when SQLite keeps a write-ahead log.\n");
  write("Retries of the payment webhook", "Three attempts with exponential backoff, then the queue of dead letters.\n");
  write("Colour of the button", "It is blue, because the customer wants it so.\n", MemoryScope::global);
  update();
  EXPECT_EQ(first(search("write-ahead log")), "decision-use-wal-for-the-store");
  const auto meant = search("how often is a failed payment tried again?");
  ASSERT_FALSE(meant.hits.empty());
  EXPECT_EQ(meant.hits.front().slug, "decision-retries-of-the-payment-webhook");
  const auto hit = search("customer wants blue").hits.at(0);
  EXPECT_EQ(hit.scope, MemoryScope::global);
  EXPECT_EQ(hit.confidence, Confidence::high);
  EXPECT_EQ(hit.project, "");
  EXPECT_THAT(hit.snippet, HasSubstr("is blue,"));
  EXPECT_THAT(hit.tags, ElementsAre("test"));
  EXPECT_EQ(hit.anchor, "colour-of-the-button");
  EXPECT_TRUE(search("zeppelin mooring mast").nothing_relevant);
}

TEST_F(MemoryCatalog, WordsOfTheHistoryAreAsTheyWereMeant) {
  write("Branch of releases", "A release is cut from its own branch.\n");
  update();
  MemorySearch slip;
  slip.asked = search::parse_query("brunch");
  slip.mode = SearchMode::lexical;
  EXPECT_THAT(slugs(reader_.ask(slip).value()), ElementsAre("decision-branch-of-releases")) << "a slip of the fingers";
  const auto session = store_.session({.native_id = "aaaa1"});
  store_.exchange(session, {.user = "where do we have brunch on Sunday?", .answer = "At the harbour."});
  EXPECT_THAT(reader_.ask(slip).value().hits, IsEmpty());
}

TEST_F(MemoryCatalog, KeepsToItsFilters) {
  write("Cache is bounded", "The cache evicts the oldest entries.\n");
  clock_.advance(kMsPerDay);
  ASSERT_TRUE(directory(MemoryScope::global).create(draft("Cache of the proxy", "A cache.\n", MemoryType::gotcha)));
  test::write_file(project() / "CLAUDE.md", "# Rules\n\nThe cache is never cleared by hand.\n");
  update();
  EXPECT_EQ(search("cache").hits.size(), 3U);
  MemoryFilter filter;
  filter.types = {MemoryType::gotcha};
  EXPECT_THAT(slugs(search("cache", filter)), ElementsAre("gotcha-cache-of-the-proxy"));
  filter = {};
  filter.include_agent_files = false;
  filter.project = "other";
  EXPECT_THAT(slugs(search("cache", filter)), ElementsAre("gotcha-cache-of-the-proxy"));
  filter.project = project_tree(project().native());
  EXPECT_EQ(search("cache", filter).hits.size(), 2U);
  filter.project = project_tree((project() / "deep/below").native());
  EXPECT_EQ(search("cache", filter).hits.size(), 2U) << "of a directory above, too";
  filter.scopes = {MemoryScope::project};
  EXPECT_THAT(slugs(search("cache", filter)), ElementsAre("decision-cache-is-bounded"));
  filter = {};
  filter.tags = {"nothing"};
  EXPECT_THAT(search("cache", filter).hits, IsEmpty());
  filter = {};
  filter.scopes = {MemoryScope::project, MemoryScope::global};
  filter.include_agent_files = false;
  filter.as_of = kNow + 1000;
  EXPECT_THAT(slugs(search("cache", filter)), ElementsAre("decision-cache-is-bounded")) << "the other came later";
  EXPECT_THAT(slugs(search("", filter)), ElementsAre("decision-cache-is-bounded")) << "without words: the newest";
  EXPECT_THAT(search("cache tool:Bash").hits, IsEmpty());
}

TEST_F(MemoryCatalog, WhatIsSupersededComesBehind) {
  const auto old_one = write("Deploy by hand", "Deploy the release with the script on the server.\n");
  const auto new_one = write("Deploy by pipeline", "Deploy the release with the pipeline.\n");
  update();
  EXPECT_EQ(first(search("deploy release script")), old_one);
  clock_.advance(kMsPerDay);
  ASSERT_TRUE(directory(MemoryScope::project).link(new_one, old_one, "supersedes").value());
  EXPECT_EQ(update(), 2U);
  const auto found = search("deploy release script");
  ASSERT_EQ(found.hits.size(), 2U);
  EXPECT_THAT(slugs(found), ElementsAre(new_one, old_one));
  EXPECT_EQ(found.hits[1].superseded_by, new_one);
  MemoryFilter before;
  before.as_of = kNow + 1000;
  EXPECT_EQ(first(search("deploy release script", before)), old_one) << "it held then";
  EXPECT_TRUE(search("deploy release script", before).hits.at(0).changed_since) << "the link is in its file";
  MemoryFilter holding;
  holding.include_superseded = false;
  EXPECT_THAT(slugs(search("deploy release script", holding)), ElementsAre(new_one));
  ASSERT_TRUE(directory(MemoryScope::project).unlink(new_one, old_one, std::nullopt).value());
  update();
  EXPECT_EQ(first(search("deploy release script")), old_one);
}

TEST_F(MemoryCatalog, RelationsOfRepositoriesAreEdges) {
  Memory first = draft("Old tests", "Tests run by hand.\n", MemoryType::fact);
  first.dialect = MemoryDialect::repository;
  const auto repository = [this] { return directory(MemoryScope::project, MemoryDialect::repository); };
  const auto made = repository().create(first);
  ASSERT_TRUE(made) << made.error().message();
  Memory second = draft("New tests", "Tests run in the pipeline.\n", MemoryType::fact);
  second.dialect = MemoryDialect::repository;
  second.relations = {{"supersedes", made->memory.slug}, {"refers_to", "fact.nothing"}};
  const auto next = repository().create(second);
  ASSERT_TRUE(next) << next.error().message();
  update();
  EXPECT_THAT(edges(), ElementsAre(next->memory.slug + " refers_to fact.nothing",
                                   next->memory.slug + " supersedes " + made->memory.slug));
  EXPECT_EQ(search("tests run").hits.back().superseded_by, next->memory.slug);
  fs::remove(next->memory.path);
  update();
  EXPECT_THAT(edges(), IsEmpty());
  EXPECT_EQ(search("tests run").hits.at(0).superseded_by, "");
}

TEST_F(MemoryCatalog, ReadsOnlyWhatChanged) {
  write("One", "First text.\n");
  const auto slug = write("Two", "Second text.\n");
  EXPECT_EQ(update(), 2U);
  EXPECT_EQ(update(), 0U);
  const fs::path file = project() / ".claude/memory" / (slug + ".md");
  // A new file with the same bytes is read, and no row is written.
  const std::string bytes = files::read_whole(file).value();
  fs::remove(file);
  test::write_file(file, bytes);
  const auto generation = reader_.ask(CatalogStatusQuery{})->generation;
  EXPECT_EQ(update(), 0U);
  std::string changed = bytes;
  changed.replace(changed.find("Second"), 6, "Third!");
  test::write_file(file, changed);
  EXPECT_EQ(update(), 1U);
  EXPECT_GT(reader_.ask(CatalogStatusQuery{})->generation, generation);
  EXPECT_EQ(search("third").hits.at(0).slug, slug);
}

TEST_F(MemoryCatalog, MasksSecretsAndLeavesOut) {
  const std::string secret = "ghp_" + std::string("A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
  test::write_file(project() / "AGENTS.md", "# Keys\n\nThe token is " + secret + " for the runner.\n");
  test::write_file(home() / ".codex/AGENTS.md", "Private: <private>the runner of my uncle</private> stays.\n");
  update();
  for (const auto& [path, row] : rows()) {
    EXPECT_EQ(row.find(secret), std::string::npos) << path;
    EXPECT_EQ(row.find("uncle"), std::string::npos) << path;
  }
  EXPECT_EQ(rows().size(), 2U);
  left_out_ = project();
  update();
  EXPECT_EQ(rows().size(), 1U) << "an excluded project";
}

TEST_F(MemoryCatalog, DoesNotFollowLinksOutOfTheProject) {
  test::write_file(root_ / "elsewhere/secret.md", "What nobody should read.\n");
  test::write_file(root_ / "elsewhere/memory/private-plan.md",
                   "---\ntype: decision\ntags: [plan]\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: "
                   "\"2026-01-10T10:00:00Z\"\nlinks: []\n---\n\n# Private plan\n\nElsewhere.\n");
  fs::create_symlink(root_ / "elsewhere/secret.md", project() / "CLAUDE.md");
  test::write_file(project() / "AGENTS.md", "Inside.\n");
  fs::create_symlink("AGENTS.md", project() / "GEMINI.md");
  fs::create_directory_symlink(root_ / "elsewhere", project() / ".claude");
  update();
  EXPECT_EQ(rows().size(), 2U) << "AGENTS.md, and GEMINI.md, which leads to it";
  EXPECT_EQ(search("inside").hits.size(), 1U) << "the same text once";
}

TEST_F(MemoryCatalog, KnowsFilesThatAreNamed) {
  const auto slug = write("Store opens late", "See `src/store.cpp:12` and `docs/read.md`.\n");
  write("Nothing named", "No file.\n");
  update();
  MemoriesOfFiles question{{(project() / "src/store.cpp").native(), "/x/other.cpp"}, {}, 10};
  auto found = reader_.ask(question);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->at(0).slug, slug);
  question.files = {(project() / "lib/store.cpp").native()};
  EXPECT_THAT(reader_.ask(question).value(), IsEmpty()) << "another file of this name";
  EXPECT_EQ(reader_.ask(MemoriesOfSlug{slug})->at(0).title, "Store opens late");
}

TEST_F(MemoryCatalog, IsWhatTheFilesAreAfterRandomOperations) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::vector<std::string> made;
  for (int round = 0; round < 12; ++round) {
    clock_.advance(1000);
    for (std::size_t steps = 1 + pick(4); steps > 0; --steps) {
      auto dir = directory(MemoryScope::project);
      const std::string one = made.empty() ? "" : made[pick(made.size())];
      const std::string other = made.empty() ? "" : made[pick(made.size())];
      switch (pick(6)) {
        case 0:
        case 1:
          made.push_back(write("Note " + std::to_string(made.size()), "Text " + std::to_string(round) + ".\n"));
          break;
        case 2: (void)dir.link(one, other, pick(2) == 0 ? "supersedes" : "relates-to"); break;
        case 3: (void)dir.remove(one); break;
        case 4: (void)dir.undo(one); break;
        default:  // edited by hand
          if (const fs::path file = project() / ".claude/memory" / (one + ".md"); fs::exists(file))
            test::append_file(file, "By hand " + std::to_string(round) + ".\n");
      }
    }
    update();
    const auto after_changes = rows();
    const auto edges_after_changes = edges();
    std::map<std::string, std::string> expected;
    for (const auto& read : memory::read_everywhere(places(), clock_.now()))
      expected[read.memory.path.native()] = read.memory.file_hash;
    ASSERT_EQ(after_changes.size(), expected.size());
    for (const auto& [path, hash] : expected)
      ASSERT_THAT(after_changes.at(path), testing::StartsWith(hash + "|")) << path;
    // A rebuilt catalog has the same rows.
    sqlite::Transaction transaction(store_.db());
    begin_rebuild(store_.db(), "test", clock_.now());
    end_rebuild(store_.db(), clock_.now(), 0);
    transaction.commit();
    update();
    ASSERT_EQ(rows(), after_changes);
    ASSERT_EQ(edges(), edges_after_changes);
    ASSERT_EQ(damage_of(store_.db(), true), "");
  }
  EXPECT_FALSE(made.empty());
}

TEST_F(MemoryCatalog, DamageIsFoundAndMended) {
  write("Cache is bounded", "The cache evicts the oldest entries.\n");
  update();
  ASSERT_EQ(search("cache").hits.size(), 1U);
  for (const char* damage : {"DROP TABLE docs", "DROP TABLE docs_fts", "DROP TABLE doc_catalog",
                             "DROP TABLE doc_vectors", "DROP TRIGGER docs_added", "DELETE FROM doc_catalog",
                             "DROP TABLE docs_fts_config", "DROP TABLE docs_fts_data", "DELETE FROM docs_fts_data",
                             "UPDATE docs SET content = 'other'", "ALTER TABLE doc_edges DROP COLUMN created"}) {
    {
      sqlite::Database db = sqlite::Database::open(store_.file(), sqlite::OpenMode::read_write);
      if (std::string_view(damage).starts_with("UPDATE")) db.exec("DROP TRIGGER docs_changed");
      db.exec(damage);
    }
    EXPECT_NE(damage_of(store_.db(), true), "") << damage;
    (void)search("cache");  // must not fail
    note_damage(store_.db(), damage);
    EXPECT_EQ(search("cache").state, CatalogState::corrupted) << damage;
    {
      sqlite::Transaction transaction(store_.db());
      begin_rebuild(store_.db(), damage, clock_.now());
      transaction.commit();
    }
    EXPECT_EQ(search("cache").state, CatalogState::rebuilding) << damage;
    update();
    end_rebuild(store_.db(), clock_.now(), 1);
    EXPECT_EQ(damage_of(store_.db(), true), "") << damage;
    EXPECT_EQ(search("cache").state, CatalogState::valid) << damage;
    EXPECT_EQ(search("cache").hits.size(), 1U) << damage;
    EXPECT_EQ(reader_.ask(CatalogStatusQuery{})->reason, damage);
  }
}

TEST_F(MemoryCatalog, ForgetsProjectsThatTheStoreForgot) {
  store_.session({.native_id = "a", .project = project().native()});
  write("Of the project", "Text of the project.\n");
  write("Of the person", "Text of the person.\n", MemoryScope::global);
  update();
  forget_unknown_projects(store_.db());
  EXPECT_EQ(search("text").hits.size(), 2U);
  store_.db().exec("UPDATE projects SET identity_key = '/gone'");
  forget_unknown_projects(store_.db());
  EXPECT_THAT(slugs(search("text")), ElementsAre("decision-of-the-person"));
  EXPECT_EQ(damage_of(store_.db(), true), "");
}

TEST_F(MemoryCatalog, ProjectsAreRepositoriesThatSessionsWorkedIn) {
  fs::create_directories(project() / "src/deep");
  fs::create_directories(home() / "plain");
  EXPECT_THAT(project_roots({(project() / "src/deep").native(), project().native() + "/", home().native(),
                             (home() / "plain").native(), (home() / "gone").native(), "/"},
                            home()),
              ElementsAre(home() / "plain", project()));
}

}  // namespace
}  // namespace memd::catalog
