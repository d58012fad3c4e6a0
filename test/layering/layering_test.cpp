#include "source_tree.hpp"
#include "test/support/source_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace memd::layering {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Layering, ProjectKeepsItsRules) {
  const auto tree = read_tree(test::source_dir());
  ASSERT_GT(tree.size(), 40U);
  ASSERT_TRUE(tree.contains("store/db/database.hpp"));
  EXPECT_THAT(violations(tree), IsEmpty());
}

// A tree that violates one rule, to prove that each rule can fail.
class BadTree : public testing::Test {
 protected:
  BadTree() { fs::remove_all(root_); }
  ~BadTree() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::vector<std::string> found() const { return violations(read_tree(root_)); }

  fs::path root_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(BadTree, SidewaysAndUpwards) {
  write("schemas/a.hpp", "#include \"store/b.hpp\"\n");
  write("store/b.hpp", "#include <vector>\n");
  write("adapters/c.cpp", "\n  # include \"store/b.hpp\"\n");
  write("protocol/d.cpp", "#include \"store/b.hpp\"\n");
  write("daemon/e.cpp", "#include \"store/b.hpp\"\n#include \"test/f.hpp\"\n");
  write("test/f.hpp", "#include \"schemas/a.hpp\"\n");
  EXPECT_THAT(
      found(),
      ElementsAre("adapters/c.cpp:2: adapters may not use store", "daemon/e.cpp:2: daemon may not use test",
                  "protocol/d.cpp:1: protocol may not use store", "schemas/a.hpp:1: schemas may not use store"));
}

TEST_F(BadTree, OwnHeaderNotFirst) {
  for (const std::string name : {"a", "b", "c"})
    write("store/" + name + ".hpp", "");
  write("store/a.cpp", "#include <vector>\n#include \"store/a.hpp\"\n");
  write("store/b.cpp", "");
  write("store/c.cpp", "// says what it is\n#include \"store/c.hpp\"\n#include <vector>\n");
  write("store/d.cpp", "#include <vector>\n");
  EXPECT_THAT(found(), ElementsAre("store/a.cpp:1: its own header comes first: store/a.hpp",
                                   "store/b.cpp:1: its own header comes first: store/b.hpp"));
}

TEST_F(BadTree, LibraryInTheWrongFolder) {
  write("adapters/a.cpp", "#include <simdjson.h>\n#include <zstd.h>\n");
  write("protocol/b.cpp", "#include <boost/json/value.hpp>\n#include <boost/asio.hpp>\n#include <simdjson.h>\n");
  write("store/c.cpp", "#include <sqlite3.h>\n#include <boost/asio.hpp>\n");
  write("daemon/d.cpp", "#include <boost/asio.hpp>\n#include <boost/json.hpp>\n");
  write("test/e.cpp", "#include <boost/json.hpp>\n#include <sqlite3.h>\n");
  EXPECT_THAT(
      found(),
      ElementsAre("adapters/a.cpp:2: adapters may not use zstd.h", "daemon/d.cpp:2: daemon may not use boost/json",
                  "protocol/b.cpp:3: protocol may not use simdjson", "store/c.cpp:2: store may not use boost/asio"));
}

TEST_F(BadTree, LibraryOutsideItsOneSource) {
  write("daemon/cli/command_line.cpp", "#include <CLI/CLI.hpp>\n");
  write("daemon/cli/tool_commands.cpp", "#include <CLI/CLI.hpp>\n");
  write("daemon/log.cpp", "#include <spdlog/spdlog.h>\n#include <CLI/CLI.hpp>\n");
  EXPECT_THAT(found(), ElementsAre("daemon/cli/tool_commands.cpp:1: daemon may not use CLI/",
                                   "daemon/log.cpp:2: daemon may not use CLI/"));
}

TEST_F(BadTree, LibraryOutsideItsOneFolder) {
  write("daemon/admin/grpc/door.cpp", "#include <grpcpp/server.h>\n#include <memd/admin/v1/admin.pb.h>\n");
  write("daemon/admin/doctor.cpp", "#include <google/protobuf/message.h>\n");
  write("daemon/serve/service.cpp", "#include <memd/admin/v1/admin.pb.h>\n#include <grpcpp/server.h>\n");
  EXPECT_THAT(found(), ElementsAre("daemon/admin/doctor.cpp:1: daemon may not use google/protobuf/",
                                   "daemon/serve/service.cpp:1: daemon may not use memd/admin/",
                                   "daemon/serve/service.cpp:2: daemon may not use grpc"));
}

TEST_F(BadTree, JsonReadByHand) {
  write("store/insight/a.cpp", "\nfor (char c : json) if (c == '{' || c == '}') ++depth;\n");
  write("store/text/redaction/b.cpp", "if (c == '{') return;\n");
  write("adapters/c.cpp", "if (c == '{') return;\n");
  EXPECT_THAT(found(), ElementsAre("store/insight/a.cpp:2: store reads no JSON"));
}

TEST_F(BadTree, SqlOutsideTheStore) {
  write("store/read/a.cpp", "db.prepare(\"SELECT 1\");\n");
  write("adapters/cursor/b.cpp", "db.prepare(\"SELECT 1\");\n");
  write("daemon/ingest/c.cpp", "\ndb.prepare(\"SELECT 1\");\n");
  EXPECT_THAT(found(), ElementsAre("daemon/ingest/c.cpp:2: SQL belongs to store"));
}

TEST_F(BadTree, AFieldOfOneSystem) {
  write("daemon/cli/a.cpp", "auto t = s.st_mtim.tv_sec;  // s.st_mtim.tv_sec\nauto u = s.st_mtime;\n");
  write("store/files/b.cpp", "timespec t = s.st_ctimespec;\n");
  write("store/files/b_linux.cpp", "timespec t = s.st_ctim;\n");
  EXPECT_THAT(found(), ElementsAre("daemon/cli/a.cpp:1: ask store/files/system_calls",
                                   "store/files/b.cpp:1: ask store/files/system_calls"));
}

TEST_F(BadTree, AHeaderOfLinux) {
  write("daemon/a.cpp",
        "#include <sys/syscall.h>\n#ifdef __linux__\n#include <sys/vfs.h>\n#endif\n#include <link.h>\n");
  write("daemon/b_linux.cpp", "#include <linux/openat2.h>\n");
  write("daemon/c.hpp", "#include <linux/openat2.h>\n#include <sys/stat.h>\n");
  EXPECT_THAT(found(),
              ElementsAre("daemon/a.cpp:1: only Linux has sys/syscall.h", "daemon/a.cpp:5: only Linux has link.h",
                          "daemon/c.hpp:1: only Linux has linux/openat2.h"));
}

TEST_F(BadTree, ATemporaryAwaited) {
  write("daemon/ingest/a.cpp",
        "co_await f(S{1});\nco_await g([n] { return n; });\nconst auto [a, b] = co_await h(std::move(c));  // {}\n"
        "const S s{1};\nif (!x) { co_await f(s); }\n");
  EXPECT_THAT(found(), ElementsAre("daemon/ingest/a.cpp:1: name what is awaited first",
                                   "daemon/ingest/a.cpp:2: name what is awaited first"));
}

TEST_F(BadTree, AnotherDoorToFilesOfAScope) {
  write("store/memory/a.cpp", "#include <fstream>\nstd::ifstream in(path);\n");
  write("store/catalog/b.cpp", "for (auto& e : fs::recursive_directory_iterator(at)) {}\n");
  write("daemon/memories/c.cpp", "\nint fd = ::open(path, O_RDONLY);  // fopen(\n");
  write("daemon/tools/d.cpp", "#include \"store/files/whole_file.hpp\"\n// fopen(\nif (fs::exists(at)) return;\n");
  write("store/files/whole_file.hpp", "");
  write("store/files/scope_root.cpp", "int fd = ::open(path, O_RDONLY);\n");
  EXPECT_THAT(found(), ElementsAre("daemon/memories/c.cpp:2: files of a scope are opened by ScopeRoot",
                                   "daemon/tools/d.cpp:1: files of a scope are opened by ScopeRoot",
                                   "store/catalog/b.cpp:1: files of a scope are opened by ScopeRoot",
                                   "store/memory/a.cpp:1: files of a scope are opened by ScopeRoot",
                                   "store/memory/a.cpp:2: files of a scope are opened by ScopeRoot"));
}

TEST_F(BadTree, NameWithoutItsHeader) {
  write(
      "store/row.hpp",
      "namespace memd {\nstruct SessionRow { int first_seq; };\nint read_head(int n);\nconstexpr int kMost = 1;\n}\n");
  write("store/uses_row.hpp", "#include \"store/row.hpp\"\nnamespace memd { int past_head(); }\n");
  write("store/known.hpp", "namespace memd { class SessionRow; int f(SessionRow& row); }\n");
  write("store/a.cpp",
        "#include \"store/uses_row.hpp\"\nint f() { return read_head(kMost) + SessionRow().first_seq; }\n");
  write("store/b.cpp",
        "#include \"store/known.hpp\"\n// read_head(\nint f(SessionRow& row) { return row.read_head(); }\n");
  write("store/c.cpp",
        "int g() { return memd::read_head(kMost); }\nint h = std::read_head(2); auto s = R\"(SessionRow)\";\n");
  write("store/d.cpp", "int read_head(int);\nint g() { return read_head(2) + 1'000 + first_seq; }\n");
  write("store/e.hpp", "namespace memd { SessionRow last(); }\n");
  EXPECT_THAT(found(), ElementsAre("store/b.cpp:3: include what declares SessionRow: store/row.hpp",
                                   "store/c.cpp:1: include what declares kMost: store/row.hpp",
                                   "store/c.cpp:1: include what declares read_head: store/row.hpp",
                                   "store/e.hpp:1: include what declares SessionRow: store/row.hpp"));
}

TEST_F(BadTree, Cycle) {
  write("store/a.hpp", "#include \"store/b.hpp\"\n");
  write("store/b.hpp", "#include \"store/c.hpp\"\n");
  write("store/c.hpp", "#include \"store/a.hpp\"\n");
  EXPECT_THAT(found(), ElementsAre("store/c.hpp:1: cycle through store/a.hpp"));
}

TEST_F(BadTree, PathsThatDoNotStartAtTheRoot) {
  write("store/a.cpp", "#include \"b.hpp\"\n#include \"gone.hpp\"\n#include <store/b.hpp>\n");
  write("store/b.hpp", "");
  EXPECT_THAT(found(), ElementsAre("store/a.cpp:1: write the path from the root: store/b.hpp",
                                   "store/a.cpp:2: no such file: gone.hpp",
                                   "store/a.cpp:3: our own header in angle brackets: store/b.hpp"));
}

TEST_F(BadTree, Names) {
  write("daemon/session_manager.hpp", "");
  write("schemas/utils.cpp", "");
  EXPECT_THAT(found(), ElementsAre("daemon/session_manager.hpp:1: a file is named by its duty",
                                   "schemas/utils.cpp:1: a file is named by its duty"));
}

TEST_F(BadTree, UpAFloor) {
  write("store/text/a.hpp", "#include \"store/db/b.hpp\"\n");
  write("store/db/b.hpp", "");
  write("store/write/c.hpp", "#include \"store/db/b.hpp\"\n");
  write("adapters/registry.cpp", "#include \"adapters/codex/d.hpp\"\n");
  write("adapters/codex/d.hpp", "#include \"adapters/json/f.hpp\"\n");
  write("adapters/grok/e.hpp", "#include \"adapters/codex/d.hpp\"\n");
  write("adapters/json/f.hpp", "#include \"adapters/grok/g.hpp\"\n");
  write("adapters/grok/g.hpp", "");
  write("daemon/log.hpp", "#include \"daemon/cli/h.hpp\"\n");
  write("daemon/cli/h.hpp", "");
  EXPECT_THAT(found(), ElementsAre("adapters/grok/e.hpp:1: adapters/grok may not use adapters/codex",
                                   "adapters/json/f.hpp:1: adapters/json may not use adapters/grok",
                                   "daemon/log.hpp:1: daemon may not use daemon/cli",
                                   "store/text/a.hpp:1: store/text may not use store/db"));
}

}  // namespace
}  // namespace memd::layering
