#include "schemas/base/error.hpp"
#include "test/adapters/opencode_case.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

const Adapter& opencode() { return *find_adapter(Platform::opencode); }

constexpr std::string_view kOpencodeAdapterRoot = "/home/ada/.local/share/opencode";

std::string opencode_adapter_source_of(std::string_view relative) {
  const auto candidate =
      opencode().classify(kOpencodeAdapterRoot, std::string(kOpencodeAdapterRoot) + "/" + std::string(relative));
  if (!candidate) return "(no source)";
  return std::string(to_string(candidate->format)) + " " + candidate->path.substr(kOpencodeAdapterRoot.size() + 1);
}

TEST(OpencodeAdapter, DescribesItself) {
  const auto& d = opencode().describe();
  EXPECT_EQ(d.platform, Platform::opencode);
  EXPECT_EQ(d.adapter_version, "1.0.0");
  EXPECT_EQ(d.capabilities.size(), kAllCapabilities.size() - 2);  // all but branch and end
  EXPECT_FALSE(d.limitations.empty());
  EXPECT_EQ(opencode().roots({"/home/ada", {}}), std::vector<std::filesystem::path>{kOpencodeAdapterRoot});
  EXPECT_EQ(opencode().roots({"/home/ada", {"/xdg/opencode"}}), std::vector<std::filesystem::path>{"/xdg/opencode"});
}

TEST(OpencodeAdapter, DatabasesOfAllChannelsWithTheirCompanions) {
  EXPECT_EQ(opencode_adapter_source_of("opencode.db"), "sqlite opencode.db");
  EXPECT_EQ(opencode_adapter_source_of("opencode.db-wal"), "sqlite opencode.db");
  EXPECT_EQ(opencode_adapter_source_of("opencode.db-shm"), "sqlite opencode.db");
  EXPECT_EQ(opencode_adapter_source_of("opencode-beta.db"), "sqlite opencode-beta.db");
  EXPECT_EQ(opencode_adapter_source_of("opencode-beta.db-wal"), "sqlite opencode-beta.db");
  EXPECT_EQ(opencode_adapter_source_of("storage/session/global/ses_1.json"), "json storage/session/global/ses_1.json");
}

// auth.json contains secrets: it is not a source, and no reader opens it.
TEST(OpencodeAdapter, OtherFilesAreNoSources) {
  for (const std::string file :
       {"auth.json", "mcp-auth.json", "opencode.db.bak", "other.db", "sub/opencode.db", "log/opencode.db",
        "storage/message/ses_1/msg_1.json", "storage/part/msg_1/prt_1.json", "storage/session/global/notes.json",
        "storage/session/ses_1.json", "storage/session_diff/ses_1.json", "storage/todo/ses_1.json"})
    EXPECT_EQ(opencode_adapter_source_of(file), "(no source)") << file;
  const std::filesystem::path root(kOpencodeAdapterRoot);
  EXPECT_TRUE(opencode().looks_into(root, root));
  EXPECT_TRUE(opencode().looks_into(root, root / "storage/session/global"));
  EXPECT_TRUE(opencode().looks_into(root, root / "storage/message/ses_1"));
  for (const std::string folder :
       {"log", "snapshot", "storage/part", "storage/session/global/x", "storage/message/ses_1/x"})
    EXPECT_FALSE(opencode().looks_into(root, root / folder)) << folder;
}

// The path of a message does not contain the project, which is the directory of the session's own file.
TEST(OpencodeAdapter, MessagesOfTheTreeArePartsOfTheirSession) {
  const std::filesystem::path root(kOpencodeAdapterRoot);
  for (const std::string file : {"storage/message/ses_1/msg_1.json", "storage/message/ses_1"})
    EXPECT_EQ(opencode().part_of(root, root / file), "ses_1.json") << file;
  for (const std::string file :
       {"storage/message", "storage/message/other/msg_1.json", "storage/part/msg_1/prt_1.json", "opencode.db",
        "storage/session/global/ses_1.json", "storage/message/ses_1/x/msg_1.json", "storage/todo/ses_1.json"})
    EXPECT_EQ(opencode().part_of(root, root / file), "") << file;
}

TEST(OpencodeAdapter, SessionOfASource) {
  const auto tree =
      opencode().classify(kOpencodeAdapterRoot, std::string(kOpencodeAdapterRoot) + "/storage/session/p/ses_1.json");
  EXPECT_EQ(opencode().session_uid(*tree, "{"), "opencode:ses_1");
  const auto database = opencode().classify(kOpencodeAdapterRoot, std::string(kOpencodeAdapterRoot) + "/opencode.db");
  EXPECT_EQ(opencode().session_uid(*database, "SQLite format 3"), "");
}

// A disk view that fails the test when auth.json is read.
class GuardedFiles : public DiskView {
 public:
  Result<std::string> read(const std::string& path, std::uint64_t offset, std::uint64_t length) const override {
    EXPECT_EQ(path.find("auth.json"), std::string::npos);
    return DiskView::read(path, offset, length);
  }
};

std::filesystem::path golden_case(std::string_view name) { return test::opencode_golden() / name; }

TEST(OpencodeAdapter, AMigratedSessionIsReadFromTheDatabase) {
  const test::TempDir data;
  test::lay_out({golden_case("file_tree"), true}, data.path());
  test::write_file(data / "auth.json", "{\"key\":\"secret\"}");
  const GuardedFiles files;
  const auto tree = test::opencode_sources(opencode(), data.path()).front();
  Source source;
  source.path = tree.path;
  const auto before = opencode().open_snapshot(source, files)->plan("");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->sessions, std::vector<std::string>{"ses_t1"});

  {
    test::WrittenDatabase database((data / "opencode.db").string());
    database.run(test::bytes_of(golden_case("schema_1x.sql")));
    database.run(
        "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)"
        " VALUES ('ses_other', 'global', '', '/', '', '', 1, 1)");
  }
  EXPECT_EQ(opencode().open_snapshot(source, files)->plan("")->sessions.size(), 1u);  // not in the database
  {
    test::WrittenDatabase database((data / "opencode.db").string());
    database.run("UPDATE session SET id = 'ses_t1'");
  }
  // A migration that was cut short: the session is there, but only one of its messages.
  const auto add = [&](const std::string& id) {
    test::WrittenDatabase((data / "opencode.db").string())
        .run("INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('" + id +
             "', 'ses_t1', 1, 1, '{}')");
  };
  std::vector<std::string> messages;
  for (const auto& file : std::filesystem::directory_iterator(data / "storage/message/ses_t1"))
    messages.push_back(file.path().stem().string());
  std::sort(messages.begin(), messages.end());
  ASSERT_GE(messages.size(), 2u);
  add(messages.front());
  const auto reader = opencode().open_snapshot(source, files);
  const auto half = reader->plan("");
  ASSERT_TRUE(half);
  EXPECT_EQ(half->sessions, std::vector<std::string>{"ses_t1"});
  const auto left = reader->session("ses_t1", {}).value();
  ASSERT_TRUE(left);
  EXPECT_FALSE(left->head) << "the database tells about the session";
  ASSERT_EQ(left->items.size(), messages.size() - 1);
  EXPECT_EQ(left->items.front().key, messages[1]);

  for (std::size_t i = 1; i < messages.size(); ++i)
    add(messages[i]);
  const auto after = opencode().open_snapshot(source, files)->plan("");
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->sessions.empty());
  ASSERT_EQ(after->rest.size(), 1u);
  EXPECT_EQ(after->rest.front().reason, "superseded");
  EXPECT_EQ(after->rest.front().bytes, after->size);
  EXPECT_EQ(after->rest.front().records, 7u);
}

TEST(OpencodeAdapter, ATreeIsReadAgainOnlyWhenItChanged) {
  const test::TempDir data;
  test::lay_out({golden_case("file_tree"), true}, data.path());
  const DiskView files;
  Source source;
  source.path = test::opencode_sources(opencode(), data.path()).front().path;
  const auto first = opencode().open_snapshot(source, files)->plan("");
  EXPECT_TRUE(opencode().open_snapshot(source, files)->plan(first->mark)->unchanged);
  const auto read = [&] { return **opencode().open_snapshot(source, files)->session("ses_t1", {}); };
  const auto before = read();
  test::write_file(data / "storage/part/msg_t2/prt_t4.json", R"({"id":"prt_t4","type":"text","text":"whole now"})");
  EXPECT_FALSE(opencode().open_snapshot(source, files)->plan(first->mark)->unchanged);
  const auto after = read();
  ASSERT_EQ(after.items.size(), 2u);
  EXPECT_EQ(after.items[0].version, before.items[0].version);
  EXPECT_NE(after.items[1].version, before.items[1].version);

  const std::string text = test::bytes_of(source.path);
  test::write_file(source.path, text.substr(0, text.size() / 2));
  const auto half = opencode().open_snapshot(source, files)->session("ses_t1", {});
  ASSERT_FALSE(half);
  EXPECT_TRUE(half.error().is(Errc::busy));
  std::filesystem::remove(source.path);
  EXPECT_TRUE(opencode().open_snapshot(source, files)->plan("").error().is(Errc::not_found));
}

// The same message has the same event ids in the tree and in the database.
TEST(OpencodeAdapter, IdsAreTheSameInAllGenerations) {
  const std::string v1 =
      R"({"id":"msg_1","created":5,"data":{"role":"assistant","time":{"created":5}},"parts":[{"id":"prt_1","data":)"
      R"({"type":"step-start"}},{"id":"prt_2","data":{"type":"reasoning","text":"hm"}},{"id":"prt_3","data":)"
      R"({"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"ls"},)"
      R"("output":"a"}}},{"id":"prt_4","data":{"type":"text","text":"done"}}]})";
  const std::string v2 =
      R"({"type":"assistant","id":"msg_1","created":5,"data":{"content":[{"type":"reasoning","text":"hm"},)"
      R"({"type":"tool","id":"c","name":"bash","state":{"status":"completed","input":{"command":"ls"},)"
      R"("content":[{"type":"text","text":"a"}]}},{"type":"text","text":"done"}]}})";
  const auto decode = [](const std::string& item) {
    const std::string padded = item + std::string(kRecordPadding, ' ');
    EventBatch batch;
    Source source;
    source.platform = Platform::opencode;
    opencode().open(source)->decode({std::string_view(padded).substr(0, item.size()), 1, false}, batch);
    return batch.events;
  };
  const auto one = decode(v1);
  const auto two = decode(v2);
  ASSERT_EQ(one.size(), 4u);
  ASSERT_EQ(two.size(), 4u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].event_id, two[i].event_id) << i;
    EXPECT_EQ(one[i].kind, two[i].kind) << i;
    EXPECT_EQ(one[i].text, two[i].text) << i;
  }
  EXPECT_EQ(one[0].event_id, record_key(Platform::opencode, "msg_1"));
}

}  // namespace
}  // namespace memd
