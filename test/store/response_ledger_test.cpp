#include "store/write/response_ledger.hpp"
#include "store/read/usage.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace memd {
namespace {

using assembly::IdentityIndex;
using assembly::ResponseLedger;
using test::StoreFixture;

constexpr TimeMs kTime = 1'770'000'000'000;
constexpr std::uint64_t kId = 0x1234'5678'9abc'0000;

Event told(TimeMs time, const TokenUsage& usage, std::uint64_t request = 0) {
  Event e;
  e.time = time;
  e.usage = usage;
  e.response_key = request != 0 ? response_key_of_request(kId, request) : response_key_of_figures(kId, time, usage);
  return e;
}

class ResponseLedgerTest : public testing::Test {
 protected:
  // Takes each event with a ledger that knows only what the store has.
  void add(std::int64_t session, std::int64_t exchange, const Event& e) {
    IdentityIndex identities(store_.db());
    ResponseLedger ledger(store_.db(), identities);
    ledger.add(e, "m", session, exchange);
    ledger.flush();
    identities.flush();
  }
  std::string rows() {
    std::string out;
    sqlite::Statement q(store_.db().handle(),
                        "SELECT session_pk || '.' || exchange_number || ': ' || input || '/' || output FROM responses"
                        " ORDER BY session_pk, exchange_number, time");
    while (q.step())
      out += (out.empty() ? "" : "; ") + q.str(0);
    return out;
  }

  StoreFixture store_;
  std::int64_t a_ = store_.session({.native_id = "a"});
  std::int64_t b_ = store_.session({.native_id = "b"});
};

TEST_F(ResponseLedgerTest, RecordsOfAResponseInAnyOrder) {
  std::vector<Event> events{told(kTime, {10, 1, 0, 0}), told(kTime + 1000, {10, 5, 0, 0}, 7),
                            told(kTime + 2000, {10, 9, 0, 0})};
  std::vector<int> order{0, 1, 2};
  do {
    store_.db().exec("DELETE FROM responses");
    for (const int i : order)
      add(a_, 0, events[static_cast<std::size_t>(i)]);
    EXPECT_EQ(rows(), "1.0: 10/9");
    // Each of them is known in a copy, under whichever key it stands.
    for (const Event& e : events)
      add(b_, 0, e);
    EXPECT_EQ(rows(), "1.0: 10/9");
  } while (std::next_permutation(order.begin(), order.end()));
  store_.db().exec("DELETE FROM responses");
  EXPECT_EQ(store_.db().query("SELECT count(*) FROM identities").value_or(-1), 0) << "further keys go, too";
}

TEST_F(ResponseLedgerTest, OneIdForManyResponses) {
  add(a_, 0, told(kTime, {10, 1, 0, 0}));
  add(a_, 0, told(kTime + 1000, {20, 1, 0, 0}));       // another prompt
  add(a_, 1, told(kTime + 5'000'000, {10, 1, 0, 0}));  // hours later
  add(a_, 2, told(kTime + 5'001'000, {0, 3, 0, 0}));   // of the next exchange, without a prompt
  add(b_, 0, told(kTime + 1, {10, 1, 0, 0}));          // in another session
  add(b_, 0, told(kTime + 2, {30, 1, 0, 0}, 7));       // requests differ
  add(b_, 0, told(kTime + 3, {30, 1, 0, 0}, 8));
  EXPECT_EQ(rows(), "1.0: 10/1; 1.0: 20/1; 1.1: 10/1; 1.2: 0/3; 2.0: 10/1; 2.0: 30/1; 2.0: 30/1");
}

TEST_F(ResponseLedgerTest, ThePromptMayComeLater) {
  add(a_, 0, told(kTime, {0, 1, 0, 0}));
  add(a_, 0, told(kTime + 1000, {10, 1, 5, 0}));
  EXPECT_EQ(rows(), "1.0: 10/1");
}

TEST(Usage, FlagsKeepTheFacts) {
  for (const ServiceTier tier : {ServiceTier::standard, ServiceTier::batch, ServiceTier::priority, ServiceTier::flex})
    for (const ResponsePurpose purpose :
         {ResponsePurpose::turn, ResponsePurpose::compaction, ResponsePurpose::title, ResponsePurpose::other})
      for (const bool fast : {false, true})
        for (const bool finished : {false, true}) {
          const ResponseFacts facts{tier, fast, purpose, finished, 0, {}};
          EXPECT_EQ(facts_of_flags(response_flags(facts)), facts);
        }
  EXPECT_EQ(response_flags({}), 0);
}

TEST(Usage, ExcessIsNeverNegative) {
  EXPECT_EQ(excess({5, 1, 0, 9, 7, 4}, {9, 0, 0, 5, 0, 0}), (TokenUsage{0, 1, 0, 4, 4, 1}));
}

}  // namespace
}  // namespace memd
