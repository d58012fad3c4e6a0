#include "adapters/snapshot/held_source.hpp"
#include "test/adapters/folder_view.hpp"

#include <gtest/gtest.h>

namespace memd::snapshot {
namespace {

constexpr const char* kPath = "/home/ada/.droid/s1.settings.json";

SnapshotReader::Plan plan_of(const test::FolderView& files, const std::string& mark = {}) {
  return SingleDocument(files, kPath, "droid:s1").plan(mark).value();
}

TEST(SingleDocument, IsTheHeadOfItsSession) {
  test::FolderView files;
  files.write(kPath, "{\n  \"model\": \"m 1\"\n}\n");
  SingleDocument reader(files, kPath, "droid:s1");
  const auto plan = reader.plan("").value();
  EXPECT_EQ(plan.sessions, std::vector<std::string>{"s1"});
  const auto session = reader.session("s1", {}).value();
  ASSERT_TRUE(session && session->head);
  EXPECT_TRUE(session->items.empty());
  EXPECT_EQ(session->head->ledger_bytes, plan.size);
  EXPECT_EQ(reader.item("s1", session->head->key).value(), "{\"model\":\"m 1\"}");
  EXPECT_FALSE(reader.session("another", {}).value());
  EXPECT_TRUE(reader.item("s1", "no such item").error().is(Errc::not_found));
}

TEST(SingleDocument, IsReadAgainOnlyWhenItHasChanged) {
  test::FolderView files;
  files.write(kPath, "{}");
  const std::string mark = plan_of(files).mark;
  files.forget_reads();
  EXPECT_TRUE(plan_of(files, mark).unchanged);
  EXPECT_EQ(files.bytes_read(), 0U);
  files.write(kPath, "[]");  // of the same size
  EXPECT_FALSE(plan_of(files, mark).unchanged);
}

TEST(SingleDocument, MayBeBlankOrGone) {
  test::FolderView files;
  EXPECT_TRUE(SingleDocument(files, kPath, "droid:s1").plan("").error().is(Errc::not_found));
  files.write(kPath, " \n");
  const auto plan = plan_of(files);
  EXPECT_TRUE(plan.sessions.empty());
  ASSERT_EQ(plan.rest.size(), 1U);
  EXPECT_EQ(plan.rest.front().bytes, plan.size);
}

}  // namespace
}  // namespace memd::snapshot
