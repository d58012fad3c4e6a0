#pragma once

#include "daemon/ingest/ingest_service.hpp"
#include "schemas/base/time.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::test {

inline constexpr TimeMs kCodexStart = 1'772'618'400'000;

// Returns the id of a thread.
inline std::string thread(int n) { return "019c0000-0000-7000-8000-00000000000" + std::to_string(n); }

// Writes a rollout line by line. `seconds` are relative to kCodexStart.
class Rollout {
 public:
  explicit Rollout(int id, const std::string& more = "", double seconds = 0) : id_(id) { meta(seconds, id, more); }

  Rollout& meta(double seconds, int id, const std::string& more = "") {
    return line(seconds, "session_meta",
                R"({"id":")" + thread(id) + R"(","cwd":"/w/app","cli_version":"0.77.0","source":"cli")" + more + "}");
  }
  Rollout& message(double seconds, const std::string& role, const std::string& text, const std::string& id = "") {
    return line(seconds, "response_item",
                R"({"type":"message",)" + (id.empty() ? "" : R"("id":")" + id + R"(",)") + R"("role":")" + role +
                    R"(","content":[{"type":"input_text","text":")" + text + R"("}]})");
  }
  Rollout& tokens(double seconds, int total, int last) {
    const auto usage = [](int n) {
      return R"({"input_tokens":)" + std::to_string(n - 1) +
             R"(,"cached_input_tokens":0,"output_tokens":1,"total_tokens":)" + std::to_string(n) + "}";
    };
    return line(seconds, "event_msg",
                R"({"type":"token_count","info":{"total_token_usage":)" + usage(total) + R"(,"last_token_usage":)" +
                    usage(last) + "}}");
  }
  Rollout& line(double seconds, const std::string& type, const std::string& payload) {
    text_ += R"({"timestamp":")" + format_rfc3339(kCodexStart + static_cast<TimeMs>(seconds * 1000)) + R"(","type":")" +
             type + R"(","payload":)" + payload + "}\n";
    return *this;
  }
  std::string path() const {
    return ".codex/sessions/2026/03/04/rollout-2026-03-04T11-00-00-" + thread(id_) + ".jsonl";
  }
  const std::string& text() const { return text_; }

 private:
  int id_;
  std::string text_;
};

// Ingests rollouts of a home directory into a store, and reads its rows.
class CodexIngestFixture : public testing::Test {
 protected:
  // Writes the rollouts with increasing times, so that the first is read first.
  void write(const std::vector<const Rollout*>& rollouts) {
    auto age = std::chrono::hours(static_cast<int>(rollouts.size()));
    for (const Rollout* r : rollouts) {
      write_file(home_ / r->path(), r->text());
      std::filesystem::last_write_time(home_ / r->path(), std::filesystem::file_time_type::clock::now() - age);
      age -= std::chrono::hours(1);
    }
  }
  void ingest(IngestOptions options = {}) { ingest(home_.path(), store_ / "memd.db", options); }
  static void ingest(const std::filesystem::path& home, const std::filesystem::path& file, IngestOptions options) {
    const FakeClock clock;
    const std::array adapters{find_adapter(Platform::claude_code), find_adapter(Platform::codex),
                              find_adapter(Platform::vibe)};
    const Discovery discovery(adapters, home, {}, {});
    auto writer = Writer::open(file, clock);
    ASSERT_TRUE(writer);
    IngestService service(discovery, clock, options);
    ASSERT_TRUE(service.start(std::move(*writer)));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(std::chrono::seconds(120)));
    EXPECT_EQ(service.progress().snapshot().last_error, "");
  }
  std::string text(const std::string& sql) {
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? (q.is_null(0) ? "NULL" : q.str(0)) : "(no row)";
  }
  std::int64_t number(const std::string& sql) { return std::stoll(text(sql)); }

  TempDir home_;
  TempDir store_;
};

}  // namespace memd::test
