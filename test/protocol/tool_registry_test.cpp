#include "protocol/mcp/tool_registry.hpp"

#include "test/support/sample_tools.hpp"

#include <gtest/gtest.h>

namespace memd::test {
namespace {

using mcp::ToolContext;
using mcp::ToolRegistry;

std::string refusal(ToolRegistry& registry, mcp::ToolInfo info) {
  try {
    registry.add<EchoParams, EchoResult>(std::move(info), echo);
    return "accepted";
  } catch (const ErrorException& e) {
    return e.what();
  }
}

TEST(ToolRegistry, ChecksWhatIsAdded) {
  ToolRegistry registry(2);
  EXPECT_EQ(refusal(registry, sample_info("Bad-Name")), "tool name 'Bad-Name': use 1 to 40 of a-z, 0-9 and _");
  EXPECT_NE(refusal(registry, sample_info(std::string(41, 'a'))), "accepted");
  auto wordy = sample_info("wordy");
  wordy.description.assign(2049, 'x');
  EXPECT_NE(refusal(registry, wordy), "accepted");
  EXPECT_EQ(refusal(registry, sample_info(std::string(40, 'a'))), "accepted");
  EXPECT_NE(refusal(registry, sample_info(std::string(40, 'a'))), "accepted") << "twice";
  EXPECT_EQ(refusal(registry, sample_info("b")), "accepted");
  EXPECT_EQ(refusal(registry, sample_info("c")), "tool 'c' is one more than 2");
}

TEST(ToolRegistry, CallsInProcess) {
  ToolRegistry registry;
  add_sample_tools(registry);
  ToolContext context;
  const auto out = registry.call("echo", R"({"text":"ab","times":2})", context);
  EXPECT_EQ(out.text, "echo: abab");
  EXPECT_EQ(out.structured, R"({"text":"abab"})");
  EXPECT_FALSE(out.is_error);
  EXPECT_TRUE(registry.call("nope", "", context).is_error);
  EXPECT_TRUE(registry.call("echo", "{", context).is_error);
  EXPECT_TRUE(registry.call("echo", "[]", context).is_error);
  EXPECT_EQ(registry.call("echo", "", context).text, "text: is required and was not sent");
  EXPECT_EQ(registry.call("throwing", "", context).text, "internal error: oops");
}

TEST(ToolRegistry, ListsInOrderOfRegistration) {
  ToolRegistry registry;
  add_sample_tools(registry);
  std::string names;
  for (const auto& tool : registry.tools())
    names += tool.info.name + " ";
  EXPECT_EQ(names, "echo quick missing broken throwing ");
}

}  // namespace
}  // namespace memd::test
