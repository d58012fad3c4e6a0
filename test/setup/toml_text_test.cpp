#include "daemon/setup/toml_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memd::setup {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kTomlServer{"mcp_servers", "memd"};
const std::vector<TomlEntry> kTomlEntries{{"command", {"/x/memd"}, false},
                                          {"args", {"--data-dir", "a b", "--stdio"}, true}};
constexpr const char* kTomlTable =
    "[mcp_servers.memd]\ncommand = \"/x/memd\"\nargs = [\"--data-dir\", \"a b\", \"--stdio\"]\n";

std::string put_toml(std::string_view text) {
  auto out = with_table(text, kTomlServer, kTomlEntries);
  return out ? *out : "error: " + out.error().context;
}
std::string take_toml(std::string_view text) {
  auto out = without_table(text, kTomlServer);
  return out ? *out : "error: " + out.error().context;
}

TEST(TomlText, AppendsATableAndTakesItOut) {
  const std::string settings =
      "# mine\nmodel = \"o3\"  # the model\nnotify = [\n  'a', # one\n  \"b\",\n]\n\n[mcp_servers.other]\ncommand = "
      "'''x'''\nenv = { A = \"1\", B.c = 2024-05-01 }\n";
  for (const std::string& before : {settings, std::string(), std::string("\xEF\xBB\xBF")}) {
    const std::string after = put_toml(before);
    EXPECT_EQ(after, before + (before.size() > 3 ? "\n" : "") + kTomlTable);
    EXPECT_EQ(put_toml(after), after);
    EXPECT_EQ(take_toml(after), before);
  }
  EXPECT_EQ(put_toml("a = 1"), std::string("a = 1\n\n") + kTomlTable);
  EXPECT_THAT(put_toml("a = 1\r\n"), HasSubstr("a = 1\r\n\r\n[mcp_servers.memd]\r\ncommand = \"/x/memd\"\r\n"));
}

TEST(TomlText, UpdatesATableWhereItStands) {
  EXPECT_EQ(
      put_toml("[mcp_servers.memd]\ncommand = \"/old\" # here\nstartup_timeout_sec = 5\n\n[mcp_servers.memd.env]\nA "
               "= \"1\"\n\n[other]\nx = 1\n"),
      "[mcp_servers.memd]\ncommand = \"/x/memd\" # here\nstartup_timeout_sec = 5\nargs = [\"--data-dir\", \"a b\", "
      "\"--stdio\"]\n\n[mcp_servers.memd.env]\nA = \"1\"\n\n[other]\nx = 1\n");
  EXPECT_EQ(put_toml("mcp_servers.memd.command = '/old'\n"),
            "mcp_servers.memd.command = \"/x/memd\"\nmcp_servers.memd.args = [\"--data-dir\", \"a b\", \"--stdio\"]\n");
  EXPECT_EQ(
      put_toml("[mcp_servers]\nmemd = { command = \"/old\", env = {} }\n"),
      "[mcp_servers]\nmemd = { command = \"/x/memd\", env = {}, args = [\"--data-dir\", \"a b\", \"--stdio\"] }\n");
  EXPECT_EQ(
      put_toml("mcp_servers = { other = { command = \"o\" } }\n"),
      "mcp_servers = { other = { command = \"o\" }, memd = { command = \"/x/memd\", args = [\"--data-dir\", \"a b\", "
      "\"--stdio\"] } }\n");
  EXPECT_THAT(put_toml("mcp_servers = 1\n"), HasSubstr("error: mcp_servers is no table"));
}

TEST(TomlText, TakesOutEverySpelling) {
  EXPECT_EQ(
      take_toml("a = 1\n[mcp_servers.memd]\ncommand = \"x\"\n[mcp_servers.memd.env]\nA = \"1\"\n[other]\nb = 2\n"),
      "a = 1\n[other]\nb = 2\n");
  EXPECT_EQ(take_toml("mcp_servers.memd.command = 'x'\nb = 1\n"), "b = 1\n");
  EXPECT_EQ(take_toml("[mcp_servers]\nmemd = { command = 'x' }\nother = {}\n"), "[mcp_servers]\nother = {}\n");
  EXPECT_EQ(take_toml("mcp_servers = { a = {}, memd = { command = 'x' } }\n"), "mcp_servers = { a = {} }\n");
  EXPECT_EQ(take_toml("mcp_servers = { memd = { command = 'x' }, a = {} }\n"), "mcp_servers = { a = {} }\n");
}

TEST(TomlText, ReadsTheTable) {
  const auto table =
      read_table("[mcp_servers.\"memd\"]\ncommand = \"\"\"\n/a\\u0062\"\"\"\nargs = [ '--x', ]\n", kTomlServer);
  ASSERT_TRUE(table) << table.error().context;
  ASSERT_EQ(table->size(), 2U);
  EXPECT_EQ(table->at(0).values.front(), "/ab");
  EXPECT_EQ(table->at(1).values.front(), "--x");
  EXPECT_FALSE(has_table("[mcp_servers.other]\n", kTomlServer).value());
}

TEST(TomlText, SaysWhereTheTextIsWrong) {
  const auto error = [](std::string_view text) {
    const auto checked = check_toml(text);
    return checked ? std::string("none") : checked.error().context;
  };
  EXPECT_EQ(error("a = 1\nb = two\n"), "line 2: a text needs quotes");
  EXPECT_EQ(error("a = \"x\n"), "line 1: the string has no end");
  EXPECT_EQ(error("[a\n"), "line 1: the header has no end");
  EXPECT_EQ(error("[a]\n[b]\n[a]\n"), "line 3: this table is defined twice");
  EXPECT_EQ(error("a = [1, 2\n"), "line 2: a comma or ] is expected");
  EXPECT_EQ(error("a\n"), "line 1: an equals sign is expected");
  EXPECT_EQ(error("a = 1 b = 2\n"), "line 1: a text needs quotes");
  EXPECT_EQ(error("[[a]]\n[a.b]\n[[a]]\n[a.b]\n"), "none");
}

}  // namespace
}  // namespace memd::setup
