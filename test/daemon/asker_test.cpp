#include "daemon/cli/browse/asker.hpp"

#include "daemon/host/settings.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/base/error.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace memd::cli::browse {
namespace {

// A caller that answers only when the test allows it, or when it is interrupted.
class SlowCaller final : public Caller {
 public:
  Result<mcp::ToolOutcome> tool(std::string_view, std::string_view) override { return Error(Errc::unsupported, ""); }
  Result<mcp::ToolOutcome> admin(std::string_view, std::string_view, const OnProgress&) override {
    return Error(Errc::unsupported, "");
  }
  Result<std::string> tool_list() override { return Error(Errc::unsupported, ""); }
  Result<mcp::ToolOutcome> answer(std::string_view tool, std::string_view) override {
    std::unique_lock hold(mutex);
    asked.emplace_back(tool);
    changed.notify_all();
    changed.wait(hold, [this] { return let || interrupted; });
    if (std::exchange(interrupted, false)) return Error(Errc::cancelled, "interrupted");
    return mcp::ToolOutcome{"", mcp::to_json(tools::ListSessionsAnswer())};
  }
  bool is_daemon() const override { return false; }
  void interrupt() override {
    const std::lock_guard hold(mutex);
    interrupted = true;
    ++interruptions;
    changed.notify_all();
  }

  void wait_until_asked(std::size_t times) {
    std::unique_lock hold(mutex);
    changed.wait(hold, [&] { return asked.size() >= times; });
  }
  void let_go() {
    const std::lock_guard hold(mutex);
    let = true;
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> asked;
  bool let = false;
  bool interrupted = false;
  int interruptions = 0;
};

class AskerTest : public testing::Test {
 protected:
  AskerTest() {
    auto made = std::make_unique<SlowCaller>();
    caller = made.get();
    asker.emplace(settings, std::move(made));
  }
  Reply wait_for_reply() {
    for (;;) {
      pollfd wake{asker->fd(), POLLIN, 0};
      ::poll(&wake, 1, 10'000);
      if (auto reply = asker->take()) return std::move(*reply);
      if (wake.revents == 0) ADD_FAILURE() << "no answer within ten seconds";
      if (wake.revents == 0) return {0, Error(Errc::unavailable, "")};
    }
  }

  const Settings settings{StoreLayout(std::filesystem::path()), true, {}, {}, {}, {}};
  SlowCaller* caller = nullptr;
  std::optional<Asker> asker;
};

TEST_F(AskerTest, AsksElsewhereAndTellsWhenItIsDone) {
  asker->ask({7, ListQuestion{}});
  caller->wait_until_asked(1);
  EXPECT_FALSE(asker->take()) << "who draws does not wait";
  caller->let_go();
  const Reply reply = wait_for_reply();
  EXPECT_EQ(reply.ticket, 7U);
  ASSERT_TRUE(reply.answer);
  EXPECT_TRUE(std::holds_alternative<tools::ListSessionsAnswer>(*reply.answer));
  EXPECT_FALSE(reply.from_daemon);
}

TEST_F(AskerTest, ANewerQuestionEndsTheOneThatIsAsked) {
  asker->ask({1, ListQuestion{}});
  caller->wait_until_asked(1);
  asker->ask({2, ListQuestion{}});
  caller->wait_until_asked(2);
  EXPECT_EQ(caller->interruptions, 1);
  caller->let_go();
  EXPECT_EQ(wait_for_reply().ticket, 2U);
  EXPECT_FALSE(asker->take()) << "the first one is dropped";
}

TEST_F(AskerTest, EndsWhileItAsks) {
  asker->ask({1, ListQuestion{}});
  caller->wait_until_asked(1);
  asker.reset();  // must return
}

}  // namespace
}  // namespace memd::cli::browse
