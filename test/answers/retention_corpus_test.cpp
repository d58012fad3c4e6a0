// Evicts four fifths of real transcripts and checks what remains, what search finds and what a rebuild gives. Skipped
// without a corpus.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "schemas/search.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/observations.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/write/retention.hpp"
#include "test/support/analyze_all.hpp"
#include "test/support/corpus.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace memd::test {
namespace {

constexpr TimeMs kLater = 1'900'000'000'000;  // all sessions have stopped by then

class RetentionCorpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(corpus_home() / ".codex")) GTEST_SKIP() << "no corpus (set MEMD_CORPUS)";
    std::filesystem::create_directories(layout_.data_dir());
    link_corpus_excerpt(home_.path());
    const Discovery discovery(all_adapters(), home_.path(), {}, {});
    IngestOptions options;
    options.tailer.raw = RawMode::masked;
    IngestService service(discovery, clock_, options);
    ASSERT_TRUE(service.start(writer()));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(std::chrono::minutes(10)));
    ASSERT_TRUE(service.perform([&](Writer& w) { return analyze_all(w, kLater); }));
  }
  std::unique_ptr<Writer> writer() {
    auto made = Writer::open(layout_.database(), clock_, layout_.raw_dir());
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  std::vector<std::string> rows(const std::string& sql) {
    auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    std::vector<std::string> out;
    while (q.step())
      out.push_back(q.str(0));
    return out;
  }
  std::int64_t number(const std::string& sql) { return std::stoll(rows(sql).at(0)); }
  template <class Query>
  typename Query::Answer ask(const Query& query) {
    Reader reader(layout_.database());
    auto answer = reader.ask(query);
    EXPECT_TRUE(answer);
    return std::move(*answer);
  }
  // Returns for how many texts a search finds their session among its first 20 hits.
  std::size_t found(const std::vector<std::pair<std::string, std::string>>& texts_and_sessions) {
    Reader reader(layout_.database());
    std::size_t n = 0;
    for (const auto& [text, uid] : texts_and_sessions) {
      SearchQuery query;
      query.asked = search::parse_query(text);
      query.mode = SearchMode::lexical;
      const auto answer = reader.search(query);
      EXPECT_TRUE(answer);
      n += std::ranges::any_of(answer->hits, [&](const SearchHit& hit) { return hit.session_uid == uid; });
    }
    return n;
  }
  std::vector<std::string> dump() {
    auto db = sqlite::Database::open(layout_.database(), sqlite::OpenMode::read_write);
    EXPECT_NO_THROW(check_full_text_index(db));
    auto out = dump_store(db);
    for (const char* sql :
         {"SELECT exchange_pk || ' ' || uid || ' ' || exchange_number FROM exchanges JOIN sessions USING (session_pk)",
          "SELECT uid || ' ' || analyzed_at || ' ' || evicted_at || ' ' || evicted_through || ' ' || outcome || ' ' ||"
          " outcome_signs FROM sessions WHERE evicted_at IS NOT NULL",
          "SELECT s.uid || d.request || d.result || d.abstract FROM session_digests d JOIN sessions s USING"
          " (session_pk) WHERE s.evicted_at IS NOT NULL"}) {
      auto more = rows(sql);
      std::sort(more.begin(), more.end());
      out.insert(out.end(), more.begin(), more.end());
    }
    return out;
  }

  TempDir home_;
  TempDir data_;
  StoreLayout layout_{data_ / "store"};
  FakeClock clock_{kLater};
};

TEST_F(RetentionCorpus, FourFifthsEvicted) {
  std::vector<std::string> oldest = rows("SELECT uid FROM sessions WHERE analysis_version > 0 ORDER BY ended_at, uid");
  const std::size_t sessions = oldest.size();
  oldest.resize(sessions * 4 / 5);
  const auto totals_before = ask(PlatformTotalsQuery{});
  const auto list_before = ask(SessionListQuery{{}, 10'000});
  const auto decisions_before = ask(ObservationListQuery{{}, ObservationType::decision, 10'000});
  std::vector<std::pair<std::string, std::string>> titles;
  for (const SessionRow& row : list_before.sessions)
    if (titles.size() < 100 && row.exchanges > 0 && std::ranges::find(oldest, row.uid) != oldest.end())
      titles.emplace_back(row.title, row.uid);
  std::vector<std::pair<std::string, std::string>> decisions;
  for (const ObservationRow& row : decisions_before.observations)
    if (decisions.size() < 100 && std::ranges::find(oldest, row.session_uid) != oldest.end())
      decisions.emplace_back(row.observation.content, row.session_uid);
  const std::size_t titles_before = found(titles);

  const auto dropped = Retention(*writer()).evict(oldest);
  ASSERT_TRUE(dropped) << dropped.error().message();
  EXPECT_EQ(dropped->sessions, oldest.size());

  // Figures count rows; figures of sessions are unchanged.
  const auto totals = ask(PlatformTotalsQuery{});
  ASSERT_EQ(totals.size(), totals_before.size());
  std::int64_t events = 0;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const std::string platform(to_string(totals[i].platform));
    EXPECT_EQ(totals[i].exchanges, totals_before[i].exchanges) << platform;
    EXPECT_EQ(totals[i].subagent_exchanges, totals_before[i].subagent_exchanges) << platform;
    EXPECT_EQ(totals[i].sessions, totals_before[i].sessions) << platform;
    EXPECT_LE(totals[i].events, totals_before[i].events) << platform;
    events += totals[i].events;
  }
  std::cout << "sessions " << sessions << ", evicted " << dropped->sessions << "; exchanges cut " << dropped->exchanges
            << " of " << number("SELECT count(*) FROM exchanges") << "; events gone " << dropped->events << ", left "
            << number("SELECT count(*) FROM events") << " (told " << events << "); raw bytes gone "
            << dropped->raw_bytes << ", left " << number("SELECT coalesce(sum(file_length), 0) FROM raw_frames")
            << "\n";
  EXPECT_EQ(number("SELECT count(*) FROM events JOIN sessions USING (session_pk) WHERE evicted_at IS NOT NULL"), 0);
  const auto list = ask(SessionListQuery{{}, 10'000});
  ASSERT_EQ(list.sessions.size(), list_before.sessions.size());
  for (std::size_t i = 0; i < list.sessions.size(); ++i) {
    const SessionRow& now = list.sessions[i];
    const SessionRow& then = list_before.sessions[i];
    EXPECT_EQ(std::tie(now.uid, now.title, now.exchanges, now.tool_calls, now.outcome, now.cost.turns,
                       now.cost.wall_clock, now.project_key),
              std::tie(then.uid, then.title, then.exchanges, then.tool_calls, then.outcome, then.cost.turns,
                       then.cost.wall_clock, then.project_key));
    EXPECT_EQ(now.outcome_reasons.size(), then.outcome_reasons.size()) << now.uid;
  }

  // Titles and decisions are still found.
  const std::size_t titles_now = found(titles);
  EXPECT_GE(titles_now * 10, titles_before * 9);
  EXPECT_EQ(ask(ObservationListQuery{{}, ObservationType::decision, 10'000}).total, decisions_before.total);
  std::cout << "titles found: " << titles_before << " of " << titles.size() << " before, " << titles_now
            << " now; decisions kept " << decisions_before.total << "\n";

  const auto want = dump();
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(layout_.database().string() + suffix);
  const auto report = rebuild_store(layout_, find_adapter);
  ASSERT_TRUE(report) << report.error().message();
  const auto have = dump();
  const auto only_in = [](std::vector<std::string> some, std::vector<std::string> others) {
    std::ranges::sort(some);
    std::ranges::sort(others);
    std::vector<std::string> out;
    std::ranges::set_difference(some, others, std::back_inserter(out));
    if (out.size() > 10) out.resize(10);
    return out;
  };
  EXPECT_EQ(only_in(have, want), std::vector<std::string>());
  EXPECT_EQ(only_in(want, have), std::vector<std::string>());
}

}  // namespace
}  // namespace memd::test
