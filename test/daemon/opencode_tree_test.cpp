// opencode before 1.2 writes an answer to separate files, and the file of the session before the answer begins.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/watcher.hpp"
#include "test/adapters/opencode_case.hpp"
#include "test/support/fake_clock.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using namespace std::chrono_literals;

class OpencodeTree : public testing::Test {
 protected:
  OpencodeTree() {
    test::lay_out({test::opencode_golden() / "file_tree", true}, data_);
    auto writer = Writer::open(store_ / "memd.db", clock_);
    EXPECT_TRUE(writer);
    EXPECT_TRUE(ingest_.start(std::move(*writer)));
    watcher_ =
        make_watcher(loop_, discovery_,
                     {[this](const SourceCandidate& source, const auto& file) { ingest_.hint(source, file), ++hints_; },
                      [this](const auto& path) { ingest_.hint(path), ++hints_; }, [this] { ingest_.scan(); }},
                     {});
    watcher_->start();
    ingest_.scan();
    EXPECT_TRUE(ingest_.block_until_idle(20s));
  }
  void TearDown() override {
    watcher_->stop();
    loop_.restart();
    loop_.run();
  }
  // Writes a message with one part; the part first, as opencode does when an answer is complete.
  void say(const std::string& session, const std::string& id, std::string_view text) {
    test::write_file(data_ / "storage/part" / id / ("prt_" + id + ".json"),
                     R"({"id":"prt_)" + id + R"(","messageID":")" + id + R"(","sessionID":")" + session +
                         R"(","type":"text","text":")" + std::string(text) + R"("})");
    test::write_file(data_ / "storage/message" / session / (id + ".json"),
                     R"({"id":")" + id + R"(","sessionID":")" + session +
                         R"(","role":"user","time":{"created":1772359900000},"agent":"build"})");
  }
  bool is_stored(std::string_view text) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    for (;;) {
      loop_.run_for(20ms);
      EXPECT_TRUE(ingest_.block_until_idle(10s));
      auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
      auto& q = db.prepare("SELECT count(*) FROM exchanges WHERE instr(user_message, ?1)").bind(text);
      q.step();
      const bool found = q.int64(0) > 0;
      q.reset();
      if (found || std::chrono::steady_clock::now() > deadline) return found;
    }
  }

  test::TempDir home_;
  test::TempDir store_;
  std::filesystem::path data_ = home_ / ".local/share/opencode";
  test::FakeClock clock_;
  std::vector<const Adapter*> adapters_{find_adapter(Platform::opencode)};
  Discovery discovery_{adapters_, home_.path(), {}, {}};
  IngestService ingest_{discovery_, clock_, {}};
  boost::asio::io_context loop_{1};
  std::unique_ptr<Watcher> watcher_;
  int hints_ = 0;
};

TEST_F(OpencodeTree, AMessageIsSeenWhenItIsWritten) {
  say("ses_t1", "msg_t9", "seen without the session file");
  EXPECT_TRUE(is_stored("seen without the session file"));
  const int hints = hints_;
  loop_.restart();
  loop_.run_for(200ms);
  EXPECT_EQ(hints_, hints) << "nothing goes on by itself";
}

TEST_F(OpencodeTree, SoIsOneOfASessionThatBegan) {
  test::write_file(data_ / "storage/session/global/ses_new.json",
                   R"({"id":"ses_new","version":"0.9","projectID":"global","directory":"/w","title":"New",)"
                   R"("time":{"created":1772359800000,"updated":1772359800000}})");
  say("ses_new", "msg_n1", "first words");
  EXPECT_TRUE(is_stored("first words"));
  say("ses_new", "msg_n2", "second words");
  EXPECT_TRUE(is_stored("second words"));
}

}  // namespace
}  // namespace memd
