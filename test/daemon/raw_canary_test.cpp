// Secrets in all places of transcripts of two agents: none may be in any file of the data directory, in an export, or
// in answers of tools.
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/interchange/session_walk.hpp"
#include "daemon/interchange/transcript.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/store_health.hpp"
#include "store/db/store_layout.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_file.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/reader_pool.hpp"
#include "test/support/canaries.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/tool_fixture.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <random>

namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;
using namespace std::chrono_literals;

// Hands out the canaries one after the other, and starts again after the last.
class CanarySource {
 public:
  std::string next() { return canaries_[at_++ % canaries_.size()].text; }
  const std::vector<test::Canary>& all() const { return canaries_; }

 private:
  std::vector<test::Canary> canaries_ = test::Canaries(20260309).make(3);
  std::size_t at_ = 0;
};

std::string claude_code(CanarySource& source, int records) {
  std::string out;
  for (int i = 0; i < records; ++i) {
    char uuid[40];
    std::snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012d", i);
    bj::object r{{"uuid", uuid},       {"timestamp", "2026-02-09T06:01:53.253Z"},
                 {"cwd", "/w/p"},      {"sessionId", "s"},
                 {"version", "2.1.7"}, {"gitBranch", "main"}};
    const std::string id = "t" + std::to_string(i / 5);
    switch (i % 5) {
      case 0:
        r["type"] = "user";
        r["message"] = {{"role", "user"}, {"content", source.next()}};
        break;
      case 1:
        r["type"] = "assistant";
        r["requestId"] = id;
        r["message"] = {{"id", "m" + id},
                        {"role", "assistant"},
                        {"model", "m"},
                        {"content", bj::array{bj::object{{"type", "text"}, {"text", source.next()}},
                                              bj::object{{"type", "thinking"}, {"thinking", source.next()}},
                                              bj::object{{"type", "tool_use"},
                                                         {"id", id},
                                                         {"name", "Bash"},
                                                         {"input", {{"command", source.next()}}}}}}};
        break;
      case 2:
        r["type"] = "user";
        r["message"] = {{"role", "user"},
                        {"content", bj::array{bj::object{
                                        {"type", "tool_result"}, {"tool_use_id", id}, {"content", source.next()}}}}};
        r["toolUseResult"] = {{"stdout", source.next()},
                              {"stderr", bj::serialize(bj::value{{"inner", source.next()}})}};
        break;
      case 3:
        r["type"] = "summary";
        r["summary"] = source.next();
        break;
      default:
        r["type"] = "of-a-kind-nobody-knows";
        r["payload"] = {{"deep", bj::array{bj::object{{"text", source.next()}}}}};
    }
    out += bj::serialize(r) + "\n";
  }
  return out;
}

std::string codex(CanarySource& source, int records) {
  const auto record = [](const char* type, const bj::object& payload) {
    return bj::serialize(bj::object{{"timestamp", "2026-03-04T10:00:01.000Z"}, {"type", type}, {"payload", payload}}) +
           "\n";
  };
  std::string out = record("session_meta", {{"id", "019c0000-0000-7000-8000-000000000001"},
                                            {"timestamp", "2026-03-04T10:00:00.000Z"},
                                            {"cwd", "/home/ada/app"},
                                            {"originator", "codex_cli_rs"},
                                            {"cli_version", "0.77.0"}});
  const auto text = [&](const char* role, const char* type) {
    return record("response_item", {{"type", "message"},
                                    {"role", role},
                                    {"content", bj::array{bj::object{{"type", type}, {"text", source.next()}}}}});
  };
  for (int i = 0; i < records; i += 4) {
    const std::string call = "call_" + std::to_string(i);
    out += text("user", "input_text");
    out += record("response_item",
                  {{"type", "function_call"},
                   {"name", "shell"},
                   {"call_id", call},
                   {"arguments", bj::serialize(bj::object{{"command", bj::array{"bash", "-lc", source.next()}}})}});
    out += record("response_item",
                  {{"type", "function_call_output"},
                   {"call_id", call},
                   {"output", bj::serialize(bj::object{{"output", source.next()}, {"metadata", {{"exit_code", 0}}}})}});
    out += text("assistant", "output_text");
  }
  return out;
}

class NothingNew final : public tools::FreshnessProvider {
 public:
  std::vector<PlatformFreshness> freshness() const override { return {}; }
  std::uint64_t generation() const override { return 1; }
};

class SecretCanaries : public testing::Test {
 protected:
  SecretCanaries() {
    test::write_file(home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl",
                     claude_code(source_, 500));
    test::write_file(
        home_ / ".codex/sessions/2026/03/04/rollout-2026-03-04T11-00-00-019c0000-0000-7000-8000-000000000001.jsonl",
        codex(source_, 640));
    const Discovery discovery(all_adapters(), home_.path(), {}, {});
    auto writer = Writer::open(layout_.database(), clock_, layout_.raw_dir());
    EXPECT_TRUE(writer) << writer.error().message();
    IngestOptions options;
    options.tailer.raw = RawMode::masked;
    IngestService service(discovery, clock_, options);
    EXPECT_TRUE(service.start(std::move(*writer)));
    service.scan();
    EXPECT_TRUE(service.block_until_idle(60s));
  }

  void expect_none_in(const std::string& bytes, std::string_view where) {
    std::size_t back = 0;
    for (const auto& canary : source_.all())
      for (const auto& piece : canary.pieces) {
        const std::size_t at = bytes.find(piece);
        if (at == std::string::npos) continue;
        ++back;
        ADD_FAILURE() << canary.kind << " in " << where << ": "
                      << bytes.substr(at - std::min<std::size_t>(at, 60), 160);
      }
    EXPECT_EQ(back, 0u) << "of " << source_.all().size() << " in " << where;
  }

  std::vector<SessionRow> sessions(Reader& reader) {
    SessionListQuery query;
    query.limit = 100;
    return reader.ask(query).value().sessions;
  }

  test::TempDir home_;
  test::TempDir data_;
  const StoreLayout layout_{data_.path()};
  test::FakeClock clock_;
  CanarySource source_;
};

TEST_F(SecretCanaries, NoneReachesAFileOfTheStoreOrTheRawLayer) {
  ASSERT_GE(source_.all().size(), 500u);
  std::string everything;
  for (const auto& entry : fs::recursive_directory_iterator(data_.path()))
    if (entry.is_regular_file()) everything += test::bytes_of(entry.path());
  expect_none_in(everything, "the files");
  raw::FrameCodec codec;
  std::string records;
  for (const auto& name : raw::raw_file_names(layout_.raw_dir())) {
    const std::string file = test::bytes_of(layout_.raw_dir() / name);
    for (const auto& f : raw::scan_frames(file, name, {}).value().frames) {
      auto content =
          codec.unpack(f.frame.packed_content(std::string_view(file).substr(f.offset)), f.frame.header.content_bytes());
      ASSERT_TRUE(content);
      records += *content;
    }
  }
  ASSERT_GT(records.size(), 100'000u);
  EXPECT_NE(records.find("[redacted:"), std::string::npos);
  expect_none_in(records, "the raw layer");
}

// Full texts are read from the agents' own files, which contain all secrets.
TEST_F(SecretCanaries, NoneStandsInWhatIsExported) {
  Reader reader(layout_.database());
  RecordFinder records(layout_.database(), {});
  ASSERT_EQ(sessions(reader).size(), 2u);
  for (const SessionRow& session : sessions(reader)) {
    std::string lines;
    const interchange::ExportSink sink{[&](std::string_view line) -> Result<void> {
                                         lines.append(line) += '\n';
                                         return {};
                                       },
                                       {}};
    ASSERT_TRUE(interchange::export_session(reader, records, session.pk, {clock_.now()}, sink));
    EXPECT_NE(lines.find("[redacted:"), std::string::npos);
    expect_none_in(lines, "the export");
    const interchange::WriteLine write = [&](std::string_view line) -> Result<void> {
      lines.append(line) += '\n';
      return {};
    };
    for (const auto& writer :
         {interchange::markdown_writer(write), interchange::html_writer(write), interchange::json_writer(write, {})}) {
      ASSERT_TRUE(interchange::write_transcript(reader, records, session, *writer, {}));
      ASSERT_TRUE(writer->finish());
    }
    expect_none_in(lines, "the transcripts");
  }
}

TEST_F(SecretCanaries, NoneStandsInAnswers) {
  ReaderPool pool(layout_.database(), 1);
  const SourceText texts(layout_, {});
  const NothingNew freshness;
  tools::ToolDefaults defaults;
  test::FakeAdapters adapters;
  adapters.resize(2);
  adapters[0].platform = Platform::claude_code;
  adapters[1].platform = Platform::codex;
  for (AdapterDescription& adapter : adapters)
    adapter.capabilities = {Capability::session_summary, Capability::exchange_retrieval};
  const tools::ToolServices services{pool, clock_, freshness, texts, adapters, layout_.database(), defaults, {}};
  mcp::ToolRegistry registry;
  tools::register_tools(registry, services);
  mcp::ToolContext context;
  std::string answers;
  const auto ask = [&](std::string_view tool, const std::string& arguments) {
    const mcp::ToolOutcome out = registry.call(tool, arguments, context);
    EXPECT_FALSE(out.is_error) << tool << ": " << out.text;
    answers += out.text + out.structured;
  };
  Reader reader(layout_.database());
  for (const SessionRow& session : sessions(reader))
    ask("session_summary", R"({"session_id":")" + session.uid + R"("})");
  sqlite::Database db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_only);
  sqlite::Statement ids(db.handle(), "SELECT exchange_pk FROM exchanges");
  while (ids.step())
    ask("get_exchange",
        R"({"ids":[")" + format_exchange_id(ids.int64(0)) + R"("],"include_raw":true,"max_tokens":8000})");
  EXPECT_NE(answers.find("[redacted:"), std::string::npos);
  EXPECT_GT(answers.size(), 100'000u);
  expect_none_in(answers, "answers");
}

}  // namespace
}  // namespace memd
