#include "adapters/tool_calls/recorded_edits.hpp"
#include "daemon/ingest/source_file.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/golden_case.hpp"
#include "test/adapters/snapshot_follower.hpp"
#include "test/adapters/written_database.hpp"
#include "test/support/golden_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// Decodes the databases of agents that descriptions read. A case is a folder test/golden/<platform>/<case> with
// input.sql, which writes the database; database.txt, its place below the home directory; and events.json.
namespace memd {
namespace {

namespace fs = std::filesystem;

struct DatabaseCase {
  const Adapter* adapter = nullptr;
  fs::path folder;
  std::string place;
};

std::vector<DatabaseCase> database_cases() {
  std::vector<DatabaseCase> cases;
  for (const Adapter* adapter : all_adapters()) {
    const fs::path folder = test::golden_folder(*adapter);
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / "database.txt"))
        cases.push_back({adapter, entry.path(), test::first_line(entry.path() / "database.txt")});
  }
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

// The statements of input.sql, one a line.
std::vector<std::string> statements(const DatabaseCase& c) {
  std::vector<std::string> out;
  const std::string sql = test::bytes_of(c.folder / "input.sql");
  for (std::size_t at = 0; at < sql.size();) {
    const auto end = std::min(sql.find(";\n", at), sql.size());
    out.push_back(sql.substr(at, end - at));
    at = std::min(end + 2, sql.size());
  }
  return out;
}

// A home directory with the database, open for writing.
class DatabaseHome {
 public:
  explicit DatabaseHome(const DatabaseCase& c) : path_(home_.path() / c.place) {
    fs::create_directories(path_.parent_path());
    writer_ = std::make_unique<test::WrittenDatabase>(path_.string());
    writer_->run("PRAGMA journal_mode = WAL");
    for (const auto& root : c.adapter->roots({home_.path(), {}}))
      if (path_.native().starts_with(root.native() + "/"))
        if (auto candidate = c.adapter->classify(root, path_)) candidate_ = std::move(*candidate);
  }

  test::WrittenDatabase& writer() { return *writer_; }
  const SourceCandidate& candidate() const { return candidate_; }
  const fs::path& path() const { return home_.path(); }

 private:
  test::TempDir home_;
  fs::path path_;
  std::unique_ptr<test::WrittenDatabase> writer_;
  SourceCandidate candidate_;
};

// The temporary home directory appears as /home/ada.
std::string at_home(std::string text, const fs::path& home) {
  for (std::size_t at = 0; (at = text.find(home.native(), at)) != std::string::npos;)
    text.replace(at, home.native().size(), test::kGoldenHome);
  return text;
}

TEST(DatabaseGolden, EveryCaseDecodesAsWritten) {
  const DiskView files;
  for (const auto& c : database_cases()) {
    SCOPED_TRACE(c.folder);
    DatabaseHome home(c);
    for (const auto& sql : statements(c))
      home.writer().run(sql);
    ASSERT_FALSE(home.candidate().path.empty()) << "classify() takes " << c.place << " for no source";
    const auto snapshot = test::decode_snapshot(*c.adapter, home.candidate(), files);
    EXPECT_EQ(snapshot.item_bytes + test::bytes_of(snapshot.plan.rest), snapshot.plan.size);
    std::string got;
    for (const auto& [uid, session] : snapshot.sessions)
      got.append(test::batch_json(session.batch));
    EventBatch others;
    for (const auto& line : snapshot.plan.rest)
      if (line.records != 0) others.cover(line.record_type, line.disposition, line.reason, line.bytes, line.records);
    test::expect_golden(c.folder / "events.json", at_home(got + test::batch_json(others), home.path()));
  }
}

// Goose begins a deleted database with equal ids of sessions: a key must not mean another row then.
TEST(DatabaseGolden, GoosesUsageIsNotKnownByItsPlace) {
  const DiskView files;
  for (const auto& c : database_cases()) {
    if (c.adapter->platform() != Platform::goose) continue;
    DatabaseHome home(c);
    for (const auto& sql : statements(c))
      home.writer().run(sql);
    const auto before = test::decode_snapshot(*c.adapter, home.candidate(), files);
    home.writer().run("UPDATE usage_ledger SET id = id + 100");
    const auto after = test::decode_snapshot(*c.adapter, home.candidate(), files);
    const auto& keys = after.sessions.at("goose:20260301_1").keys;
    EXPECT_NE(before.sessions.at("goose:20260301_1").keys, keys);
  }
}

// The stored text of each event can be read again from its item.
TEST(DatabaseGolden, EventTextFindsEveryEventAgain) {
  const DiskView files;
  for (const auto& c : database_cases()) {
    SCOPED_TRACE(c.folder);
    DatabaseHome home(c);
    for (const auto& sql : statements(c))
      home.writer().run(sql);
    const auto snapshot = test::decode_snapshot(*c.adapter, home.candidate(), files);
    Source source;
    source.path = home.candidate().path;
    const auto reader = c.adapter->open_snapshot(source, files);
    for (const auto& [uid, session] : snapshot.sessions)
      for (const Event& e : session.batch.events) {
        if (e.kind == EventKind::lifecycle) continue;  // its text has words that are not in the record
        auto item = reader->item(session.native_id, session.keys.at(e.raw.offset - 1));
        ASSERT_TRUE(item) << uid;
        EXPECT_EQ(item->size(), e.raw.length);
        const std::size_t size = item->size();
        item->append(kRecordPadding, ' ');
        const auto text = c.adapter->event_text(std::string_view(*item).substr(0, size), e.kind, e.raw.block);
        ASSERT_TRUE(text) << to_string(e.kind) << " " << e.summary;
        EXPECT_NE(text->find(e.text), std::string::npos) << *text;
      }
  }
}

// The contents of an edit are not stored: file_history reads them from the items.
TEST(DatabaseGolden, EditsAreFoundInTheirItems) {
  const DiskView files;
  std::size_t changes = 0;
  for (const auto& c : database_cases()) {
    SCOPED_TRACE(c.folder);
    DatabaseHome home(c);
    for (const auto& sql : statements(c))
      home.writer().run(sql);
    const auto snapshot = test::decode_snapshot(*c.adapter, home.candidate(), files);
    Source source;
    source.path = home.candidate().path;
    const auto reader = c.adapter->open_snapshot(source, files);
    for (const auto& [uid, session] : snapshot.sessions)
      for (const Event& e : session.batch.events)
        for (const FileTouch& file : e.files) {
          if (file.access != FileAccess::modified) continue;
          const auto item = reader->item(session.native_id, session.keys.at(e.raw.offset - 1));
          ASSERT_TRUE(item) << uid;
          const auto edits = recorded_edits(*item);
          EXPECT_TRUE(std::any_of(edits.begin(), edits.end(), [&](const auto& edit) { return edit.path == file.path; }))
              << file.path;
          ++changes;
        }
  }
  EXPECT_GE(changes, 5U);
}

// A database that is followed statement by statement gives the items of one that is read at once.
TEST(DatabaseGolden, FollowedStatementByStatementItGivesTheSame) {
  const DiskView files;
  for (const auto& c : database_cases()) {
    SCOPED_TRACE(c.folder);
    DatabaseHome home(c);
    Source source;
    source.platform = home.candidate().platform;
    source.path = home.candidate().path;
    source.format = home.candidate().format;
    test::SnapshotFollower follower(*c.adapter, source, files);
    const auto all = statements(c);
    const auto last_table = std::find_if(
        all.rbegin(), all.rend(), [](const std::string& sql) { return sql.find("CREATE TABLE") != std::string::npos; });
    auto next = all.begin();
    for (; next != last_table.base(); ++next)
      home.writer().run(*next);
    for (; next != all.end(); ++next) {
      home.writer().run(*next);
      follower.look();
    }
    EXPECT_TRUE(follower.look().unchanged);
    const auto snapshot = test::decode_snapshot(*c.adapter, home.candidate(), files);
    for (const auto& [uid, session] : snapshot.sessions)
      EXPECT_EQ(follower.shown(session.native_id), session.keys) << uid;
  }
}

}  // namespace
}  // namespace memd
