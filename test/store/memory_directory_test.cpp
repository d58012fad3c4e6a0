#include "store/memory/memory_directory.hpp"
#include "store/files/whole_file.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/memory/embedding_cache.hpp"
#include "store/memory/memory_graph.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/memory_invariants.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <thread>

namespace memd::memory {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const fs::path& file) { return files::read_whole(file).value(); }

class MemoryDirectoryTest : public testing::Test {
 protected:
  MemoryDirectory directory_at(MemoryScope scope, MemoryDialect dialect = MemoryDialect::plugin) const {
    return {places_.place(scope, dialect).value(), project_.path(), clock_};
  }
  static Memory draft(std::string title, std::string content = "Text.\n") {
    Memory m;
    m.type = MemoryType::learning;
    m.title = std::move(title);
    m.tags = {"test"};
    m.content = std::move(content);
    return m;
  }

  test::FakeClock clock_;
  test::TempDir home_;
  test::TempDir project_;
  MemoryPlaces places_{home_.path(), project_.path(), {}, {}};
  MemoryDirectory directory_ = directory_at(MemoryScope::global);
};

TEST_F(MemoryDirectoryTest, IsBornLivesAndComesBack) {
  const auto made = directory_.create(draft("First one"));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->memory.slug, "learning-first-one");
  const fs::path file = made->memory.path;
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(file.parent_path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(directory_.create(draft("First one"))->memory.slug, "learning-first-one-2");
  ASSERT_TRUE(directory_.link("learning-first-one", "learning-first-one-2", "implements").value());
  EXPECT_FALSE(directory_.link("learning-first-one-2", "learning-first-one", "implemented-by").value());
  test::expect_memory_invariants(directory_);

  clock_.advance(1000);
  const EmbeddingCache cache(files::ScopeRoot(home_.path() / ".claude/memory"));
  ASSERT_TRUE(cache.put("learning-first-one", "m", made->memory.content, {1, 2}, clock_.now()));
  MemoryChange change;
  change.content = "\n# First one\n\nMore.\n";
  ASSERT_TRUE(directory_.update("learning-first-one", change, directory_.read("learning-first-one")->memory.file_hash));
  EXPECT_EQ(directory_.read("learning-first-one")->memory.updated, clock_.now());
  EXPECT_TRUE(cache.slugs().empty());
  test::expect_memory_invariants(directory_);

  const std::string before = text_of(file);
  ASSERT_TRUE(directory_.remove("learning-first-one"));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_TRUE(directory_.read("learning-first-one-2")->memory.links.empty());
  test::expect_memory_invariants(directory_);
  ASSERT_TRUE(directory_.undo());
  EXPECT_EQ(text_of(file), before);
  EXPECT_THAT(directory_.read("learning-first-one-2")->memory.links, ElementsAre("learning-first-one"));
  test::expect_memory_invariants(directory_);
  EXPECT_FALSE(directory_.undo());
  ASSERT_TRUE(directory_.unlink("learning-first-one", "learning-first-one-2", std::nullopt).value());
  test::expect_memory_invariants(directory_);
}

TEST_F(MemoryDirectoryTest, WhatKilledWritersLeftGoesWithTheNextWrite) {
  const fs::path place = home_.path() / ".claude/memory";
  const std::string of_dead = ".memd-new-" + std::to_string(test::dead_process()) + "-1";
  const std::vector<fs::path> left{place / of_dead, place / ".trash" / of_dead, place / ".embedding-cache" / of_dead};
  for (const fs::path& file : left)
    test::write_file(file, "half a mem");
  ASSERT_TRUE(directory_.create(draft("First one")));
  for (const fs::path& file : left)
    EXPECT_FALSE(fs::exists(file)) << file;
}

TEST_F(MemoryDirectoryTest, AnEditByHandWinsAndNothingIsLost) {
  const auto made = directory_.create(draft("One"));
  const std::string hash = made->memory.file_hash;
  const std::string by_hand = text_of(made->memory.path) + "by hand\n";
  test::write_file(made->memory.path, by_hand);
  MemoryChange change;
  change.content = "mine\n";
  change.title = "One";
  const auto updated = directory_.update(made->memory.slug, change, hash);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, make_error_code(Errc::busy));
  EXPECT_THAT(updated.error().context, HasSubstr(sha256_hex(by_hand).substr(0, 12)));
  EXPECT_EQ(text_of(made->memory.path), by_hand);
  const auto copies = conflict_copies_in(directory_.place());
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_THAT(text_of(copies[0]), HasSubstr("mine"));
}

TEST_F(MemoryDirectoryTest, RefusesWhatBreaksARuleAndSaysWhich) {
  const auto refusal = [&](Memory m) {
    const auto made = directory_.create(std::move(m));
    return made ? std::string() : made.error().context;
  };
  Memory no_tags = draft("T");
  no_tags.tags.clear();
  EXPECT_EQ(refusal(no_tags), "tags: is empty: name at least one");
  EXPECT_THAT(refusal(draft(std::string(201, 'x'))), HasSubstr("may have 200"));
  Memory fact = draft("T");
  fact.type = MemoryType::fact;
  EXPECT_THAT(refusal(fact), HasSubstr("decision, learning"));
  Memory slug = draft("T");
  slug.slug = "../x";
  EXPECT_THAT(refusal(slug), HasSubstr("slug"));
  ASSERT_TRUE(directory_.create(draft("A")));
  EXPECT_FALSE(directory_.link("learning-a", "learning-a", "relates-to"));
  EXPECT_FALSE(directory_.link("learning-a", "learning-gone", "relates-to"));
  EXPECT_FALSE(directory_.link("../a", "learning-a", "relates-to"));
}

TEST_F(MemoryDirectoryTest, SecretsDoNotGetIn) {
  const auto made =
      directory_.create(draft("Key", "token ghp_" + std::string("016C7C2sF4bT8e1kQmZx9LwPdR3vYhJ5aNuG") + "\n"));
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->masked);
  EXPECT_THAT(text_of(made->memory.path), HasSubstr("[redacted:"));
  EXPECT_FALSE(directory_.create(draft("None"))->masked);
}

TEST_F(MemoryDirectoryTest, IndexAndGraphAreMadeAnewFromTheFiles) {
  for (const char* title : {"A", "B", "C"})
    ASSERT_TRUE(directory_.create(draft(title)));
  ASSERT_TRUE(directory_.link("learning-a", "learning-b", "builds-on"));
  const fs::path index = directory_.place().directory / "index.json";
  for (const std::string damage : {"", "{", "{\"version\":\"1.0.0\",\"lastUpdated\":\"\",\"memories\":{}}"}) {
    test::write_file(index, damage);
    EXPECT_EQ(directory_.check(), MemoryDirectory::IndexState::corrupted);
    ASSERT_TRUE(directory_.rebuild().value());
    test::expect_memory_invariants(directory_);
    test::write_file(index, damage);
    ASSERT_TRUE(directory_.create(draft("D" + std::to_string(damage.size()))));
    test::expect_memory_invariants(directory_);
  }
  EXPECT_FALSE(directory_.rebuild().value()) << "nothing to do";
  fs::remove(directory_.place().directory / "learning-c.md");
  EXPECT_EQ(directory_.check(), MemoryDirectory::IndexState::corrupted);
  ASSERT_TRUE(directory_.rebuild().value());
  test::write_file(directory_.root().directory() / "graph.json", "{\"learning-a\": oops");
  ASSERT_TRUE(directory_.rebuild().value());
  test::expect_memory_invariants(directory_);
  EXPECT_TRUE(MemoryGraph::load(directory_.root())->has("learning-a", "learning-b"));
}

TEST_F(MemoryDirectoryTest, TheEdgesOfAnUnreadFileStay) {
  const fs::path file = directory_.create(draft("One"))->memory.path;
  ASSERT_TRUE(directory_.create(draft("Two")));
  ASSERT_TRUE(directory_.link("learning-one", "learning-two", "implements").value());
  const auto edges = [&] { return MemoryGraph::load(directory_.root())->edges_of("learning-one"); };
  const auto before = edges();
  ASSERT_EQ(before.size(), 1U);
  const fs::path kept = project_ / "kept.md";
  fs::rename(file, kept);
  fs::create_symlink(kept, file);  // leads out of the scope
  if (const auto done = directory_.rebuild(); !done) FAIL() << done.error().message();
  ASSERT_EQ(edges().size(), 1U);
  EXPECT_EQ(edges()[0].label, before[0].label);
  fs::remove(file);
  fs::rename(kept, file);
  if (const auto done = directory_.rebuild(); !done) FAIL() << done.error().message();
  test::expect_memory_invariants(directory_);
}

TEST_F(MemoryDirectoryTest, RepositoryDialectHasAManifest) {
  auto docs = directory_at(MemoryScope::project, MemoryDialect::repository);
  for (const char* title : {"Testing", "Old testing"}) {
    Memory m = draft(title);
    m.type = MemoryType::fact;
    const auto made = docs.create(m);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(made->memory.path.parent_path(), project_.path() / ".thunderus/memory/FACTS");
  }
  const auto manifest = [&] { return text_of(project_.path() / ".thunderus/memory/indexes/manifest.json"); };
  EXPECT_THAT(manifest(), HasSubstr(".thunderus/memory/FACTS/old-testing.md"));
  ASSERT_TRUE(docs.link("fact.testing", "fact.old-testing", "supersedes").value());
  EXPECT_THAT(docs.read("fact.testing")->memory.relations,
              ElementsAre(MemoryRelation{"supersedes", "fact.old-testing"}));
  EXPECT_FALSE(docs.link("fact.testing", "fact.old-testing", "likes"));
  ASSERT_TRUE(docs.unlink("fact.testing", "fact.old-testing", std::nullopt).value());
  ASSERT_TRUE(docs.remove("fact.testing"));
  EXPECT_THAT(manifest(), testing::Not(HasSubstr("fact.testing")));
  ASSERT_TRUE(docs.undo("fact.testing"));
  EXPECT_THAT(manifest(), HasSubstr("\"fact.testing\""));
}

// The documents' globs: CORE.md, FACTS/*.md, ADR-*.md, PLAYBOOKS/*.md.
TEST_F(MemoryDirectoryTest, RepositoryDialectHasTheNamesOfThunderus) {
  auto docs = directory_at(MemoryScope::project, MemoryDialect::repository);
  const fs::path root = project_.path() / ".thunderus/memory";
  const auto written = [&](MemoryType type, const char* title) {
    Memory m = draft(title);
    m.type = type;
    const auto made = docs.create(m);
    EXPECT_TRUE(made) << made.error().message();
    return made ? made->memory.path.lexically_relative(root).string() : "";
  };
  EXPECT_EQ(written(MemoryType::core, "Rules"), "CORE.md");
  EXPECT_EQ(written(MemoryType::core, "Rules"), "CORE/rules-2.md");
  EXPECT_EQ(written(MemoryType::fact, "Testing"), "FACTS/testing.md");
  EXPECT_EQ(written(MemoryType::adr, "Use WAL"), "ADR-use-wal.md");
  EXPECT_EQ(written(MemoryType::playbook, "Release"), "PLAYBOOKS/release.md");
  EXPECT_EQ(docs.read("adr.use-wal")->memory.title, "Use WAL");
}

TEST_F(MemoryDirectoryTest, RepositoryDialectKeepsTheFoldersThatAreThere) {
  auto docs = directory_at(MemoryScope::project, MemoryDialect::repository);
  const fs::path root = project_.path() / ".thunderus/memory";
  for (const char* folder : {"semantic/FACTS", "adr"})
    fs::create_directories(root / folder);
  Memory m = draft("Testing");
  m.type = MemoryType::fact;
  EXPECT_EQ(docs.create(m)->memory.path, root / "semantic/FACTS/testing.md");
  m.type = MemoryType::adr;
  EXPECT_EQ(docs.create(m)->memory.path, root / "adr/testing.md");
}

TEST_F(MemoryDirectoryTest, WhatIsOfThisMachineStaysOutOfTheRepository) {
  auto local = directory_at(MemoryScope::local);
  auto shared = directory_at(MemoryScope::project);
  ASSERT_TRUE(local.create(draft("Mine")));
  ASSERT_TRUE(shared.create(draft("Ours")));
  EXPECT_EQ(text_of(local.place().directory / ".gitignore"), "*\n");
  EXPECT_THAT(text_of(shared.place().directory / ".gitignore"), HasSubstr("local/\n"));
  fs::remove(shared.place().directory / ".gitignore");
  ASSERT_TRUE(shared.create(draft("Ours too")));
  EXPECT_FALSE(fs::exists(shared.place().directory / ".gitignore")) << "a person took it away";
}

TEST_F(MemoryDirectoryTest, AVectorIsOfOneModelAndOneContent) {
  const EmbeddingCache cache(files::ScopeRoot(home_.path()));
  ASSERT_TRUE(cache.put("a", "m1", "text", {0.5F}, 1));
  EXPECT_TRUE(cache.find("a", "m1", "text"));
  EXPECT_FALSE(cache.find("a", "m2", "text"));
  EXPECT_FALSE(cache.find("a", "m1", "other text"));
  ASSERT_TRUE(cache.put("gone", "m1", "text", {0.5F}, 1));
  EXPECT_EQ(cache.clean({"a"}, "m1"), 1);
  EXPECT_EQ(cache.clean({"a"}, "m2"), 1);
  EXPECT_TRUE(cache.slugs().empty());
}

// Two writers, and a user whose editor saves by renaming. At the end the user's last text and every text that was
// reported as written exist: in the file, beside it, or in the trash. MEMD_SEEDS sets the number of runs.
TEST_F(MemoryDirectoryTest, TwoWritersAndAnEditorLoseNothing) {
  const char* set = std::getenv("MEMD_SEEDS");
  const unsigned seeds = set != nullptr ? static_cast<unsigned>(std::atoi(set)) : 2;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const test::TempDir home;
    const MemoryPlaces places{home.path(), {}, {}, {}};
    const MemoryPlace place = places.place(MemoryScope::global, MemoryDialect::plugin).value();
    std::array<std::set<std::string>, 3> words;  // the words that each of them has stored for certain
    const auto writer = [&](unsigned who) {
      std::mt19937 random(seed * 10 + who);
      MemoryDirectory directory(place, {}, clock_);
      const auto slug = [&] { return "learning-m" + std::to_string(random() % 6); };
      for (int i = 0; i < 50; ++i) {
        const std::string word = "word" + std::to_string(who) + "x" + std::to_string(i) + "x";
        switch (random() % 9) {
          case 0: {
            Memory m = draft("M", word + "\n");
            m.slug = slug();
            if (directory.create(m)) words[who].insert(word);
            break;
          }
          case 5:
          case 6:
          case 7:
          case 8: {
            const std::string name = slug();
            const auto read = directory.read(name);
            if (!read || !read->is_valid()) break;
            MemoryChange change;
            change.content = read->memory.content + word + "\n";
            const auto done = directory.update(name, change, read->memory.file_hash);
            if (done || done.error().is(Errc::busy)) words[who].insert(word);
            break;
          }
          case 1: (void)directory.remove(slug()); break;
          case 2: (void)directory.undo(); break;
          case 3: (void)directory.link(slug(), slug(), random() % 2 == 0 ? "implements" : "blocks"); break;
          default: (void)directory.unlink(slug(), slug(), std::nullopt); break;
        }
      }
    };
    for (int i = 0; i < 6; ++i) {
      Memory m = draft("M");
      m.slug = "learning-m" + std::to_string(i);
      ASSERT_TRUE(MemoryDirectory(place, {}, clock_).create(m));
    }
    const auto person = [&] {
      std::mt19937 random(seed);
      for (int i = 0; i < 50; ++i) {
        const fs::path file = place.directory / ("learning-m" + std::to_string(random() % 6) + ".md");
        const auto bytes = files::read_whole(file);
        if (!bytes) continue;
        const std::string word = "byhand" + std::to_string(i) + "x";
        if (const auto other = files::replace_whole(file, *bytes, *bytes + word + "\n", files::OnDisk::later);
            other && !*other)
          words[2].insert(word);
      }
    };
    std::thread one([&] { writer(0); });
    std::thread two([&] { writer(1); });
    std::thread three(person);
    for (std::thread* t : {&one, &two, &three})
      t->join();
    MemoryDirectory directory(place, {}, clock_);
    ASSERT_TRUE(directory.rebuild());
    test::expect_memory_invariants(directory);
    std::string everything;
    for (const auto& entry : fs::recursive_directory_iterator(place.directory))
      if (entry.path().extension() == ".md") everything += text_of(entry.path());
    std::size_t sure = 0;
    for (const auto& some : words)
      for (const std::string& word : some) {
        ++sure;
        EXPECT_NE(everything.find(word), std::string::npos) << word << " is lost, seed " << seed;
      }
    EXPECT_GT(sure, 20U);
  }
}

}  // namespace
}  // namespace memd::memory
