#include "store/search/words/candidate_filter.hpp"

#include "schemas/observation.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace memd::search {
namespace {

constexpr int kExchanges = 60'000;

// Exchange n is at n seconds, alternately in session 1 and 2. Every hundredth calls Bash, and two of three call Edit.
class CandidateFilterTest : public testing::Test {
 protected:
  CandidateFilterTest() {
    const auto first = store_.session({.native_id = "aaaa1"});
    const auto second = store_.session({.native_id = "aaaa2"});
    store_.db()
        .prepare(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
            " INSERT INTO exchanges (exchange_pk, session_pk, exchange_number, first_seq, last_seq, started_at,"
            " ended_at, ingested_at)"
            " SELECT i, iif(i % 2, ?2, ?3), i, i, i, i * 1000, i * 1000, 1 FROM n")
        .bind(kExchanges, first, second)
        .run();
    store_.db().exec("INSERT INTO tools (tool_pk, tool) VALUES (1, 'Bash'), (2, 'Edit')");
    store_.db().exec(
        "INSERT INTO exchange_tools (exchange_pk, tool_pk) SELECT exchange_pk, 1 FROM exchanges"
        " WHERE exchange_pk % 100 = 0 UNION ALL SELECT exchange_pk, 2 FROM exchanges WHERE exchange_pk % 3 > 0");
    auto& uid = store_.db().prepare("SELECT uid FROM sessions WHERE session_pk = ?1").bind(second);
    uid.step();
    session_ = uid.str(0);
    uid.reset();
  }

  struct Asked {
    QueryFilter filter;
    std::string typed;
  };
  // Checks every exchange, in a scrambled order.
  void expect_passing(const Asked& asked, const std::function<bool(ExchangeId)>& passing) {
    CandidateFilter filter(store_.db(), places_, asked.filter, parse_query(asked.typed, 0));
    for (ExchangeId i = 1; i <= kExchanges; ++i) {
      const ExchangeId id = i * 7919 % kExchanges + 1;
      ASSERT_EQ(filter.passes(id), passing(id)) << id;
    }
    EXPECT_FALSE(filter.passes(kExchanges + 1));
    EXPECT_FALSE(filter.passes(1'000'000'000));
    EXPECT_FALSE(filter.unrestricted());
  }

  test::StoreFixture store_;
  ExchangePlaces places_{store_.db()};
  std::string session_;
};

TEST_F(CandidateFilterTest, WhatWasNotedInThem) {
  store_.db().exec(
      "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, content_hash)"
      " SELECT session_pk, exchange_number, first_seq, started_at, iif(exchange_pk % 2, 'decision', 'problem'), '', '',"
      " exchange_pk FROM exchanges WHERE exchange_pk % 3 = 0");
  Asked asked;
  asked.filter.observed = ObservationType::decision;
  expect_passing(asked, [](ExchangeId id) { return id % 6 == 3; });
  asked.filter.observed = ObservationType::problem;
  asked.typed = "tool:bash";
  expect_passing(asked, [](ExchangeId id) { return id % 300 == 0; });
  asked.typed = "";
  asked.filter.observed = ObservationType::warning;
  expect_passing(asked, [](ExchangeId) { return false; });
}

TEST_F(CandidateFilterTest, TimesOfFewManyAndMost) {
  for (const auto& [since, until] :
       {std::pair{500, 600}, {10'000, 20'000}, {10'000, 50'000}, {2, 60'000}, {30'000, 90'000}}) {
    Asked asked;
    asked.filter.since = since * 1000;
    asked.filter.until = until * 1000;
    expect_passing(asked, [&](ExchangeId id) { return id >= since && id < until; });
  }
}

TEST_F(CandidateFilterTest, TimesOfManyWithATool) {
  Asked asked;
  asked.filter.since = 10'000'000;
  asked.filter.until = 50'000'000;
  asked.typed = "tool:bash";
  expect_passing(asked, [](ExchangeId id) { return id >= 10'000 && id < 50'000 && id % 100 == 0; });
  asked.filter.since = 49'000'000;  // few enough to be listed
  asked.filter.until = 50'001'000;
  expect_passing(asked, [](ExchangeId id) { return id >= 49'000 && id <= 50'000 && id % 100 == 0; });
}

TEST_F(CandidateFilterTest, AToolOfManyInTimesOfMany) {
  Asked asked;
  asked.typed = "tool:edit";
  expect_passing(asked, [](ExchangeId id) { return id % 3 > 0; });
  asked.filter.since = 10'000'000;
  asked.filter.until = 50'000'000;
  expect_passing(asked, [](ExchangeId id) { return id >= 10'000 && id < 50'000 && id % 3 > 0; });
  asked.typed = "tool:edit tool:bash";
  expect_passing(asked, [](ExchangeId id) { return id >= 10'000 && id < 50'000 && id % 3 > 0 && id % 100 == 0; });
}

TEST_F(CandidateFilterTest, PathsOfFewAndManyAndTheSameTwice) {
  store_.db().exec("INSERT INTO paths (path_pk, path) VALUES (1, '/w/wide.c'), (2, '/w/rare.c'), (3, '/w/other.c')");
  store_.db().exec(
      "INSERT INTO exchange_files (session_pk, exchange_number, path_pk, access, touches)"
      " SELECT session_pk, exchange_number, 1, 1, 1 FROM exchanges WHERE exchange_pk % 2 = 0"
      " UNION ALL SELECT session_pk, exchange_number, 2, 1, 1 FROM exchanges WHERE exchange_pk % 30 = 0"
      " UNION ALL SELECT session_pk, exchange_number, 3, 1, 1 FROM exchanges WHERE exchange_pk % 3000 = 0");
  expect_passing({{}, "path:wide"}, [](ExchangeId id) { return id % 2 == 0; });
  expect_passing({{}, "path:wide path:rare path:WIDE"}, [](ExchangeId id) { return id % 30 == 0; });
  expect_passing({{}, "path:other path:rare path:wide"}, [](ExchangeId id) { return id % 3000 == 0; });
  expect_passing({{}, "path:rare path:nowhere"}, [](ExchangeId) { return false; });
  for (const char* part : {"path:ra_e", "path:r%e", "path:rare\\", "path:%"})
    expect_passing({{}, part}, [](ExchangeId) { return false; });
  store_.db().exec("UPDATE paths SET path = '/w/100%_\\.c' WHERE path_pk = 2");
  for (const char* part : {"path:0%", "path:%_", "path:_\\.", "path:W/100%_\\.C"})
    expect_passing({{}, part}, [](ExchangeId id) { return id % 30 == 0; });
  store_.db().exec("UPDATE paths SET path = '/w/rare.c' WHERE path_pk = 2");
  CandidateFilter filter(store_.db(), places_, {}, parse_query("path:other path:rare", 0));
  EXPECT_EQ(filter.list().size(), kExchanges / 3000);
}

TEST_F(CandidateFilterTest, TimesOfManyInASession) {
  Asked asked;
  asked.filter.session = session_;
  asked.filter.since = 10'000'000;
  asked.filter.until = 50'000'000;
  expect_passing(asked, [](ExchangeId id) { return id >= 10'000 && id < 50'000 && id % 2 == 0; });
}

}  // namespace
}  // namespace memd::search
