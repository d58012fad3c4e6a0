// Random calls of every tool over a generated store. test/e2e/budgets.test.mjs does the same over real histories, with
// a real tokenizer.
#include "protocol/mcp/tool_registry.hpp"
#include "test/support/random_arguments.hpp"
#include "test/support/stated_facts.hpp"
#include "test/support/tool_fixture.hpp"

namespace memd::test {
namespace {

constexpr std::int64_t kLeastRoom = 700;  // tokens; any answer fits into this budget

class RandomCalls : public ToolFixture {
 protected:
  RandomCalls() {
    std::vector<std::string> sessions{"latest"};
    std::vector<std::string> ids;
    for (int s = 0; s < 12; ++s) {
      const Platform platform = s % 3 == 2 ? Platform::cursor : Platform::claude_code;
      const auto pk = store.session({.native_id = "aaaa" + std::to_string(1000 + s),
                                     .title = "Session \"" + std::to_string(s) + "\" über 決定 </history>",
                                     .platform = platform,
                                     .project = "/home/u/app-" + std::to_string(s % 4),
                                     .start = kNow - s * kMsPerDay});
      sessions.push_back(make_session_uid(platform, "aaaa" + std::to_string(1000 + s)));
      for (const ExchangeId id : fill(pk, s % 2 == 0 ? "token bucket" : "schema migration", 4 + s))
        ids.push_back(format_exchange_id(id));
      ExchangeTexts odd;
      odd.user = "전반적으로 코드 이름을 바꿔줘 " + std::string(300, '-') + " aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0";
      for (int i = 0; i < 80; ++i)
        odd.answer += "{\"line\": \"" + std::to_string(i * 7919) + "\",\t\"path\": \"C:\\\\x\"} <history>\n";
      odd.files = {"/home/u/app-0/src/limiter.cpp", "/home/u/app-0/README.md"};
      ids.push_back(format_exchange_id(store.exchange(pk, odd)));
      store.event(pk, EventKind::tool_call, "Bash", "make test");
      store.event(pk, EventKind::tool_result, "Bash", "2 failed\nof 40");
    }
    random.know("session_id", sessions);
    random.know("ids", ids);
    random.know("query",
                {"token bucket", "why did case 3 fail", "schema", "limiter.cpp", "코드 이름", "\"quoted\" name"});
    random.know("topic", {"token bucket", "schema migration", "nothing of the kind"});
    random.know("project", {"app-1", "app", "/home/u/app-2"});
    random.know("cwd", {"/home/u/app-1", "/home/u/app-2/src", "/home/u", "/nowhere"});
    random.know("path", {"/home/u/app-0/src/limiter.cpp", "limiter.cpp", "README.md"});
  }

  void check(const mcp::Tool& tool, const RandomArguments::Drawn& drawn) {
    const std::string arguments = boost::json::serialize(drawn.arguments);
    SCOPED_TRACE(tool.info.name + " " + arguments);
    const mcp::ToolOutcome out = outcome(tool.info.name, arguments);
    const auto* asked = drawn.arguments.if_contains("max_tokens");
    if (out.is_error) {
      ++errors;
      EXPECT_FALSE(out.unexpected) << out.text;
      EXPECT_TRUE(out.structured.empty());
      EXPECT_TRUE(has(out.text, drawn.wrong)) << out.text;
      EXPECT_FALSE(has(out.text, "is too little") && (asked == nullptr || asked->as_int64() >= kLeastRoom)) << out.text;
      return;
    }
    ++answers;
    EXPECT_EQ(drawn.wrong, "") << "was taken";
    const auto answer = boost::json::parse(out.structured);
    const auto schema = boost::json::parse(tool.whole_schema());
    EXPECT_EQ(schema_problems(schema.as_object(), answer), "") << out.structured;
    const bool bounded = has(tool.input_schema, "\"max_tokens\"");
    const std::size_t limit = asked != nullptr ? static_cast<std::size_t>(asked->as_int64()) : bounded ? 2000 : 8000;
    EXPECT_LE(estimate_tokens(out.structured), limit) << out.structured;
    EXPECT_LE(estimate_tokens(out.text), limit) << out.text;
    EXPECT_GE(answer.at("est_tokens").as_int64() + 2, static_cast<std::int64_t>(estimate_tokens(out.structured)));
    EXPECT_EQ(StatedFacts(out.text).missing(answer.as_object()), "") << out.text;
  }

  RandomArguments random{20260209};
  int answers = 0;
  int errors = 0;
};

TEST_F(RandomCalls, KeepToTheBudgetTheSchemaAndTheFacts) {
  open();
  std::vector<boost::json::object> schemas;
  for (const mcp::Tool& tool : registry.tools())
    schemas.push_back(boost::json::parse(tool.input_schema).as_object());
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    const std::size_t n = random.below(schemas.size());
    check(registry.tools()[n], random.draw(schemas[n]));
  }
  EXPECT_GT(answers, 700);
  EXPECT_GT(errors, 150);
}

TEST(StatedFacts, MissesWhatTheTextDoesNotSay) {
  const auto answer = boost::json::parse(
      R"({"id":"x1","n":17,"score":0.618,"time":"2026-02-09T06:00:00.000Z","none":"","no":false,"zero":0,"est_tokens":9})");
  EXPECT_EQ(StatedFacts("x1: 17 of 2026-02-09 06:00, 0.62").missing(answer.as_object()), "");
  EXPECT_EQ(StatedFacts("x1: 170, 2026-02-09 06:00, 0.62").missing(answer.as_object()), "n: 17\n");
  EXPECT_EQ(StatedFacts("17 0.62").missing(answer.as_object()), "id: \"x1\"\ntime: \"2026-02-09T06:00:00.000Z\"\n");
}

}  // namespace
}  // namespace memd::test
