#include "protocol/mcp/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace {

using memd::mcp::SchemaUse;
using testing::HasSubstr;

struct Params {
  std::string query;
  std::int64_t n_results = 10;
  double threshold = 0.5;
  bool exact = false;
  std::optional<std::string> style;
  std::optional<int> day;
  std::vector<std::string> platforms;
};

enum class Colour { red, green };
std::string_view to_string(Colour c) { return c == Colour::red ? "red" : "green"; }

struct Base {
  std::int64_t total = 0;
};
struct Hit {
  std::string id;
  double score = 0;
  std::optional<std::string> branch;
};
struct Out : Base {
  std::vector<Hit> results;
  std::map<std::string, std::int64_t> counts;
  std::vector<std::pair<std::string, std::string>> freshness;
  Colour colour = Colour::green;
};

}  // namespace

MEMD_DESCRIBE(Params, field<&T::query>("What to look for.", required, length(1, 20)),
              field<&T::n_results>("How many.", range(1, 50)), field<&T::threshold>("Lowest score.", range(0, 0.75)),
              field<&T::exact>("Match words as they are."),
              field("style", &T::style, "How much to show.", one_of("detailed", "brief")),
              field<&T::day>("Day of the month.", at_least(1)),
              field<&T::platforms>("Only these.", one_of("cursor", "cline"), max_items(2)));
MEMD_DESCRIBE(Base, field<&T::total>("All there is."));
MEMD_DESCRIBE(Hit, field<&T::id>("Short id."), field<&T::score>("1 is best."), field<&T::branch>("Git branch."));
MEMD_DESCRIBE(Out, kFieldsOf<Base>, field<&T::results>("Hits."), field<&T::counts>("Hits of each platform."),
              field<&T::freshness>("How far behind."), field<&T::colour>("A colour.", one_of("red", "green")));

namespace {

memd::Result<Params> read(std::string_view text) {
  const auto v = boost::json::parse(boost::json::string_view(text.data(), text.size()));
  return memd::mcp::read_arguments<Params>(v.get_object());
}
std::string problem(std::string_view text) {
  const auto r = read(text);
  return r ? "no problem" : r.error().message();
}

TEST(Describe, InputSchemaIsFlatAndSaysWhatAModelNeeds) {
  EXPECT_EQ(memd::mcp::json_schema<Params>(SchemaUse::input),
            R"({"type":"object","properties":{)"
            R"("query":{"type":"string","description":"What to look for."},)"
            R"("n_results":{"type":"integer","minimum":1,"maximum":50,"description":"How many.","default":10},)"
            R"("threshold":{"type":"number","minimum":0,"maximum":0.75,"description":"Lowest score.","default":0.5},)"
            R"("exact":{"type":"boolean","description":"Match words as they are."},)"
            R"("style":{"type":"string","enum":["detailed","brief"],"description":"How much to show."},)"
            R"("day":{"type":"integer","minimum":1,"description":"Day of the month."},)"
            R"("platforms":{"type":"array","items":{"type":"string","enum":["cursor","cline"]},)"
            R"("description":"Only these."}},"required":["query"]})");
}

TEST(Describe, OutputSchemaWritesNestedObjectsInPlace) {
  EXPECT_EQ(memd::mcp::json_schema<Out>(SchemaUse::output),
            R"({"type":"object","properties":{"total":{"type":"integer","description":"All there is."},)"
            R"("results":{"type":"array","items":{"type":"object","properties":{)"
            R"("id":{"type":"string","description":"Short id."},)"
            R"("score":{"type":"number","description":"1 is best."},)"
            R"("branch":{"type":"string","description":"Git branch."}},"required":["id","score"]},)"
            R"("description":"Hits."},)"
            R"("counts":{"type":"object","additionalProperties":{"type":"integer"},)"
            R"("description":"Hits of each platform."},)"
            R"("freshness":{"type":"object","additionalProperties":{"type":"string"},)"
            R"("description":"How far behind."},)"
            R"("colour":{"type":"string","enum":["red","green"],"description":"A colour."}},)"
            R"("required":["total","results","counts","freshness","colour"]})");
}

TEST(Describe, ValueFollowsTheSchema) {
  Out out;
  out.total = 3;
  out.results = {{"x1", 0.25, std::nullopt}, {"x2", 1, "ma\"in"}};
  out.counts = {{"cursor", 2}};
  out.freshness = {{"z", "1 s"}, {"a", "2 s"}};
  EXPECT_EQ(memd::mcp::to_json(out),
            R"({"total":3,"results":[{"id":"x1","score":0.25},{"id":"x2","score":1,"branch":"ma\"in"}],)"
            R"("counts":{"cursor":2},"freshness":{"z":"1 s","a":"2 s"},"colour":"green"})");
}

TEST(Describe, BytesThatAreNotUtf8AreReplaced) {
  std::string out;
  memd::json::append_string(out, "a\xff\xc3\xa9\xed\xa0\x80z\n\x01");
  EXPECT_EQ(out, "\"a\xEF\xBF\xBD\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\\n\\u0001\"");
}

TEST(Arguments, DefaultsComeFromTheStruct) {
  const auto p = read(R"({"query":"q"})");
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_EQ(p->n_results, 10);
  EXPECT_EQ(p->style, std::nullopt);
  EXPECT_TRUE(p->platforms.empty());
}

TEST(Arguments, AreTakenLenientlyWhereTheMeaningIsClear) {
  const auto p = read(
      R"({"query":"q","n_results":"5","threshold":"0.25","exact":"true","style":null,"day":7.0,"platforms":"cursor"})");
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_EQ(p->n_results, 5);
  EXPECT_EQ(p->threshold, 0.25);
  EXPECT_TRUE(p->exact);
  EXPECT_EQ(p->style, std::nullopt);
  EXPECT_EQ(p->day, 7);
  EXPECT_EQ(p->platforms, std::vector<std::string>{"cursor"});
}

TEST(Arguments, ProblemsNameTheArgumentWhatWasSentAndWhatToSend) {
  EXPECT_EQ(problem(R"({"query":"q","n_results":500})"), "n_results: 500 is out of range, send 1 to 50");
  EXPECT_EQ(problem(R"({"query":"q","n_results":5.5})"), "n_results: got 5.5, send an integer from 1 to 50");
  EXPECT_EQ(problem(R"({"query":"q","n_results":[]})"), "n_results: got an array, send an integer from 1 to 50");
  EXPECT_EQ(problem(R"({"query":"q","n_results":1e300})"), "n_results: got 1e+300, send an integer from 1 to 50");
  EXPECT_EQ(problem(R"({})"), "query: is required and was not sent");
  EXPECT_EQ(problem(R"({"query":null})"), "query: is required and was not sent");
  EXPECT_EQ(problem(R"({"query":""})"), "query: is empty, send some text");
  EXPECT_EQ(problem(R"({"query":"123456789012345678901"})"), "query: 21 characters is too long, send at most 20");
  EXPECT_EQ(problem(R"({"query":7})"), "query: got 7, send a string");
  EXPECT_EQ(problem(R"({"query":"q","style":"long"})"), R"(style: "long" is not known, send one of detailed, brief)");
  EXPECT_EQ(problem(R"({"query":"q","day":0})"), "day: 0 is out of range, send 1 to 2147483647");
  EXPECT_EQ(problem(R"({"query":"q","exact":1})"), "exact: got 1, send true or false");
  EXPECT_EQ(problem(R"({"query":"q","platforms":["cursor","vim"]})"),
            R"(platforms[1]: "vim" is not known, send one of cursor, cline)");
  EXPECT_EQ(problem(R"({"query":"q","platforms":["cline","cline","cline"]})"),
            "platforms: 3 items is too many, send at most 2");
}

TEST(Arguments, AnUnknownNameGetsTheNearestOne) {
  EXPECT_EQ(problem(R"({"query":"q","nResults":5})"),
            R"("nResults": is not an argument of this tool, did you mean n_results?)");
  EXPECT_THAT(problem(R"({"query":"q","xyz":5})"), HasSubstr("it takes query, n_results, threshold"));
}

TEST(Arguments, AllProblemsAreListed) {
  EXPECT_EQ(problem(R"({"n_results":0,"platform":"cursor"})"),
            "query: is required and was not sent\nn_results: 0 is out of range, send 1 to 50\n"
            R"("platform": is not an argument of this tool, did you mean platforms?)");
}

}  // namespace
