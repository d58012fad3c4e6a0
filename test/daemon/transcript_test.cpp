// Exports of sessions for reading, and as JSON.
#include "daemon/interchange/transcript.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "schemas/base/embedded.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/json_schema.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <fstream>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using interchange::TranscriptWriter;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kKey = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
constexpr std::string_view kId = "22222222-2222-4222-8222-222222222222";

// Returns a session with everything that could break a page: markup, fences, a secret, a failed call, a call without a
// result.
std::string whole_transcript() {
  int n = 0;
  std::string text;
  const auto line = [&](const std::string& role, const std::string& content) {
    const std::string id = "00000000-0000-4000-8000-00000000000" + std::to_string(++n);
    text += R"({"type":")" + role + R"(","uuid":")" + id + R"(","timestamp":"2026-03-03T09:12:0)" + std::to_string(n) +
            R"(.000Z","sessionId":")" + std::string(kId) +
            R"(","cwd":"/home/ada/app","version":"2.1.40","message":{"role":")" + role + R"(","id":"msg_)" +
            std::to_string(n) + R"(",)" +
            (role == "assistant" ? R"("model":"m","usage":{"input_tokens":3,"output_tokens":5},)" : "") +
            R"("content":)" + content + "}}\n";
  };
  line("user", R"("</details><script>alert(1)</script>\n# not a heading\nwith )" + std::string(kKey) + R"(")");
  line(
      "assistant",
      R"([{"type":"text","text":"An **open** block in `a<b>`:\n`a**b` **bold** `x` **`y`** ** alone\n\n```cpp\nint x = a < b;"}])");
  line("assistant", R"([{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cat README.md"}}])");
  line("assistant", R"([{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"sleep 9"}}])");
  line("user", R"([{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"````\n</pre></summary> ````` )" +
                   std::string(3000, 'o') + R"( end"}])");
  line("user", R"("Go on.")");
  line("assistant", R"([{"type":"text","text":"Done."}])");
  text += R"x({"type":"ai-title","aiTitle":"</h2><img src=x onerror=alert(2)> | [a](b)","sessionId":")x" +
          std::string(kId) + "\"}\n";
  return text;
}

class Transcript : public testing::Test {
 protected:
  Transcript() {
    const fs::path folder = home_ / ".claude/projects/-home-ada-app";
    fs::create_directories(folder);
    std::ofstream(folder / (std::string(kId) + ".jsonl"), std::ios::binary) << whole_transcript();
    const test::FakeClock clock;
    const Discovery discovery(all_adapters(), home_.path(), {}, {});
    auto writer = Writer::open(database_, clock);
    IngestService service(discovery, clock);
    EXPECT_TRUE(service.start(std::move(*writer)));
    service.scan();
    EXPECT_TRUE(service.block_until_idle(60s));
  }

  using MakeWriter = std::unique_ptr<TranscriptWriter> (*)(interchange::WriteLine);
  std::string written(MakeWriter make) {
    Reader reader(database_);
    RecordFinder records(database_, {});
    std::string out;
    const auto writer = make([&](std::string_view line) -> Result<void> {
      out.append(line) += '\n';
      return {};
    });
    const auto report =
        interchange::write_transcript(reader, records, reader.ask(SessionQuery{"latest"}).value(), *writer, {});
    EXPECT_TRUE(report) << report.error().message();
    EXPECT_TRUE(writer->finish());
    EXPECT_THAT(out, Not(HasSubstr(std::string(kKey))));
    EXPECT_THAT(out, HasSubstr("[redacted:"));
    EXPECT_THAT(out, HasSubstr(std::string(3000, 'o') + " end")) << "whole";
    return out;
  }

  test::TempDir home_;
  fs::path database_ = home_ / "memd.db";
};

TEST_F(Transcript, JsonIsAsItsSchemaSays) {
  const auto value = boost::json::parse(
      written([](interchange::WriteLine line) { return interchange::json_writer(std::move(line), {}); }));
  const auto& files = embedded::json_schema_files();
  const auto file =
      std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "transcript.v1.schema.json"; });
  ASSERT_NE(file, files.end());
  EXPECT_EQ(test::JsonSchema(boost::json::parse(file->text)).problems(value), "");
  const auto& session = value.at("sessions").at(0);
  EXPECT_EQ(session.at("session").at("session_id").as_string(), "claude_code:" + std::string(kId));
  const auto& exchanges = session.at("exchanges").as_array();
  ASSERT_EQ(exchanges.size(), 2u);
  std::string kinds;
  for (const auto& entry : exchanges[0].at("entries").as_array())
    kinds += std::string(entry.at("kind").as_string()) + " ";
  EXPECT_EQ(kinds, "prompt answer call call ");
  const auto& call = exchanges[0].at("entries").at(2);
  EXPECT_TRUE(call.at("is_error").as_bool());
  EXPECT_THAT(std::string(call.at("text").as_string()), HasSubstr("cat README.md"));
  EXPECT_TRUE(std::string_view(call.at("result").as_string()).starts_with("````\n</pre>"));
  EXPECT_FALSE(exchanges[0].at("entries").at(3).as_object().contains("result"));
  EXPECT_EQ(exchanges[1].at("entries").at(1).at("text").as_string(), "Done.");
  EXPECT_EQ(session.at("events").at("partial").as_int64(), 0);
}

TEST_F(Transcript, MarkdownKeepsItsFencesAndItsHead) {
  const std::string text = written(interchange::markdown_writer);
  EXPECT_TRUE(text.starts_with("# \\</h2\\>\\<img src=x onerror=alert(2)\\> \\| \\[a\\](b)\n")) << text.substr(0, 80);
  EXPECT_THAT(text, HasSubstr("| Session | claude\\_code:22222222"));
  EXPECT_THAT(text, HasSubstr("| Agent | Claude Code"));
  EXPECT_THAT(text, HasSubstr("> </details><script>alert(1)</script>\n> # not a heading\n> with [redacted:"));
  EXPECT_THAT(text, HasSubstr("int x = a < b;\n```\n")) << "the open block is closed";
  EXPECT_THAT(text, HasSubstr("\n``````\n````\n</pre></summary> `````")) << "a fence longer than those inside";
  EXPECT_THAT(text, HasSubstr("sleep 9 (no result)</summary>"));
  EXPECT_THAT(text, HasSubstr("cat README.md (error)</summary>"));
  EXPECT_THAT(text, HasSubstr("Secrets that memd recognises are masked."));
}

TEST_F(Transcript, HtmlHoldsTextAsText) {
  const std::string page = written(interchange::html_writer);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;/details&gt;&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, HasSubstr("An <strong>open</strong> block in <code>a&lt;b&gt;</code>:"));
  EXPECT_THAT(page,
              HasSubstr("<code>a**b</code> <strong>bold</strong> <code>x</code> <strong>`y`</strong> ** alone</p>"));
  EXPECT_THAT(page, HasSubstr("<pre><code>int x = a &lt; b;\n</code></pre>"));
  EXPECT_THAT(page, HasSubstr("<details class=\"call failed\">"));
  const auto count = [&](std::string_view what) {
    int n = 0;
    for (std::size_t at = 0; (at = page.find(what, at)) != std::string::npos; at += what.size())
      ++n;
    return n;
  };
  EXPECT_EQ(count("<details"), count("</details>"));
  EXPECT_EQ(count("<pre>"), count("</pre>"));
  EXPECT_EQ(count("<article"), 2);
}

}  // namespace
}  // namespace memd
