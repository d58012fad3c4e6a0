#include "daemon/setup/toml_block.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memd::setup {
namespace {

const TomlServer kTomlServer{R"("/x/memd")", R"(["--data-dir", "a b", "--stdio"])"};
const std::string kTomlBlock =
    "# memd: begin\n[mcp_servers.memd]\ncommand = \"/x/memd\"\nargs = [\"--data-dir\", \"a b\", \"--stdio\"]\n"
    "# memd: end\n";

std::string put_toml(std::string_view text) {
  auto out = with_block(text, kTomlServer);
  return out ? *out : "error: " + out.error().context;
}

TEST(TomlBlock, IsAppendedAndTakenOut) {
  const std::string settings =
      "# mine\nmodel = \"o3\"  # the model\nnotify = [\n  'a', # one\n  \"b\",\n]\n\n[mcp_servers.other]\ncommand = "
      "'''x'''\nenv = { A = \"1\", B.c = 2024-05-01 }\n";
  for (const std::string& before : {settings, std::string()}) {
    const std::string after = put_toml(before);
    EXPECT_EQ(after, before + (before.empty() ? "" : "\n") + kTomlBlock);
    EXPECT_EQ(put_toml(after), after);
    EXPECT_EQ(without_block(after), before);
    EXPECT_EQ(read_block(after).args, kTomlServer.args);
  }
  EXPECT_EQ(put_toml("a = 1"), "a = 1\n\n" + kTomlBlock);
  const std::string windows = put_toml("a = 1\r\n");
  EXPECT_EQ(windows.find("a = 1\r\n\r\n# memd: begin\r\n[mcp_servers.memd]\r\ncommand = \"/x/memd\"\r\n"), 0U);
  EXPECT_EQ(without_block(windows), "a = 1\r\n");
  EXPECT_EQ(read_block("a = 1\n").command, "");
}

TEST(TomlBlock, KeepsWhatOthersPutIntoIt) {
  const std::string others = "startup_timeout_sec = 5\n\n[mcp_servers.memd.env]\nA = \"1\"\n";
  const std::string there =
      "a = 1\n\n# memd: begin\n[mcp_servers.memd]\ncommand = \"/old\"\nargs = [\n  \"--old\",\n]\n";
  const std::string own =
      "# memd: begin\n[mcp_servers.memd]\ncommand = \"/x/memd\"\nargs = [\"--data-dir\", \"a b\", \"--stdio\"]\n";
  // A client that appends a table puts it before the last comment.
  const std::string table = "[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
  const std::string after = put_toml(there + others + table + "# memd: end\n[z]\n");
  EXPECT_EQ(after, "a = 1\n\n" + own + others + "# memd: end\n" + table + "[z]\n");
  EXPECT_EQ(without_block(there + others + table + "# memd: end\n[z]\n"), "a = 1\n\n" + table + "[z]\n");
}

TEST(TomlBlock, OfAListOfServers) {
  TomlServer listed = kTomlServer;
  listed.is_in_list = true;
  const std::string block =
      "# memd: begin\n[[mcp_servers]]\nname = \"memd\"\ntransport = \"stdio\"\ncommand = \"/x/memd\"\nargs = "
      "[\"--data-dir\", \"a b\", \"--stdio\"]\n# memd: end\n";
  const std::string other = "[[mcp_servers]]\nname = \"x\"\n";
  EXPECT_EQ(with_block(other, listed).value(), other + "\n" + block);
  EXPECT_EQ(with_block(block, listed).value(), block);
  EXPECT_EQ(read_block(block).args, kTomlServer.args);
  EXPECT_EQ(without_block(other + "\n" + block), other);
  EXPECT_EQ(with_block("mcp_servers = []  # none\n", listed).value(), block);
  EXPECT_FALSE(with_block("mcp_servers = [{name = \"x\"}]\n", listed));
  const std::string foreign = "[[mcp_servers]]\ncommand = \"/old\"\nname = 'memd' # mine\n";
  EXPECT_EQ(with_block(foreign, listed).value(), foreign);
  const std::string behind =
      "[[mcp_servers]]\nname = \"y\"\n";  // a client that appends puts it before the last comment
  const auto end = block.find("# memd: end");
  EXPECT_EQ(without_block(block.substr(0, end) + behind + block.substr(end)), behind);
}

TEST(TomlBlock, LeavesTheTableOfSomebodyElseAlone) {
  for (const std::string text :
       {"[mcp_servers.memd]\ncommand = \"/old\"\n", "[ mcp_servers . \"memd\" ] # mine\n", "[mcp_servers.memd.env]\n",
        "mcp_servers.memd.command = '/old'\n", "[mcp_servers]\nmemd = { command = \"/old\" }\n",
        "[mcp_servers]\nother.command = 'x'\n'memd'.command = \"/old\"\n"}) {
    EXPECT_TRUE(has_foreign_server(text)) << text;
    EXPECT_EQ(put_toml(text), text);
    EXPECT_EQ(without_block(text), text);
    EXPECT_EQ(put_toml(text + kTomlBlock), text + kTomlBlock);
  }
  for (const std::string text : {"memd = 1\n", "[mcp_servers.memd2]\n", "[other]\nmcp_servers.memd.command = 1\n",
                                 "[mcp_servers.other]\nmemd = 1\n", "# [mcp_servers.memd]\n"})
    EXPECT_FALSE(has_foreign_server(text)) << text;
  EXPECT_EQ(put_toml("a = 1\nmcp_servers = { other = { command = \"o\" } }\n"),
            "error: line 2: mcp_servers is in braces: write it as [mcp_servers.NAME]");
}

}  // namespace
}  // namespace memd::setup
