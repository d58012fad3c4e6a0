#include "daemon/admin/second_look_report.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/models/second_look_worker.hpp"
#include "schemas/base/error.hpp"
#include "store/enrich/second_look.hpp"
#include "store/reader_pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

// Returns the key of the configuration that turns it off; empty: it is on.
std::string turned_off_by(MemoryHost& host) {
  const EmbeddingConfig& config = host.settings().config.embedding;
  if (config.choice.provider != EmbeddingProvider::builtin)
    return "embedding.provider: " + std::string(to_string(config.choice.provider));
  return config.second_look ? "" : "embedding.second_look";
}

}  // namespace

Result<SecondLookStatus> second_look_status(MemoryHost& host) {
  SecondLookStatus out;
  MEMD_TRY_ASSIGN(const auto backlog, host.readers().ask(SecondLookBacklogQuery{}));
  out.exchanges = backlog.exchanges;
  out.turned_off_by = turned_off_by(host);
  if (!out.turned_off_by.empty()) return out;
  const auto models = host.semantic().models();
  if (models->second_look == nullptr) {
    out.made = backlog.made;
    out.waiting = backlog.waiting;
    out.paused = models->second_look_missing;
    return out;
  }
  out.model = models->second_look->model().name;
  // Until the store knows this network, all exchanges wait.
  const bool is_known = backlog.model == out.model;
  out.made = is_known ? backlog.made : 0;
  out.waiting = is_known ? backlog.waiting : backlog.exchanges;
  if (host.second_look() == nullptr) return out;
  const SecondLookProgress p = host.second_look()->progress();
  out.working = p.working;
  out.done = p.exchanges;
  out.busy_seconds = p.busy_seconds;
  out.paused = p.paused;
  return out;
}

bool has_second_look(MemoryHost& host) {
  return turned_off_by(host).empty() && host.semantic().models()->second_look_missing.empty();
}

Result<SecondLookRun> look_again_now(MemoryHost& host, std::int64_t most,
                                     std::chrono::steady_clock::time_point deadline, mcp::ToolContext& context) {
  if (const std::string by = turned_off_by(host); !by.empty())
    return Error(Errc::unsupported, "the second look is off (" + by + ")");
  if (const std::string missing = host.semantic().models()->second_look_missing; !missing.empty())
    return Error(Errc::unavailable, missing);
  SecondLookWorker& worker = *host.second_look();
  MEMD_TRY_ASSIGN(const SecondLookStatus before, second_look_status(host));
  worker.hurry(most);
  while (!worker.block_until_idle(100ms)) {
    context.progress(static_cast<double>(worker.progress().exchanges - before.done),
                     static_cast<double>(std::min(before.waiting, most)), kLookingAgain);
    const bool ends = context.stop.stop_requested() || std::chrono::steady_clock::now() > deadline;
    // What is made cannot be stored, and the worker would not end before it is.
    if (ends || !host.ingest()->trouble().empty()) break;
  }
  worker.hurry(0);
  if (context.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
  if (std::string trouble = host.ingest()->trouble(); !trouble.empty()) return Error(Errc::store, std::move(trouble));
  if (SecondLookProgress p = worker.progress(); p.store_busy) return Error(Errc::store_busy, std::move(p.paused));
  MEMD_TRY_ASSIGN(const SecondLookStatus after, second_look_status(host));
  return SecondLookRun{after.done - before.done, after.busy_seconds - before.busy_seconds, after.waiting, after.paused};
}

DoctorCheck check_second_look(MemoryHost& host) {
  const auto status = second_look_status(host);
  if (!status) return {"second look", "problem", status.error().message(), "See what is said about the store."};
  if (!host.semantic().models()->second_look_missing.empty())
    return {"second look", "problem", second_look_text(*status),
            "Install memd again: the file belongs to the program."};
  return {"second look", "ok", second_look_text(*status), ""};
}

}  // namespace memd::admin
