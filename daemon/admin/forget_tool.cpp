#include "daemon/admin/forget_tool.hpp"

#include "daemon/host/excluded_sessions.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/sharing/inbox.hpp"
#include "daemon/tools/time_argument.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "schemas/exchange_name.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/forget_plan.hpp"
#include "store/reader_pool.hpp"
#include "store/write/forgetting.hpp"
#include "store/write/text_removal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

Result<ForgetSelection> selection_of(MemoryHost& host, const ForgetParams& params) {
  ForgetSelection out;
  out.session = params.session;
  out.project = params.project;
  out.text = params.query;
  if (!params.before.empty()) {
    MEMD_TRY_ASSIGN(out.before,
                    tools::parse_time_argument("before", params.before, search::RangeEnd::since, host.clock()));
  }
  if (params.excluded) {
    MEMD_TRY_ASSIGN(out.uids, stored_though_excluded(host));
  } else if (out.is_empty()) {
    return Error(
        Errc::invalid_argument,
        "say what to forget: a session, turns, --project, --query, --before or --excluded; memd forget --help");
  }
  return out;
}

// What others shared stands in files of this machine, too. A sync does the same at its next turn, for what it takes in
// meanwhile and if it has the lock.
Result<void> forget_what_came(MemoryHost& host, const std::vector<std::string>& session_uids) {
  const StoreLayout& layout = host.settings().layout;
  const sharing::Inbox inbox(layout);
  if (inbox.files().empty()) return {};
  const auto lock = inbox.lock(10s);
  if (!lock) return lock.error().is(Errc::busy) ? Result<void>() : lock.error();
  MEMD_TRY_ASSIGN(const auto withheld, Withheld::open(layout.withheld()));
  for (const auto& uid : session_uids)
    MEMD_TRY(inbox.forget(*withheld, uid));
  return session_uids.empty() ? inbox.mask(*withheld->texts()) : Result<void>();
}

ForgetReport report_of(const std::vector<PlannedForgetting>& plan) {
  ForgetReport out;
  for (const auto& p : plan) {
    out.sessions.push_back({p, p.project, format_rfc3339(p.ended_at), static_cast<std::int64_t>(p.members.size())});
    out.all_sessions += static_cast<std::int64_t>(p.members.size());
    out.exchanges += p.exchanges;
    out.events += p.events;
    out.raw_bytes += p.raw_bytes;
  }
  return out;
}

ForgetReport report_of(const std::vector<PlannedExchange>& plan) {
  ForgetReport out;
  std::set<std::string_view> subagents;
  for (const auto& p : plan) {
    out.single_exchanges.push_back({format_exchange_id(p.exchange.key), p.exchange.session_uid, p.exchange.number,
                                    format_rfc3339(p.started_at), p.prompt, p.events,
                                    static_cast<std::int64_t>(p.subagents.size())});
    ++out.exchanges;
    out.events += p.events;
    subagents.insert(p.subagents.begin(), p.subagents.end());
  }
  out.all_sessions = static_cast<std::int64_t>(subagents.size());
  return out;
}

Result<std::vector<ExchangeId>> ids_of(Reader& reader, const std::vector<std::string>& names) {
  std::vector<ExchangeId> out;
  for (const auto& text : names) {
    auto id = parse_exchange_id(text);
    if (!id) {
      const auto name = parse_exchange_name(text);
      if (!name)
        return Error(Errc::invalid_argument,
                     "\"" + harmless_line(text) + "\" is no turn: give ids like x42, or SESSION#3");
      MEMD_TRY_ASSIGN(id, reader.ask(NamedExchangeQuery{*name}));
    }
    if (std::find(out.begin(), out.end(), *id) == out.end()) out.push_back(*id);
  }
  return out;
}

bool selects_sessions(const ForgetParams& p) {
  return !p.session.empty() || !p.project.empty() || !p.query.empty() || !p.before.empty() || p.excluded;
}

// Forgets exchanges of sessions that stay, with the subagents that were started in them.
Result<ForgetReport> forget_exchanges(MemoryHost& host, const ForgetParams& params) {
  if (selects_sessions(params))
    return Error(Errc::invalid_argument, "give either turns, like x42, or what selects whole sessions");
  std::vector<PlannedExchange> plan;
  {
    MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
    MEMD_TRY_ASSIGN(auto ids, ids_of(*reader, params.exchanges));
    const ExchangeForgetPlanQuery query{std::move(ids)};
    MEMD_TRY_ASSIGN(plan, reader->ask(query));
  }
  ForgetReport report = report_of(plan);
  if (!params.yes) return report;
  if (host.ingest() == nullptr) return host.does_not_write();
  // Planned anew by the writer: the agent may have gone on in the meantime.
  ExchangeForgetPlanQuery again;
  for (const auto& p : plan)
    again.ids.push_back(p.exchange.key);
  std::vector<std::string> uids;
  std::vector<ForgottenExchange> exchanges;
  const auto done = host.ingest()->perform([&](Writer& writer) -> Result<void> {
    MEMD_TRY_ASSIGN(plan, writer.transact([&](sqlite::Database& db) { return again.run(db); }));
    for (auto& p : plan) {
      uids.insert(uids.end(), p.subagents.begin(), p.subagents.end());
      exchanges.push_back(p.exchange);
    }
    MEMD_TRY(Forgetting(writer, judge_of_records).forget(uids, exchanges));
    return {};
  });
  if (!done) return done.error();
  for (const auto& exchange : exchanges)
    uids.push_back(exchange.session_uid);
  MEMD_TRY(forget_what_came(host, uids));
  report = report_of(plan);
  report.done = true;
  return report;
}

ForgetReport report_of(const removal::TextPlaces& places) {
  ForgetReport out;
  out.of_text = true;
  out.all_sessions = static_cast<std::int64_t>(places.sessions.size());
  out.exchanges = places.exchanges;
  out.records = places.records;
  out.memories = places.memories;
  return out;
}

// Removes a text from all of the store.
Result<ForgetReport> forget_text(MemoryHost& host, const ForgetParams& params) {
  if (selects_sessions(params) || !params.exchanges.empty())
    return Error(Errc::invalid_argument, "give either a text, or what selects sessions or turns");
  if (params.text.size() < redaction::kShortestForgotten)
    return Error(Errc::invalid_argument, fmt::format("a text to forget has at least {} bytes: a shorter one stands in "
                                                     "too many places by chance",
                                                     redaction::kShortestForgotten));
  const removal::TextPlacesQuery query{params.text, host.settings().layout.raw_dir(),
                                       raw::FrameSeal(host.settings().cipher)};
  MEMD_TRY_ASSIGN(const removal::TextPlaces places, host.readers().ask(query));
  ForgetReport report = report_of(places);
  if (!params.yes) return report;
  if (host.ingest() == nullptr) return host.does_not_write();
  const auto done = host.ingest()->perform([&](Writer& writer) -> Result<void> {
    MEMD_TRY(Forgetting(writer, judge_of_records).forget_text(params.text));
    return {};
  });
  if (!done) return done.error();
  MEMD_TRY(forget_what_came(host, {}));
  report.done = true;
  return report;
}
}  // namespace

Result<ForgetReport> forget(MemoryHost& host, const ForgetParams& params) {
  if (!params.text.empty()) return forget_text(host, params);
  if (!params.exchanges.empty()) return forget_exchanges(host, params);
  MEMD_TRY_ASSIGN(auto selection, selection_of(host, params));
  const bool is_empty = selection.is_empty();
  std::vector<PlannedForgetting> plan;
  if (!is_empty) {
    const ForgetPlanQuery query{std::move(selection), host.settings().layout.raw_dir(),
                                raw::FrameSeal(host.settings().cipher)};
    MEMD_TRY_ASSIGN(plan, host.readers().ask(query));
  }
  ForgetReport report = report_of(plan);
  if (!params.yes || plan.empty()) return report;
  if (host.ingest() == nullptr) return host.does_not_write();
  // Forgets exactly the sessions that were reported.
  std::vector<std::string> uids;
  for (const auto& p : plan)
    uids.insert(uids.end(), p.members.begin(), p.members.end());
  const auto done = host.ingest()->perform([&](Writer& writer) -> Result<void> {
    MEMD_TRY(Forgetting(writer, judge_of_records).forget(uids));
    return {};
  });
  if (!done) return done.error();
  MEMD_TRY(forget_what_came(host, uids));
  report.done = true;
  return report;
}

}  // namespace memd::admin
