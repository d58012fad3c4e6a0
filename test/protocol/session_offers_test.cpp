#include "test/protocol/session_fixture.hpp"
#include "test/support/sample_offers.hpp"

namespace memd::test {
namespace {

class Offered : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    add_sample_resources(resources, notes);
    add_sample_prompts(prompts, notes);
    offers = {&resources, &prompts};
  }
  boost::json::object ask(std::string_view method, std::string_view params = "{}") {
    request("1", method, params);
    steps.run_all();
    return take_one();
  }
  boost::json::object ask_modern(std::string_view method, std::string_view more = "") {
    return ask(method, "{" + kModernMeta + (more.empty() ? "" : ",") + std::string(more) + "}");
  }
  static std::int64_t code(const boost::json::object& message) { return message.at("error").at("code").as_int64(); }

  SampleNotes notes;
  mcp::ResourceRegistry resources;
  mcp::PromptRegistry prompts;
};

TEST_F(Offered, CapabilitiesHaveTheShapeOfTheRevision) {
  const auto offered = R"("prompts":{},"resources":{"listChanged":true,"subscribe":true},"tools":{}})";
  for (const auto* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    const auto answer = ask("initialize", std::string(R"({"protocolVersion":")") + version + R"("})");
    const std::string first =
        std::string_view(version) == "2024-11-05" ? R"({"logging":{},)" : R"({"completions":{},"logging":{},)";
    EXPECT_EQ(answer.at("result").at("capabilities"), parse(first + offered)) << version;
  }
  const auto discovered = ask_modern("server/discover");
  EXPECT_EQ(discovered.at("result").at("capabilities"), parse(std::string(R"({"completions":{},)") + offered));
}

TEST_F(Offered, ListsInPages) {
  initialize("2025-11-25");
  auto result = ask("resources/list").at("result").as_object();
  ASSERT_EQ(result.at("resources").as_array().size(), 2U);
  EXPECT_EQ(result.at("resources").at(0), parse(R"({"uri":"note://n/a%20b","name":"a b","title":"Title",)"
                                                R"("description":"About it","mimeType":"text/plain",)"
                                                R"("annotations":{"lastModified":"2026-01-02T03:04:05Z"}})"));
  const std::string cursor(result.at("nextCursor").as_string());
  result = ask("resources/list", R"({"cursor":")" + cursor + R"("})").at("result").as_object();
  EXPECT_EQ(result.at("resources").as_array().size(), 1U);
  EXPECT_FALSE(result.contains("nextCursor"));
  EXPECT_FALSE(result.contains("ttlMs"));
  EXPECT_EQ(code(ask("resources/list", R"({"cursor":"no"})")), -32602);
  EXPECT_EQ(code(ask("resources/list", R"({"cursor":7})")), -32602);
  EXPECT_TRUE(failures.empty()) << "the caller's mistakes are not ours";
}

TEST_F(Offered, OldRevisionsGetNoTitles) {
  initialize("2024-11-05");
  const auto entry = ask("resources/list").at("result").at("resources").at(0).as_object();
  EXPECT_FALSE(entry.contains("title"));
  EXPECT_FALSE(entry.contains("annotations"));
  EXPECT_FALSE(ask("prompts/list").at("result").at("prompts").at(0).as_object().contains("title"));
}

TEST_F(Offered, ModernListsSayHowLongTheyHold) {
  for (const auto* method : {"resources/list", "resources/templates/list", "prompts/list"}) {
    const auto result = ask_modern(method).at("result").as_object();
    EXPECT_EQ(result.at("resultType").as_string(), "complete") << method;
    EXPECT_GE(result.at("ttlMs").as_int64(), 0) << method;
    EXPECT_EQ(result.at("cacheScope").as_string(), "private") << method;
    EXPECT_TRUE(result.at("_meta").as_object().contains("io.modelcontextprotocol/serverInfo")) << method;
  }
}

TEST_F(Offered, TemplatesAndPrompts) {
  initialize("2025-11-25");
  EXPECT_EQ(ask("resources/templates/list").at("result").at("resourceTemplates").at(0),
            parse(R"({"uriTemplate":"note://n/{name}","name":"note","title":"A note",)"
                  R"("description":"What a note says.","mimeType":"text/markdown"})"));
  EXPECT_EQ(ask("prompts/list").at("result").at("prompts").at(0),
            parse(R"({"name":"greet","title":"Greet","description":"Greets somebody.","arguments":[)"
                  R"({"name":"who","description":"Whom.","required":true},)"
                  R"({"name":"times","description":"How often.","required":false}]})"));
  EXPECT_EQ(code(ask("prompts/list", R"({"cursor":"x"})")), -32602);
  EXPECT_EQ(code(ask("resources/templates/list", R"({"cursor":"x"})")), -32602);
}

TEST_F(Offered, ReadsInBothEras) {
  initialize("2025-11-25");
  EXPECT_EQ(ask("resources/read", R"({"uri":"note://n/a%20b"})").at("result"),
            parse(R"({"contents":[{"uri":"note://n/a%20b","mimeType":"text/markdown","text":"text of a b"}]})"));
  const auto modern = ask_modern("resources/read", R"("uri":"note://n/two")").at("result").as_object();
  EXPECT_EQ(modern.at("contents").at(0).at("text").as_string(), "text of two");
  EXPECT_EQ(modern.at("resultType").as_string(), "complete");
  EXPECT_EQ(modern.at("ttlMs").as_int64(), 0);
}

TEST_F(Offered, AMissingResourceHasACodeOfItsEra) {
  initialize("2025-11-25");
  for (const auto* uri : {"note://n/none", "note://n/", "other://n/a", "note://n/%zz"}) {
    const std::string params = R"("uri":")" + std::string(uri) + "\"";
    const auto legacy = ask("resources/read", "{" + params + "}");
    EXPECT_EQ(code(legacy), -32002) << uri;
    EXPECT_EQ(legacy.at("error").at("data").at("uri").as_string(), uri);
    const auto modern = ask_modern("resources/read", params);
    EXPECT_EQ(code(modern), -32602) << uri;
    EXPECT_EQ(modern.at("error").at("data").at("uri").as_string(), uri);
  }
  EXPECT_EQ(code(ask("resources/read")), -32602);
  EXPECT_TRUE(failures.empty());
}

TEST_F(Offered, PromptsBecomeMessages) {
  initialize("2025-11-25");
  EXPECT_EQ(ask("prompts/get", R"({"name":"greet","arguments":{"who":"Ada","times":"2"}})").at("result"),
            parse(R"({"description":"Greets somebody.","messages":[)"
                  R"({"role":"user","content":{"type":"text","text":"Hello Ada"}},)"
                  R"({"role":"user","content":{"type":"text","text":"Hello Ada"}}]})"));
  EXPECT_TRUE(ask_modern("prompts/get", R"("name":"greet","arguments":{"who":"Ada"})")
                  .at("result")
                  .as_object()
                  .contains("resultType"));
  const auto missing = ask("prompts/get", R"({"name":"greet"})");
  EXPECT_EQ(code(missing), -32602);
  EXPECT_THAT(std::string(missing.at("error").at("message").as_string()), testing::HasSubstr("who"));
  EXPECT_EQ(code(ask("prompts/get", R"({"name":"none"})")), -32602);
  EXPECT_EQ(code(ask("prompts/get", R"({"name":"greet","arguments":[]})")), -32602);
}

TEST_F(Offered, CompletionOfBothKinds) {
  initialize("2025-11-25");
  const auto complete = [&](std::string_view ref, std::string_view argument) {
    return ask("completion/complete",
               R"({"ref":)" + std::string(ref) + R"(,"argument":)" + std::string(argument) + "}");
  };
  const auto* const note = R"({"type":"ref/resource","uri":"note://n/{name}"})";
  const auto* const greet = R"({"type":"ref/prompt","name":"greet"})";
  EXPECT_EQ(complete(note, R"({"name":"name","value":"t"})").at("result").at("completion"),
            parse(R"({"values":["three","two"],"total":2,"hasMore":false})"));
  EXPECT_EQ(complete(greet, R"({"name":"who","value":"tw"})").at("result").at("completion").at("values"),
            parse(R"(["two"])"));
  EXPECT_EQ(complete(greet, R"({"name":"times","value":""})").at("result").at("completion").at("values"), parse("[]"))
      << "nothing is known of it";
  for (const auto* bad :
       {R"({"type":"ref/prompt","name":"no"})", R"({"type":"ref/resource","uri":"no"})", R"({"type":"ref/what"})", "7"})
    EXPECT_EQ(code(complete(bad, R"({"name":"who","value":""})")), -32602) << bad;
  EXPECT_EQ(code(complete(greet, R"({"name":"who"})")), -32602);
}

TEST_F(Offered, NeverMoreThanAHundredValues) {
  initialize("2025-11-25");
  for (int i = 0; i < 150; ++i)
    notes.notes["n" + std::to_string(i)] = "x";
  const auto completion = ask("completion/complete",
                              R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"n"}})")
                              .at("result")
                              .at("completion")
                              .as_object();
  EXPECT_EQ(completion.at("values").as_array().size(), 100U);
  EXPECT_EQ(completion.at("total").as_int64(), 150);
  EXPECT_TRUE(completion.at("hasMore").as_bool());
}

TEST_F(Offered, ReadingCanBeCancelled) {
  initialize("2025-11-25");
  request("1", "resources/read", R"({"uri":"note://n/two"})");
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  steps.run_all();
  EXPECT_TRUE(take().empty());
}

}  // namespace
}  // namespace memd::test
