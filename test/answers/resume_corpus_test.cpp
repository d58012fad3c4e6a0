// Packs of real sessions: every compaction gives one pack, within its budget and reproducible. Skipped without a
// corpus.
#include "daemon/ingest/record_finder.hpp"
#include "daemon/tools/resume_context.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/store_health.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/reader_pool.hpp"
#include "store/text/token_budget.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/tool_fixture.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

class NoFreshness final : public tools::FreshnessProvider {
 public:
  std::vector<PlatformFreshness> freshness() const override { return {}; }
  std::uint64_t generation() const override { return 1; }
};

class FileText final : public tools::RawText {
 public:
  Result<std::string> event_text(const EventSource& where, EventKind kind) const override {
    return read_event_text(where.platform, where.path, kind, where.raw);
  }
};

using ResumeCorpus = test::CorpusStore;

TEST_F(ResumeCorpus, EveryCompactionGivesAPackWithinItsBudget) {
  const test::FakeClock clock;
  ReaderPool pool(database(), 2);
  const NoFreshness freshness;
  const FileText raw;
  test::FakeAdapters adapters;
  for (const Adapter* adapter : all_adapters())
    adapters.push_back(adapter->describe());
  mcp::ToolRegistry registry;
  tools::add_resume_context(registry, {pool, clock, freshness, raw, adapters, database(), {}, {}});
  mcp::ToolContext context;

  Reader reader(database());
  SessionListQuery all;
  all.limit = 1000;
  const auto sessions = reader.ask(all);
  ASSERT_TRUE(sessions);
  int packs = 0;
  for (const SessionRow& s : sessions->sessions)
    for (std::int64_t n = 1; n <= s.compactions; ++n)
      for (const std::size_t tokens : {300U, 1000U, 2000U}) {
        // One of the two a pack: what is loaded does not depend on it, and loading takes most of the time.
        const char* complement = packs % 2 == 0 ? "never" : "always";
        const std::string arguments = R"({"session_id":")" + s.uid + R"(","before":")" + std::to_string(n) +
                                      R"(","complement":")" + complement + R"(","max_tokens":)" +
                                      std::to_string(tokens) + "}";
        const auto once = registry.call("resume_context", arguments, context);
        ASSERT_FALSE(once.is_error) << arguments << once.text;
        EXPECT_LE(estimate_tokens(once.structured), tokens) << arguments;
        EXPECT_LE(estimate_tokens(once.text), tokens) << arguments;
        // What the platform's summary tells may be all that there is.
        if (packs % 2 == 0) {
          EXPECT_GT(estimate_tokens(once.structured) * 3, std::min<std::size_t>(tokens, 1200)) << arguments;
        }
        if (tokens == 1000U) {
          EXPECT_EQ(registry.call("resume_context", arguments, context).structured, once.structured) << arguments;
        }
        ++packs;
      }
  EXPECT_GT(packs, 50);
}

}  // namespace
}  // namespace memd
