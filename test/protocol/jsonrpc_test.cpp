#include "protocol/jsonrpc/message.hpp"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

namespace {

using namespace memd::jsonrpc;

Incoming parse(std::string_view line) { return MessageParser().parse(line); }

template <class T>
T get(Incoming m) {
  EXPECT_TRUE(std::holds_alternative<T>(m)) << "alternative " << m.index();
  return std::holds_alternative<T>(m) ? std::get<T>(std::move(m)) : T{};
}
Invalid invalid(std::string_view line) { return get<Invalid>(parse(line)); }

TEST(MessageParser, KeepsIdsAsTheyCame) {
  EXPECT_EQ(get<Request>(parse(R"({"jsonrpc":"2.0","id":7,"method":"m"})")).id, "7");
  EXPECT_EQ(get<Request>(parse(R"({"jsonrpc":"2.0","id":-1,"method":"m"})")).id, "-1");
  EXPECT_EQ(get<Request>(parse(R"({"jsonrpc":"2.0","id":"7","method":"m"})")).id, R"("7")");
  EXPECT_EQ(get<Request>(parse(R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"m"})")).id,
            "18446744073709551615");
  EXPECT_EQ(get<Request>(parse(R"({"jsonrpc":"2.0","id":"a\"b\u0001","method":"m"})")).id, R"("a\"b\u0001")");
}

TEST(MessageParser, RefusesOtherIds) {
  for (const auto* id : {"null", "1.5", "true", "[]", "{}"}) {
    const auto r = invalid(std::string(R"({"jsonrpc":"2.0","method":"m","id":)") + id + "}");
    EXPECT_EQ(r.code, kInvalidRequest) << id;
    EXPECT_FALSE(r.id) << id;
  }
}

TEST(MessageParser, TellsTheKindsApart) {
  EXPECT_EQ(get<Notification>(parse(R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})")).method, "n");
  get<Response>(parse(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  get<Response>(parse(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}})"));
  EXPECT_FALSE(get<Response>(parse(R"({"jsonrpc":"2.0","id":1,"result":{}})")).is_error);
  EXPECT_TRUE(get<Response>(parse(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})")).is_error);
  const auto r = get<Request>(parse(R"({"jsonrpc":"2.0","id":1,"method":"m"})"));
  EXPECT_TRUE(r.params.is_object());
}

TEST(MessageParser, NamesWhatIsWrong) {
  EXPECT_EQ(invalid("{").code, kParseError);
  EXPECT_EQ(invalid("").code, kParseError);
  EXPECT_EQ(invalid("{} {}").code, kParseError);
  EXPECT_EQ(invalid("\xff\xfe").code, kParseError);
  EXPECT_EQ(invalid("3").code, kInvalidRequest);
  EXPECT_EQ(invalid(R"({"id":1,"method":"m"})").code, kInvalidRequest);
  EXPECT_EQ(invalid(R"({"id":1,"method":"m"})").id, "1");
  EXPECT_EQ(invalid(R"({"jsonrpc":"2.0","id":1})").code, kInvalidRequest);
  EXPECT_EQ(invalid(R"({"jsonrpc":"2.0","id":1,"method":5})").code, kInvalidRequest);
  EXPECT_EQ(invalid(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})").code, kInvalidParams);
}

// Rust clients write the id before the method, JavaScript clients after the params.
TEST(MessageParser, TheIdOfACutRequestIsReadFromEitherEnd) {
  EXPECT_EQ(
      id_of_cut_request(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","a":"bb)", "bb\"}}"),
      "7");
  EXPECT_EQ(id_of_cut_request(R"( { "id" : "a\"b" , "method":"m","params":{"a":")", "\"}}"), R"("a\"b")");
  EXPECT_EQ(id_of_cut_request(R"({"method":"m","params":{"id":5,"a":"bb)", R"(bb"},"jsonrpc":"2.0","id":8})"), "8");
  EXPECT_EQ(id_of_cut_request(R"({"method":"m","params":{"a":"bb)", R"(bb"}, "id": "x", "jsonrpc": "2.0" } )"),
            R"("x")");
  EXPECT_EQ(id_of_cut_request(R"({"method":"m","params":{"a":"bb)", R"(bb"},"id":8})"), "8");
  for (const auto& [begin, end] : std::vector<std::pair<std::string_view, std::string_view>>{
           {R"({"jsonrpc":"2.0","id":7,"result":{"a":")", R"("}})"},
           {R"({"result":{"a":")", R"("},"jsonrpc":"2.0","id":3})"},
           {R"({"jsonrpc":"2.0","method":"m","params":{"id":5,"a":"b)", R"(b","id":5}})"},
           {R"({"jsonrpc":"2.0","method":"m","params":{"a":"b)", R"(\"jsonrpc\":\"2.0\",\"id\":5}"}})"},
           {R"({"jsonrpc":"2.0","id":null,"method":"m","params":{)", "}}"},
           {R"([{"jsonrpc":"2.0","id":1,"method":"m","params":{)", "}}]"},
           {R"({"jsonrpc":"2.0","id":1)", R"(,"id":1)"},
           {"", ""},
           {"xxxx", "xxxx"},
           {"{", "}"}})
    EXPECT_EQ(id_of_cut_request(begin, end), std::nullopt) << begin << " … " << end;
  const auto too_long = invalid(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":")" +
                                std::string(kMaxMessageBytes, 'x') + R"("}})");
  EXPECT_EQ(too_long.id, "7");
}

// JavaScript writes half of a surrogate pair where a text was cut. Rejecting such a message would give an error without
// an id, which no client waits for.
TEST(MessageParser, WhatIsNoUnicodeIsReplaced) {
  const auto text_of = [](std::string_view text) {
    const auto r =
        get<Request>(parse(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"q":")" + std::string(text) + "\"}}"));
    const auto* q = r.params.is_object() ? r.params.get_object().if_contains("q") : nullptr;
    return q != nullptr ? std::string(q->get_string()) : "no text";
  };
  EXPECT_EQ(text_of(R"(cut \ud83d)"), "cut \uFFFD");
  EXPECT_EQ(text_of(R"(\ude80 \ud83d\ude80 \ud83d\ud83d\ude80)"), "\uFFFD 🚀 \uFFFD🚀");
  EXPECT_EQ(text_of(R"(\\ud83d \ud83dx \ud83d\n)"), "\\ud83d \uFFFDx \uFFFD\n") << "of a backslash and letters";
  EXPECT_EQ(text_of("a\xff\xc3 é"), "a\uFFFD\uFFFD é");
  EXPECT_EQ(invalid(R"({"jsonrpc":"2.0","id":1,"method":"\ud83d)").code, kParseError);
  EXPECT_FALSE(mended_text(R"(é \ud83d\ude80 \u0041 \)"));
}

TEST(EnvelopeReader, SeesMessagesWithWhatIsNoUnicode) {
  EnvelopeReader reader;
  const auto& seen = reader.read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"\ud83d"}})");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].id, "1");
}

TEST(MessageParser, LimitsDepth) {
  const std::string deep = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" + std::string(kMaxDepth, '[') +
                           std::string(kMaxDepth, ']') + "}}";
  EXPECT_EQ(invalid(deep).code, kParseError);
  EXPECT_EQ(invalid(std::string(1000000, '[')).code, kParseError);
}

TEST(MessageParser, GoesOnAfterAnError) {
  MessageParser parser;
  get<Invalid>(parser.parse(R"({"jsonrpc": "2.)"));
  EXPECT_EQ(get<Request>(parser.parse(R"({"jsonrpc":"2.0","id":2,"method":"m"})")).id, "2");
}

TEST(MessageParser, ParamsOutliveTheParser) {
  boost::json::value params;
  {
    MessageParser parser;
    auto r = get<Request>(parser.parse(R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"k":["v","w"]}})"));
    params = std::move(r.params);
    parser.parse(R"({"jsonrpc":"2.0","id":2,"method":"m","params":{"z":["x"]}})");
  }
  EXPECT_EQ(params.at("k").at(1).as_string(), "w");
}

TEST(MessageParser, Batches) {
  const auto b = get<Batch>(parse(R"([{"jsonrpc":"2.0","id":1,"method":"m"},7,{"jsonrpc":"2.0","method":"n"}])"));
  ASSERT_EQ(b.messages.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Request>(b.messages[0]));
  EXPECT_TRUE(std::holds_alternative<Invalid>(b.messages[1]));
  EXPECT_TRUE(std::holds_alternative<Notification>(b.messages[2]));
  EXPECT_EQ(invalid("[]").code, kInvalidRequest);
  std::string many = "[1";
  for (std::size_t i = 0; i < kMaxBatch; ++i)
    many += ",1";
  EXPECT_EQ(invalid(many + "]").code, kInvalidRequest);
}

TEST(Lines, AreJsonRpc) {
  EXPECT_EQ(result_line("1", "{}"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(error_line(std::nullopt, -32700, "no\njson"),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no\njson"}})");
  EXPECT_EQ(error_line("\"a\"", -1, "m", R"([1])"),
            R"({"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"m","data":[1]}})");
}

}  // namespace
