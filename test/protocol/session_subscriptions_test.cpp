#include "protocol/mcp/resource_watch.hpp"
#include "test/protocol/session_fixture.hpp"
#include "test/support/sample_offers.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace memd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kSessionSubscriptionsSubscription = "io.modelcontextprotocol/subscriptionId";

class Watching : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    add_sample_resources(resources, notes);
    offers.resources = &resources;
  }
  void modern(std::string_view id, std::string_view method, std::string_view more) {
    request(id, method, "{" + kModernMeta + "," + std::string(more) + "}");
    steps.run_all();
  }
  boost::json::object legacy(std::string_view method, std::string_view params) {
    request("1", method, params);
    steps.run_all();
    return take_one();
  }
  // Does what a server does after a commit, without its timer.
  void look() {
    auto& hub = state->subscriptions;
    const auto found = mcp::find_versions(resources, hub.watched(), hub.list_is_watched(), {});
    session->notify_resources_changed(hub.update(found));
  }
  static std::string uri_of(const boost::json::object& message) {
    EXPECT_EQ(message.at("method").as_string(), "notifications/resources/updated");
    return std::string(message.at("params").at("uri").as_string());
  }

  SampleNotes notes;
  mcp::ResourceRegistry resources;
};

TEST_F(Watching, LegacyClientsAreToldOfWhatTheySubscribedTo) {
  initialize("2025-11-25");
  EXPECT_EQ(legacy("resources/subscribe", R"({"uri":"note://n/two"})").at("result"), parse("{}"));
  legacy("resources/subscribe", R"({"uri":"note://n/two"})");  // again: no effect
  look();
  EXPECT_THAT(take(), IsEmpty()) << "nothing has changed";
  notes.notes["two"] = "new";
  notes.notes["three"] = "new, too";
  look();
  EXPECT_EQ(uri_of(take_one()), "note://n/two");
  look();
  EXPECT_THAT(take(), IsEmpty()) << "told once";
  notes.notes.erase("two");
  look();
  EXPECT_EQ(uri_of(take_one()), "note://n/two") << "that it is gone is a change";
  legacy("resources/unsubscribe", R"({"uri":"note://n/two"})");
  EXPECT_TRUE(state->subscriptions.idle());
}

TEST_F(Watching, WhatChangesBetweenTheSubscriptionAndTheFirstLookIsTold) {
  initialize("2025-11-25");
  bool hinted = false;
  state->subscriptions.on_added([&] { hinted = true; });
  request("1", "resources/subscribe", R"({"uri":"note://n/two"})");
  steps.run_worker();
  notes.notes["two"] = "new";  // after the worker has read the version, before the subscription exists
  steps.run_loop();
  take_one();
  EXPECT_TRUE(hinted);
  look();
  EXPECT_EQ(uri_of(take_one()), "note://n/two");
}

TEST_F(Watching, AnUnsubscriptionHoldsForASubscriptionThatIsUnderWay) {
  initialize("2025-11-25");
  request("1", "resources/subscribe", R"({"uri":"note://n/two"})");
  request("2", "resources/unsubscribe", R"({"uri":"note://n/two"})");
  steps.run_all();
  EXPECT_EQ(take().size(), 2U) << "both are answered";
  EXPECT_TRUE(state->subscriptions.idle());
}

TEST_F(Watching, WhatIsNotThereCannotBeSubscribedTo) {
  initialize("2025-11-25");
  for (const auto* params : {R"({"uri":"note://n/none"})", R"({"uri":"other:x"})"})
    EXPECT_EQ(legacy("resources/subscribe", params).at("error").at("code").as_int64(), -32002) << params;
  EXPECT_EQ(legacy("resources/subscribe", "{}").at("error").at("code").as_int64(), -32602);
  EXPECT_TRUE(state->subscriptions.idle());
}

TEST_F(Watching, LegacyClientsThatHaveSeenTheListHearOfItsChanges) {
  initialize("2025-11-25");
  notes.notes["four"] = "4";
  look();
  EXPECT_THAT(take(), IsEmpty());
  legacy("resources/list", "{}");
  legacy("resources/list", "{}");
  notes.notes["five"] = "5";
  look();
  EXPECT_EQ(take_one(), parse(R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}})"));
}

TEST_F(Watching, StreamsAreAcknowledgedWithWhatIsThere) {
  modern(R"("s")", "subscriptions/listen",
         R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,)"
         R"("resourceSubscriptions":["note://n/two","note://n/none","note://n/two","odd"]})");
  const auto ack = take_one();
  EXPECT_EQ(ack.at("method").as_string(), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(ack.at("params").at("notifications"),
            parse(R"({"resourcesListChanged":true,"resourceSubscriptions":["note://n/two"]})"));
  EXPECT_EQ(ack.at("params").at("_meta").at(kSessionSubscriptionsSubscription).as_string(), "s");

  notes.notes["two"] = "new";
  notes.notes["four"] = "4";
  look();
  const auto lines = take();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(parse(lines[0]).at("method").as_string(), "notifications/resources/list_changed");
  EXPECT_EQ(parse(lines[0]).at("params").at("_meta").at(kSessionSubscriptionsSubscription).as_string(), "s");
  EXPECT_EQ(uri_of(parse(lines[1]).as_object()), "note://n/two");
  EXPECT_EQ(parse(lines[1]).at("params").at("_meta").at(kSessionSubscriptionsSubscription).as_string(), "s");
}

TEST_F(Watching, EachStreamHearsWhatItAskedFor) {
  modern("1", "subscriptions/listen", R"("notifications":{"resourceSubscriptions":["note://n/two"]})");
  modern("2", "subscriptions/listen", R"("notifications":{"resourceSubscriptions":["note://n/two","note://n/three"]})");
  modern("3", "subscriptions/listen", R"("notifications":{})");
  take();
  notes.notes["three"] = "new";
  look();
  EXPECT_EQ(take_one().at("params").at("_meta").at(kSessionSubscriptionsSubscription).as_int64(), 2);
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  notes.notes["two"] = "new";
  notes.notes["three"] = "newer";
  look();
  EXPECT_EQ(take_one().at("params").at("_meta").at(kSessionSubscriptionsSubscription).as_int64(), 1);
}

TEST_F(Watching, AStreamCancelledBeforeItOpenedLeavesNothing) {
  request("1", "subscriptions/listen",
          "{" + kModernMeta + R"(,"notifications":{"resourceSubscriptions":["note://n/two"]}})");
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  steps.run_all();
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_TRUE(state->subscriptions.idle());
}

TEST_F(Watching, TooManyAreRefused) {
  limits.max_watched_resources = 2;
  modern("1", "subscriptions/listen",
         R"("notifications":{"resourceSubscriptions":["note://n/two","note://n/three","note://n/a%20b"]})");
  EXPECT_EQ(take_error_code(), -32600);
  modern("2", "subscriptions/listen", R"("notifications":{"resourceSubscriptions":"note://n/two"})");
  EXPECT_EQ(take_error_code(), -32602);
}

TEST_F(Watching, AResumedSubscriptionIsToldOnceOfWhatMayHaveChanged) {
  initialize("2025-11-25");
  send(mcp::resuming_line(2));
  legacy("resources/subscribe", R"({"uri":"note://n/two"})");
  modern("2", "subscriptions/listen", R"("notifications":{"resourceSubscriptions":["note://n/three"]})");
  take();
  legacy("resources/subscribe", R"({"uri":"note://n/a%20b"})");  // a new subscription
  look();
  const auto lines = take();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(uri_of(parse(lines[0]).as_object()), "note://n/three");
  EXPECT_EQ(uri_of(parse(lines[1]).as_object()), "note://n/two");
  look();
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(Watching, AResumedListIsToldOnceToHaveChanged) {
  initialize("2025-11-25");
  send(mcp::resuming_line(1));
  legacy("resources/list", "{}");
  take();
  look();
  EXPECT_EQ(take_one().at("method").as_string(), "notifications/resources/list_changed");
  look();
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(Watching, AConnectionThatEndsWatchesNothing) {
  modern("1", "subscriptions/listen",
         R"("notifications":{"resourcesListChanged":true,"resourceSubscriptions":["note://n/two"]})");
  EXPECT_FALSE(state->subscriptions.idle());
  end_input();
  EXPECT_TRUE(finished);
  EXPECT_TRUE(state->subscriptions.idle());
}

// The check itself: one for many hints, none while there are no subscriptions.
class Looking : public testing::Test {
 protected:
  Looking() {
    add_sample_resources(resources, notes);
    executors.to_worker = [this](mcp::Task t) {
      ++looks;
      t();
    };
    executors.to_loop = [this](mcp::Task t) { boost::asio::post(loop, std::move(t)); };
  }
  void run() {
    loop.restart();
    loop.run();
  }

  SampleNotes notes;
  mcp::ResourceRegistry resources;
  boost::asio::io_context loop;
  mcp::Executors executors;
  mcp::SubscriptionHub hub;
  int looks = 0;
  std::vector<std::string> told;
  mcp::ResourceWatch watch{loop,
                           executors,
                           &resources,
                           hub,
                           [this](const mcp::SubscriptionHub::Changes& c) {
                             told.insert(told.end(), c.resources.begin(), c.resources.end());
                           },
                           std::chrono::milliseconds(1)};
};

TEST_F(Looking, NobodyWatchesNothingHappens) {
  watch.hint();
  run();
  EXPECT_EQ(looks, 0);
}

TEST_F(Looking, ManyHintsAreOneLook) {
  hub.add("note://n/two", 1);
  for (int i = 0; i < 100; ++i)
    watch.hint();
  run();
  EXPECT_EQ(looks, 1);
  EXPECT_THAT(told, ElementsAre("note://n/two"));
  watch.hint();
  run();
  EXPECT_EQ(looks, 2) << "after the interval, it looks again";
  EXPECT_THAT(told, ElementsAre("note://n/two")) << "and finds nothing new";
}

TEST_F(Looking, WhatIsCommittedDuringALookIsLookedAtAgain) {
  hub.add("note://n/two", std::hash<std::string>()("text of two"));
  executors.to_worker = [this](mcp::Task t) {
    t();
    if (++looks > 1) return;
    notes.notes["two"] = "new";
    watch.hint();
  };
  run();
  EXPECT_EQ(looks, 2);
  EXPECT_THAT(told, ElementsAre("note://n/two"));
}

TEST_F(Looking, AHintThatComesWhileItLooksIsNotLost) {
  hub.add("note://n/two", std::hash<std::string>()("text of two"));
  executors.to_worker = [this](mcp::Task t) {
    if (++looks == 1) watch.hint();  // reaches the loop before the check has ended
    t();
    notes.notes["two"] = "new";
  };
  run();
  EXPECT_EQ(looks, 2);
  EXPECT_THAT(told, ElementsAre("note://n/two"));
}

TEST_F(Looking, AStoppedWatchIsSilent) {
  hub.add("note://n/two", 1);
  watch.stop();
  run();
  EXPECT_EQ(looks, 0);
}

}  // namespace
}  // namespace memd::test
