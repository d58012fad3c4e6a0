// A daemon that rebuilds its store while it serves: when it gives way, what it reports, and what is left when it is
// stopped.
#include "daemon/serve/store_rebuild.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"

#include "daemon/admin/admin_service.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/db/store_copies.hpp"
#include "test/support/mixed_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreRebuildTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { prepared_ = std::make_unique<test::MixedStore>(); }
  static void TearDownTestSuite() { prepared_.reset(); }
  StoreRebuildTest() { prepared_->copy_to(settings_.layout); }

  // Serves until the rebuild needs the process to give way, as a serving process does.
  void serve() {
    std::promise<void> wanted;
    rebuild_.serve([&wanted] { wanted.set_value(); });
    ASSERT_EQ(wanted.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  }
  void begin(OnLoss on_loss = OnLoss::refuse) {
    ASSERT_TRUE(rebuild_.order(on_loss));
    serve();
    rebuild_.go_on();
  }
  admin::StoreRebuildStatus status() { return rebuild_.status().value(); }
  std::vector<std::string> rows() { return test::dump_with_keys(settings_.layout); }
  void add_an_event_that_no_record_tells() {
    sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write)
        .exec(
            "INSERT INTO events (session_pk, seq, event_id, time, kind) SELECT session_pk, 900, 77, ended_at, 1 FROM"
            " sessions WHERE uid LIKE '%00000002-%'");
  }

  static inline std::unique_ptr<test::MixedStore> prepared_;
  test::TempDir dir_;
  Settings settings_{StoreLayout(dir_ / "data"), false, dir_.path(), {}, "", {}};
  test::FakeClock clock_{test::MixedStore::kNow};
  StoreRebuild rebuild_{settings_, clock_};
};

TEST_F(StoreRebuildTest, WantsRoomBeforeItBeginsAndWhenTheNewStoreIsReady) {
  const auto want = rows();
  EXPECT_FALSE(rebuild_.status());
  int calls = 0;
  rebuild_.serve([&calls] { ++calls; });
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(rebuild_.order(OnLoss::refuse));
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(rebuild_.is_under_way()) << "who serves may still write";
  EXPECT_EQ(status().state, "running");
  EXPECT_EQ(status().started, format_rfc3339(clock_.now()));

  rebuild_.go_on();
  EXPECT_TRUE(rebuild_.is_under_way());
  clock_.advance(5000);
  serve();
  EXPECT_TRUE(rebuild_.is_under_way());
  EXPECT_TRUE(fs::exists(settings_.layout.rebuild()));
  EXPECT_FALSE(fs::exists(settings_.layout.before_rebuild())) << "the store may be read until go_on()";
  const auto second = rebuild_.order(OnLoss::accept);
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().is(Errc::store_busy));
  EXPECT_THAT(second.error().message(), HasSubstr("the store is being rebuilt since " + status().started));

  rebuild_.go_on();
  EXPECT_FALSE(rebuild_.is_under_way());
  EXPECT_EQ(status().state, "replaced");
  EXPECT_EQ(status().ended, format_rfc3339(clock_.now()));
  EXPECT_GT(status().result.value().events, 100U);
  EXPECT_EQ(status().result.value().kept, settings_.layout.before_rebuild().string());
  EXPECT_THAT(admin::rebuild_status_text(status()), HasSubstr("the store was rebuilt from "));
  EXPECT_THAT(test::rows_of_one(rows(), want), IsEmpty());

  begin();
  serve();
  rebuild_.go_on();
  EXPECT_EQ(status().state, "replaced") << "and again";
}

TEST_F(StoreRebuildTest, ALossIsRefusedUnlessItIsAccepted) {
  add_an_event_that_no_record_tells();
  const auto before = rows();
  begin();
  serve();
  EXPECT_EQ(status().state, "refused");
  rebuild_.go_on();
  EXPECT_FALSE(rebuild_.is_under_way());
  ASSERT_EQ(status().result.value().lost.size(), 1U);
  EXPECT_EQ(status().result.value().lost.front().events, 1);
  EXPECT_THAT(admin::rebuild_status_text(status()),
              HasSubstr("stays as it was: of 1 of its sessions a new one would have less (" +
                        status().result.value().lost.front().uid + ")"));
  EXPECT_EQ(rows(), before);
  EXPECT_THAT(copies_of_store(settings_.layout), IsEmpty());

  begin(OnLoss::accept);
  serve();
  rebuild_.go_on();
  EXPECT_EQ(status().state, "replaced");
  EXPECT_THAT(admin::rebuild_status_text(status()), HasSubstr("1 have less than before"));
}

TEST_F(StoreRebuildTest, EndedWhileItWaitsForRoomItLeavesTheStoreAsItWas) {
  const auto before = rows();
  begin();
  serve();
  rebuild_.stop();
  EXPECT_EQ(status().state, "failed");
  EXPECT_THAT(admin::rebuild_status_text(status()), HasSubstr("the rebuild was ended"));
  EXPECT_EQ(rows(), before);
  EXPECT_THAT(copies_of_store(settings_.layout), IsEmpty());
}

TEST_F(StoreRebuildTest, EndedAtAnyRecordItLeavesTheStoreAsItWas) {
  const auto before = rows();
  int ends = 0;
  for (int at = 1;; at += 7) {
    std::stop_source stop;
    int found = 0;
    const auto find = [&](Platform platform) {
      if (++found == at) stop.request_stop();
      return find_adapter(platform);
    };
    const auto ended = rebuild_store(settings_.layout, find, {.stop = stop.get_token()});
    if (ended) break;  // the store has fewer records than this
    ++ends;
    EXPECT_TRUE(ended.error().is(Errc::cancelled)) << ended.error().message();
    ASSERT_THAT(copies_of_store(settings_.layout), IsEmpty());
    ASSERT_EQ(rows(), before);
  }
  EXPECT_GT(ends, 5);
}

// Fails as with a wrong key or a full disk.
TEST_F(StoreRebuildTest, WhyItFailedIsTold) {
  fs::create_directories(settings_.layout.rebuild() / "in the way");
  begin();
  serve();
  rebuild_.go_on();
  EXPECT_EQ(status().state, "failed");
  EXPECT_THAT(status().error, HasSubstr("memd.db.rebuild"));
  EXPECT_FALSE(status().result);
}

TEST_F(StoreRebuildTest, NeedsARawLayer) {
  fs::remove_all(settings_.layout.raw_dir());
  const auto refused = rebuild_.order(OnLoss::refuse);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(Errc::not_found));
  EXPECT_THAT(refused.error().message(), HasSubstr(settings_.layout.raw_dir().string()));
  EXPECT_FALSE(rebuild_.status());
}

// The administration starts the rebuild, reports its state, and answers other requests meanwhile.
TEST_F(StoreRebuildTest, TheAdministrationOrdersItAndTellsOfIt) {
  admin::ProcessFacts facts{.role = "daemon"};
  facts.rebuild_store = [this](OnLoss on_loss) { return rebuild_.order(on_loss); };
  facts.store_rebuild = [this] { return rebuild_.status(); };
  MemoryHost host(settings_, clock_);
  const admin::AdminService service(host, facts);
  mcp::ToolContext context;
  const auto ask = [&](const admin::RebuildParams& params) { return service.rebuild.run(params, context); };
  EXPECT_FALSE(service.status.run({}, context).value().rebuild);
  EXPECT_THAT(ask({.what = "search", .accept_loss = true}).error().message(), HasSubstr("accept_loss"));

  const auto started = ask({.what = "store"});
  ASSERT_TRUE(started) << started.error().message();
  EXPECT_TRUE(started->started);
  EXPECT_TRUE(ask({.what = "store"}).error().is(Errc::store_busy));
  const auto status = service.status.run({}, context);
  ASSERT_TRUE(status && status->rebuild);
  EXPECT_EQ(status->rebuild->state, "running");
  const auto doctor = service.doctor.run({}, context);
  ASSERT_TRUE(doctor);
  EXPECT_THAT(mcp::to_json(*doctor), HasSubstr("the store is being rebuilt since "));

  host.serve_as_it_is("it is made anew");
  const auto refused = ask({.what = "search"});
  EXPECT_THAT(refused.error().message(), HasSubstr("nothing can be written now: it is made anew"));

  const admin::AdminService alone(host, {});
  const auto no_daemon = alone.rebuild.run({.what = "store"}, context);
  EXPECT_THAT(no_daemon.error().message(), HasSubstr("`memd rebuild`"));
}

}  // namespace
}  // namespace memd
