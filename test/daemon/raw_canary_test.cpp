// Secrets in every corner of transcripts: none of them may be found in any file of the data directory.
#include "daemon/ingest/ingest_service.hpp"
#include "store/db/store_layout.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_file.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <fstream>
#include <random>
#include <sstream>

namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;
using namespace std::chrono_literals;

class Canaries {
 public:
  // A text with a secret in it, in one of the ways people leave them.
  std::string next() {
    const std::string secret = word(28);
    secrets.push_back(secret);
    switch (engine_() % 8) {
      case 0: return secrets.back() = std::string("ghp") + "_" + secret + word(8);
      case 1: return "export API_KEY=" + secret + "\nmake";
      case 2: return "{\"clientSecret\": \"" + secret + "\", \"n\": [1, 2]}";
      case 3: return "curl -H \"Authorization: Bearer " + secret + "\" https://example.com/<x>&y";
      case 4: return "postgres://app:" + secret + "@db/main";
      case 5: return "password=" + secret + "\r\nnext";
      case 6: return "-----BEGIN PRIVATE KEY-----\n" + secret + secret + "\n-----END PRIVATE KEY-----\n";
      default: return "tool --token " + secret + " \"quoted\"";
    }
  }
  std::vector<std::string> secrets;

 private:
  std::string word(std::size_t n) {
    static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::string out;
    for (std::size_t i = 0; i < n; ++i)
      out += kAlphabet[engine_() % kAlphabet.size()];
    out[n / 2] = '7', out[n / 3] = '4', out[n / 4] = 'q', out[1] = 'Z';
    return out;
  }
  std::mt19937 engine_{20260309};
};

std::string transcript(Canaries& canaries, int records) {
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
        r["message"] = {{"role", "user"}, {"content", canaries.next()}};
        break;
      case 1:
        r["type"] = "assistant";
        r["requestId"] = id;
        r["message"] = {{"id", "m" + id},
                        {"role", "assistant"},
                        {"model", "m"},
                        {"content", bj::array{bj::object{{"type", "text"}, {"text", canaries.next()}},
                                              bj::object{{"type", "thinking"}, {"thinking", canaries.next()}},
                                              bj::object{{"type", "tool_use"},
                                                         {"id", id},
                                                         {"name", "Bash"},
                                                         {"input", {{"command", canaries.next()}}}}}}};
        break;
      case 2:
        r["type"] = "user";
        r["message"] = {{"role", "user"},
                        {"content", bj::array{bj::object{{"type", "tool_result"},
                                                         {"tool_use_id", "t" + std::to_string(i / 5)},
                                                         {"content", canaries.next()}}}}};
        r["toolUseResult"] = {{"stdout", canaries.next()},
                              {"stderr", bj::serialize(bj::value{{"inner", canaries.next()}})}};
        break;
      case 3:
        r["type"] = "summary";
        r["summary"] = canaries.next();
        break;
      default:
        r["type"] = "of-a-kind-nobody-knows";
        r["payload"] = {{"deep", bj::array{bj::object{{"text", canaries.next()}}}}};
    }
    out += bj::serialize(r) + "\n";
  }
  return out + "{\"torn\": \"" + "api_key=" + canaries.secrets.emplace_back("q7Zk4T1mQp8Wn3Xv5Rb2Yc6D") + " and \n";
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(RawCanary, NoSecretReachesAnyFile) {
  test::TempDir home;
  test::TempDir data;
  const StoreLayout layout(data.path());
  Canaries canaries;
  test::write_file(home / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl",
                   transcript(canaries, 300));
  ASSERT_GT(canaries.secrets.size(), 500u);
  {
    const Discovery discovery(all_adapters(), home.path(), {}, {});
    auto writer = Writer::open(layout.database(), system_clock(), layout.raw_dir());
    ASSERT_TRUE(writer) << writer.error().message();
    IngestOptions options;
    options.tailer.raw = RawMode::masked;
    IngestService service(discovery, system_clock(), options);
    ASSERT_TRUE(service.start(std::move(*writer)));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(60s));
  }
  std::string everything;
  for (const auto& entry : fs::recursive_directory_iterator(data.path()))
    if (entry.is_regular_file()) everything += read(entry.path());
  raw::FrameCodec codec;
  std::string records;
  for (const auto& name : raw::raw_file_names(layout.raw_dir())) {
    const std::string file = read(layout.raw_dir() / name);
    for (const auto& f : raw::scan_frames(file, name, {}).value().frames) {
      auto content =
          codec.unpack(f.frame.packed_content(std::string_view(file).substr(f.offset)), f.frame.header.content_bytes());
      ASSERT_TRUE(content);
      records += *content;
    }
  }
  ASSERT_GT(records.size(), 50'000u);
  EXPECT_NE(records.find("[redacted:"), std::string::npos);
  std::size_t found = 0;
  for (const auto& secret : canaries.secrets) {
    const bool there = everything.find(secret) != std::string::npos || records.find(secret) != std::string::npos;
    found += there ? 1 : 0;
    EXPECT_FALSE(there) << secret << "\n" << records.substr(std::min(records.find(secret), records.size() - 1), 80);
  }
  EXPECT_EQ(found, 0u);
}

}  // namespace
}  // namespace memd
