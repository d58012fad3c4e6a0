// Measures the latency of the tools that report what was done (P6), over a store of any size, in process: no model,
// each answer computed anew. make_store makes stores.
//
//   summary_bench DIRECTORY/memd.db [CALLS a kind = 200 [PART of the name of a kind]]
#include "bench/statistics.hpp"
#include "daemon/tools/recent_turns.hpp"
#include "daemon/tools/session_summary.hpp"
#include "daemon/tools/temporal_query.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/store_health.hpp"
#include "store/db/database.hpp"
#include "store/reader_pool.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace memd;

// A clock that returns the time of the newest event, so that "yesterday" does not depend on the day of the run.
class StoreClock final : public Clock {
 public:
  explicit StoreClock(TimeMs now) : now_(now) {}
  TimeMs now() const override { return now_; }

 private:
  TimeMs now_;
};

class NothingBehind final : public tools::FreshnessProvider {
 public:
  std::vector<PlatformFreshness> freshness() const override { return {}; }
  std::uint64_t generation() const override { return 1; }
};

class NoRawText final : public tools::RawText {
 public:
  Result<std::string> event_text(const EventSource&, EventKind) const override {
    return Error(Errc::not_found, "not read here");
  }
};

// An adapter for each platform, which can do everything.
class AllPlatforms final : public tools::AdapterCatalogue {
 public:
  AllPlatforms() {
    for (const Platform p : platform_ids()) {
      AdapterDescription& d = adapters_[p];
      d.platform = p;
      d.data_completeness = DataCompleteness::full;
      d.capabilities.assign(kAllCapabilities.begin(), kAllCapabilities.end());
    }
  }
  const AdapterDescription* find(Platform platform) const override {
    const auto it = adapters_.find(platform);
    return it == adapters_.end() ? nullptr : &it->second;
  }

 private:
  std::map<Platform, AdapterDescription> adapters_;
};

struct Call {
  std::string kind;
  std::string tool;
  std::vector<std::string> arguments;  // used in turn
};

double cpu_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

std::vector<std::string> strings(sqlite::Database& db, const std::string& sql) {
  std::vector<std::string> out;
  auto& q = db.prepare(sql);
  while (q.step())
    out.push_back(q.str(0));
  q.reset();
  return out;
}

std::vector<std::string> with_sessions(const std::vector<std::string>& uids, const std::string& more) {
  std::vector<std::string> out;
  for (const std::string& uid : uids)
    out.push_back("{\"session_id\":\"" + uid + "\"" + more + "}");
  return out;
}

std::vector<Call> calls(sqlite::Database& db, std::size_t count) {
  // Sessions from all of history: every n-th among those with something to report.
  const std::string share = std::to_string(count);
  const auto uids = strings(db,
                            "WITH s AS (SELECT uid, row_number() OVER (ORDER BY session_pk) AS n, count(*) OVER () AS"
                            " c FROM sessions WHERE next_exchange > 0) SELECT uid FROM s WHERE n % max(c / " +
                                share + ", 1) = 0 LIMIT " + share);
  const auto longest = strings(db, "SELECT uid FROM sessions ORDER BY next_exchange DESC LIMIT 1");
  const auto largest =
      strings(db,
              "SELECT uid FROM sessions WHERE session_pk = (SELECT session_pk FROM exchanges GROUP BY session_pk"
              " ORDER BY sum(length(user_message) + length(assistant_response)) DESC LIMIT 1)");
  std::vector<Call> out;
  out.push_back({"recent_turns", "recent_turns", with_sessions(uids, "")});
  out.push_back({"  brief, 50 turns, 8000 tokens", "recent_turns",
                 with_sessions(uids, R"(,"n_turns":50,"style":"brief","max_tokens":8000)")});
  out.push_back({"  longest session, 100 turns", "recent_turns", with_sessions(longest, R"(,"n_turns":100)")});
  const auto first = strings(db, "SELECT min(started_at) FROM exchanges WHERE started_at > 0");
  const TimeMs begin = std::strtoll(first.at(0).c_str(), nullptr, 10);
  // Times with activity, because there may be months without any.
  const auto times =
      strings(db,
              "WITH t AS (SELECT started_at, row_number() OVER (ORDER BY started_at) AS n, count(*) OVER"
              " () AS c FROM exchanges WHERE started_at > 0) SELECT started_at FROM t WHERE n % max(c / " +
                  share + ", 1) = 0 LIMIT " + share);
  for (const int days : {1, 7, 30}) {
    Call c{days == 1 ? "temporal_query, a day" : days == 7 ? "  a week" : "  30 days", "temporal_query", {}};
    for (const std::string& time : times) {
      const TimeMs since = std::strtoll(time.c_str(), nullptr, 10);
      c.arguments.push_back("{\"since\":\"" + format_rfc3339(since) + "\",\"until\":\"" +
                            format_rfc3339(since + days * kMsPerDay) + "\"}");
    }
    out.push_back(std::move(c));
  }
  Call all{"  all of history", "temporal_query", {}};
  for (std::size_t i = 0; i < count; ++i)  // a different question each time, because the last counts are cached
    all.arguments.push_back("{\"since\":\"" + format_rfc3339(begin - static_cast<TimeMs>(i)) + "\"}");
  out.push_back(all);
  out.push_back({"  the same question again", "temporal_query", {all.arguments.front()}});
  out.push_back({"session_summary, auto", "session_summary", with_sessions(uids, "")});
  for (const std::string strategy : {"extractive", "chronological", "hierarchical"})
    out.push_back({"  " + strategy, "session_summary", with_sessions(uids, R"(,"strategy":")" + strategy + "\"")});
  for (const auto& [name, sessions] : {std::pair("longest", longest), std::pair("largest", largest)}) {
    const std::string heading = std::string("  ") + name + " session, ";
    for (const std::string strategy : {"extractive", "chronological", "hierarchical"})
      out.push_back({heading + strategy, "session_summary",
                     with_sessions(sessions, R"(,"max_tokens":8000,"strategy":")" + strategy + "\"")});
    out.push_back({heading + "level 1", "session_summary", with_sessions(sessions, R"(,"level":1,"max_tokens":8000)")});
    out.push_back({heading + "chunk 0", "session_summary", with_sessions(sessions, R"(,"chunk":0)")});
  }
  return out;
}

void measure(const mcp::ToolRegistry& registry, const Call& call, std::size_t count, bool shown) {
  std::vector<double> wall;
  std::vector<double> cpu;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mcp::ToolContext context;
    const std::string& arguments = call.arguments[i % call.arguments.size()];
    const auto start = std::chrono::steady_clock::now();
    const double before = cpu_ms();
    const mcp::ToolOutcome outcome = registry.call(call.tool, arguments, context);
    cpu.push_back(cpu_ms() - before);
    wall.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (outcome.is_error && failed++ == 0) std::fprintf(stderr, "%s %s\n", arguments.c_str(), outcome.text.c_str());
  }
  if (!shown) return;
  std::printf("%-38s %8.2f %8.2f %8.2f   %8.2f %8.2f %8.2f%s\n", call.kind.c_str(), bench::percentile(wall, 0.5),
              bench::percentile(wall, 0.95), bench::percentile(wall, 0.99), bench::percentile(cpu, 0.5),
              bench::percentile(cpu, 0.95), bench::percentile(cpu, 0.99), failed > 0 ? "  FAILED" : "");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: summary_bench DIRECTORY/memd.db [CALLS [PART OF A KIND]]\n", stderr);
    return 2;
  }
  try {
    const fs::path store = argv[1];
    const std::size_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200;
    const std::string only = argc > 3 ? argv[3] : "";
    auto db = sqlite::Database::open(store, sqlite::OpenMode::read_only);
    const auto newest = strings(db, "SELECT max(started_at) FROM exchanges");
    const StoreClock clock(std::strtoll(newest.at(0).c_str(), nullptr, 10));
    ReaderPool readers(store, 1);
    const NothingBehind freshness;
    const NoRawText raw_text;
    const AllPlatforms adapters;
    const tools::ToolServices services{readers, clock, freshness, raw_text, adapters, store, {}, {}};
    mcp::ToolRegistry registry;
    tools::add_recent_turns(registry, services);
    tools::add_temporal_query(registry, services);
    tools::add_session_summary(registry, services);
    std::printf("%s exchanges, longest session %s\n", strings(db, "SELECT count(*) FROM exchanges").at(0).c_str(),
                strings(db, "SELECT max(next_exchange) FROM sessions").at(0).c_str());
    std::printf("%-38s %8s %8s %8s   %8s %8s %8s\n", "ms", "p50", "p95", "p99", "CPU p50", "p95", "p99");
    for (const Call& call : calls(db, count)) {
      if (call.arguments.empty() || call.kind.find(only) == std::string::npos) continue;
      measure(registry, call, 3, false);  // warm
      measure(registry, call, count, true);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "summary_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
