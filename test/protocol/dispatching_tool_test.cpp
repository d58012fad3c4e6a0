#include "protocol/mcp/tool_registry.hpp"
#include "test/support/sample_tools.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>

namespace memd::mcp {
namespace {

struct FindParams {
  std::string query;
  std::int64_t n_results = 10;
};
struct LookParams {
  std::string topic;
  std::int64_t n_results = 5;
};
constexpr std::array<std::string_view, 2> kKeepActions{"write", "drop"};
struct KeepParams {
  std::string action;
};
struct Said {
  std::string text;
};
std::string render_text(const Said& said) { return said.text; }

}  // namespace
}  // namespace memd::mcp

MEMD_DESCRIBE(memd::mcp::FindParams, field<&T::query>("What.", required, length(1, 100)),
              field<&T::n_results>("How many.", range(1, 50)));
MEMD_DESCRIBE(memd::mcp::LookParams, field<&T::topic>("Topic."), field<&T::n_results>("Others.", range(1, 9)));
MEMD_DESCRIBE(memd::mcp::KeepParams, field<&T::action>("What.", required, one_of(kKeepActions)));
MEMD_DESCRIBE(memd::mcp::Said, field<&T::text>("Said."));

namespace memd::mcp {
namespace {

class DispatchingTool : public testing::Test {
 protected:
  DispatchingTool() {
    registry.add<FindParams, Said>(info("find"), [](const FindParams& p, ToolContext&) -> Result<Said> {
      return Said{"find " + p.query + " " + std::to_string(p.n_results)};
    });
    registry.add<LookParams, Said>(
        info("look"), [](const LookParams& p, ToolContext&) -> Result<Said> { return Said{"look " + p.topic}; });
    constexpr std::array aliases{ActionAlias{"seek", "find", "", ""}, ActionAlias{"look", "look", "query", "topic"}};
    add_dispatching_tool(registry, info("all"), aliases);
  }
  static ToolInfo info(std::string name) {
    ToolInfo out;
    out.name = std::move(name);
    out.description = "Does it.";
    return out;
  }
  ToolOutcome call(std::string_view tool, std::string_view arguments) {
    ToolContext context;
    return registry.call(tool, arguments, context);
  }
  ToolRegistry registry;
};

TEST_F(DispatchingTool, GivesWhatTheToolGives) {
  const auto direct = call("find", R"({"query":"x","n_results":3})");
  for (const std::string_view action : {"find", "seek"}) {
    const auto out = call("all", R"({"action":")" + std::string(action) + R"(","query":"x","n_results":3})");
    EXPECT_EQ(out.structured, direct.structured);
    EXPECT_EQ(out.text, direct.text);
    EXPECT_FALSE(out.is_error);
  }
  EXPECT_EQ(call("all", R"({"action":"look","query":"rag"})").text, "look rag");
  EXPECT_EQ(call("all", R"({"action":"look","topic":"rag"})").text, "look rag");
}

TEST_F(DispatchingTool, TheToolChecksItsArguments) {
  EXPECT_EQ(call("all", R"({"action":"find"})").text, call("find", "{}").text);
  EXPECT_EQ(call("all", R"({"action":"find","query":"x","topic":"y"})").text, "find x 10") << "topic is another tool's";
  EXPECT_TRUE(call("all", R"({"action":"find","query":"x","nobodys":"y"})").is_error);
  EXPECT_EQ(call("all", R"({"action":"look","query":"x","topic":"y"})").text,
            call("look", R"({"query":"x","topic":"y"})").text);
  for (const std::string_view arguments :
       {"{}", R"({"action":7})", R"({"action":"all"})", R"({"action":"none","query":"x"})"}) {
    const auto out = call("all", arguments);
    EXPECT_TRUE(out.is_error);
    EXPECT_FALSE(out.unexpected);
    EXPECT_NE(out.text.find("find, look, seek"), std::string::npos) << out.text;
  }
}

TEST_F(DispatchingTool, AToolWithAnActionOfItsOwnGetsTheSubaction) {
  ToolRegistry tools;
  tools.add<KeepParams, Said>(
      info("keep"), [](const KeepParams& p, ToolContext&) -> Result<Said> { return Said{"keep " + p.action}; });
  add_dispatching_tool(tools, info("all"), {});
  ToolContext context;
  const auto said = [&](std::string_view arguments) { return tools.call("all", arguments, context); };
  EXPECT_EQ(said(R"({"action":"keep","subaction":"drop"})").text, "keep drop");
  EXPECT_EQ(said(R"({"action":"keep"})").text, "subaction: is required by keep, send one of drop, write");
  EXPECT_EQ(said(R"({"action":"keep","subaction":"eat"})").text, "subaction: send one of drop, write");
  const auto schema = boost::json::parse(tools.find("all")->input_schema);
  EXPECT_EQ(boost::json::serialize(schema.at("properties").at("subaction").at("enum")), R"(["write","drop"])");
}

TEST_F(DispatchingTool, ItsSchemaHasTheParametersOfAll) {
  const Tool* tool = registry.find("all");
  const auto schema = boost::json::parse(tool->input_schema);
  const auto& properties = schema.at("properties").as_object();
  EXPECT_EQ(boost::json::serialize(properties.at("action").at("enum")), R"(["find","look","seek"])");
  EXPECT_TRUE(properties.contains("query"));
  EXPECT_TRUE(properties.contains("topic"));
  // Where the actions differ, the schema has only what holds for both.
  EXPECT_EQ(boost::json::serialize(properties.at("n_results")), R"({"type":"integer","description":"How many."})");
  EXPECT_EQ(boost::json::serialize(schema.at("required")), R"(["action"])");
  EXPECT_EQ(boost::json::parse(tool->output_schema).at("type"), "object");
}

}  // namespace
}  // namespace memd::mcp
