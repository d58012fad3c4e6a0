#include "daemon/admin/doctor.hpp"

#include "daemon/admin/ingest_tools.hpp"
#include "daemon/admin/memory_tool.hpp"
#include "daemon/admin/second_look_report.hpp"
#include "daemon/admin/status_reports.hpp"
#include "daemon/host/excluded_sessions.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_progress.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/tools/answer.hpp"
#include "daemon/tools/diagnostics.hpp"
#include "daemon/version.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/db/store_copies.hpp"
#include "store/db/withheld.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/retention_plan.hpp"
#include "store/read/store_check.hpp"
#include "store/reader_pool.hpp"
#include "store/search/search_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

constexpr TimeMs kDriftIsNews = 7 * kMsPerDay;
constexpr double kMuchUnknown = 0.01;  // share of a platform's bytes

// Collects the checks. Each one examines one thing and reports what it found and what to do about it.
class Findings {
 public:
  explicit Findings(DoctorReport& report) : report_(report) {}
  void ok(std::string name, std::string detail) { add(std::move(name), "ok", std::move(detail), {}); }
  void note(std::string name, std::string detail, std::string fix) {
    add(std::move(name), "note", std::move(detail), std::move(fix));
  }
  void take(DoctorCheck check) {
    report_.ok = report_.ok && check.status != "problem";
    report_.checks.push_back(std::move(check));
  }
  void problem(std::string name, std::string detail, std::string fix) {
    report_.ok = false;
    add(std::move(name), "problem", std::move(detail), std::move(fix));
  }

 private:
  void add(std::string name, std::string status, std::string detail, std::string fix) {
    report_.checks.push_back({std::move(name), std::move(status), std::move(detail), std::move(fix)});
  }
  DoctorReport& report_;
};

void check_data_dir(const MemoryHost& host, Findings& findings) {
  const std::string dir = host.settings().layout.data_dir().string();
  struct ::stat st {};
  if (::stat(dir.c_str(), &st) != 0) {
    if (errno == ENOENT)
      return findings.note("data", dir + " does not exist yet", "The daemon creates it when it starts.");
    return findings.problem("data", dir + ": " + std::strerror(errno), "Make it accessible or pass --data-dir.");
  }
  if (st.st_uid != ::geteuid())
    return findings.problem("data", dir + " belongs to another user", "chown it, or pass --data-dir.");
  if ((st.st_mode & 077) != 0) return findings.problem("data", dir + " is open to other users", "chmod 700 " + dir);
  findings.ok("data", dir);
}

// Checks the database file itself, because figures read from a damaged file may look right.
void check_file(const MemoryHost& host, Findings& findings) {
  constexpr auto kLongest = 10s;
  const auto& file = host.settings().layout.database();
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return;
  const auto check = check_store(file, kLongest);
  if (!check) return findings.problem("store", check.error().message(), "Is it locked, or out of reach?");
  if (!check->damage.empty())
    return findings.problem(
        "store", file.string() + " is damaged: " + check->damage,
        "Keep a copy of it; `memd rebuild` rebuilds it from the original records, and the agents' files "
        "that are still there are read again.");
  findings.ok("store", check->complete ? "the file is sound" : "no damage found in ten seconds of checking");
}

// Checks the raw layer. `memd rebuild` and whole texts depend on it, so damage should be found before it is needed.
void check_raw(const MemoryHost& host, bool full, Findings& findings) {
  constexpr std::uint64_t kSample = 32 << 20;
  const Settings& settings = host.settings();
  std::error_code ec;
  if (!std::filesystem::exists(settings.layout.raw_dir(), ec) ||
      !std::filesystem::exists(settings.layout.database(), ec))
    return;
  const auto check =
      raw::check_raw_layer(settings.layout.database(), settings.layout.raw_dir(), raw::FrameSeal(settings.cipher),
                           full ? std::numeric_limits<std::uint64_t>::max() : kSample);
  if (!check) {
    if (check.error().is(Errc::bad_config)) return;  // reported by check_encryption()
    return findings.problem("original records", check.error().message(), "Is it out of reach?");
  }
  const double mb = static_cast<double>(check->bytes) / 1e6;
  if (check->damages.empty())
    return findings.ok(
        "original records",
        check->bytes_read >= check->bytes
            ? fmt::format("{}, {:.1f} MB: sound", tools::counted(static_cast<std::int64_t>(check->files), "file"), mb)
            : fmt::format("sound, in a sample of {:.1f} of {:.1f} MB; --full reads all",
                          static_cast<double>(check->bytes_read) / 1e6, mb));
  std::string what = fmt::format("{} bytes are damaged or missing", check->damaged_bytes);
  for (const auto& damage : check->damages)
    what += ", " + damage;
  findings.problem("original records", what,
                   "The store still has what was made of them; whole texts of these records are lost where the agent's "
                   "file is gone. Look at the disk; a backup of the file can be put back.");
}

void check_rebuild(const MemoryHost& host, const ProcessFacts& facts, Findings& findings) {
  const auto last = facts.store_rebuild ? facts.store_rebuild() : std::nullopt;
  const bool runs = last && last->state == "running";
  if (runs)
    findings.note("rebuild", rebuild_status_text(*last),
                  "Nothing: what agents write meanwhile is read when it has ended.");
  else if (last && last->state != "replaced")
    findings.note("rebuild", rebuild_status_text(*last), "`memd rebuild` tries again; `memd logs` has more.");
  for (const auto& copy : copies_of_store(host.settings().layout)) {
    const double mb = static_cast<double>(copy.bytes) / 1e6;
    if (copy.is_unfinished && runs) continue;
    if (copy.is_unfinished)
      findings.note(
          "rebuild",
          fmt::format("{} ({:.1f} MB) belongs to a rebuild that was killed or is running", copy.file.string(), mb),
          "The next start of the daemon removes it.");
    else
      findings.ok("rebuild", fmt::format("{} ({:.1f} MB) is the store before the last rebuild; delete it if you like",
                                         copy.file.string(), mb));
  }
}

// Checks the search index. A query may read any page, and SQLite's own check accepts pages whose content a full-text
// index cannot use.
void check_searching(MemoryHost& host, bool fix, Findings& findings) {
  constexpr auto kLongest = 30s;
  const auto& file = host.settings().layout.database();
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return;
  const auto check = check_search(file, kLongest);
  if (!check) return findings.problem("searching", check.error().message(), "Is the store locked, or out of reach?");
  if (check->damage.empty())
    return findings.ok("searching", check->complete ? "everything that searches use is readable"
                                                    : "no damage found in thirty seconds of checking");
  if (!fix)
    return findings.problem("searching", check->damage,
                            "`memd doctor --fix` rebuilds the indexes from the store's rows; nothing is lost.");
  if (host.ingest() == nullptr)
    return findings.problem("searching", check->damage, "This process does not write: stop the memd that does.");
  const auto repaired = host.ingest()->perform([](Writer& writer) { return writer.transact(repair_search_index); });
  const auto again = repaired ? check_search(file, kLongest) : Result<SearchCheck>(repaired.error());
  if (again && again->damage.empty())
    return findings.ok("searching", check->damage + ": the indexes were rebuilt from the store's rows");
  findings.problem("searching", again ? again->damage : again.error().message(),
                   "Keep a copy of the store; `memd rebuild` rebuilds it from the original records.");
}

void check_config(const MemoryHost& host, Findings& findings) {
  // Every command refuses an invalid configuration, so it cannot be found here.
  for (const auto& [platform, config] : host.settings().config.platforms)
    for (const auto& path : config.paths) {
      std::error_code ec;
      if (std::filesystem::exists(path, ec)) continue;
      findings.note("configuration",
                    fmt::format("platforms.{}.paths: {} is not there", to_string(platform), path.string()),
                    "This is fine if it appears later: memd waits for it.");
    }
  findings.ok("configuration", "read without errors");
}

void check_copies(const MemoryHost& host, Findings& findings) {
  const auto directory = host.settings().layout.imports();
  std::error_code ec;
  const auto copies = std::distance(std::filesystem::directory_iterator(directory, ec), {});
  if (!ec && copies > 0)
    findings.note("encryption", fmt::format("{} opened copies of sealed exports are in {}", copies, directory.string()),
                  "Imports that were killed left them, unless one runs now: delete them.");
}

// Reports nothing if nothing is sealed and no key is configured.
void check_encryption(const MemoryHost& host, Findings& findings) {
  const raw::FrameSeal seal(host.settings().cipher);
  const auto key_id = seal.key_id();
  if (!key_id)
    findings.problem("encryption", key_id.error().message(), "Nothing is written to the store until the key is there.");
  const auto tally = raw::tally_frames(host.settings().layout.raw_dir(), key_id ? *key_id : std::string());
  if (tally.sealed_otherwise > 0 && key_id)
    findings.problem(
        "encryption",
        fmt::format("{} frames of the original records are sealed with {}", tally.sealed_otherwise,
                    seal.has_key() ? "a key other than the configured one" : "a key, and none is configured"),
        "Configure the key they were sealed with (encryption.key_file or key_command).");
  if (!seal.has_key() || !key_id) return;
  if (tally.plain > 0)
    findings.note("encryption",
                  fmt::format("{} of {} frames of the original records are not sealed yet", tally.plain,
                              tally.plain + tally.sealed + tally.sealed_otherwise),
                  "`memd key seal --stop-daemon` seals them; what is new is sealed already.");
  else if (tally.sealed_otherwise == 0)
    findings.ok("encryption",
                fmt::format("{} frames of the original records are sealed; memd.db is not", tally.sealed));
}

void check_daemon(const ProcessFacts& facts, Findings& findings) {
  if (facts.role == "none")
    return findings.note("daemon", "none is running: the store is as old as its last run",
                         "A client's first call starts it; or: memd --socket");
  if (facts.role == "silent")
    return findings.problem("daemon", "the one on " + facts.socket + " does not answer",
                            "Is it stopped, or the machine very busy? `memd.pid` beside the store names its process; "
                            "ended with SIGTERM, or SIGKILL, it loses nothing, and the next call starts another.");
  if (facts.role == "daemon" && program_was_replaced())
    return findings.note(
        "daemon", fmt::format("memd {} on {}; its program has been replaced since it began", version(), facts.socket),
        "`memd restart` starts what stands there now.");
  findings.ok("daemon", facts.socket.empty() ? facts.role : facts.role + " on " + facts.socket);
}

void check_watching(const ProcessFacts& facts, Findings& findings) {
  if (!facts.watcher) return;
  const std::string watcher = facts.watcher();
  if (watcher.find("polling") == std::string::npos) return findings.ok("watching", watcher);
  findings.note(
      "watching", watcher,
      "sysctl fs.inotify.max_user_watches=524288 allows more, and watch.max_directories in the configuration.");
}

void check_ingest(MemoryHost& host, Findings& findings) {
  if (host.ingest() == nullptr) return;
  const IngestSnapshot s = host.ingest()->progress().snapshot();
  if (const std::string trouble = host.ingest()->trouble(); !trouble.empty())
    return findings.problem("writing", trouble,
                            "It is retried automatically. Is the disk full? A store that was removed comes back when "
                            "the daemon is restarted; nothing that agents still have is lost.");
  if (s.sources_short > 0)
    findings.problem("reading", fmt::format("{} sources could not be read: {}", s.sources_short, s.shortage),
                     "It is tried again by itself; `ulimit -n` shows how many descriptors a process may have.");
  findings.ok("writing", s.idle ? "up to date" : fmt::format("{} of {} bytes read", s.bytes_done, s.bytes_total));
}

void check_sources(MemoryHost& host, Findings& findings) {
  const auto sources = sources_report(host);
  if (!sources)
    return findings.problem("store", sources.error().message(), "memd reads stores of its own schema version only.");
  std::string unread_of;
  for (const Platform platform : host.platforms_unread())
    unread_of.append(unread_of.empty() ? "" : ", ").append(to_string(platform));
  if (!unread_of.empty())
    findings.note("sources", "nothing has been read yet of " + unread_of,
                  host.ingest() != nullptr ? "It is being read."
                                           : "`memd ingest --once` reads it, and so does the daemon, which a client's "
                                             "first call starts.");
  for (const auto& place : host.discovery().unread_places())
    findings.note("not read", place.what, place.remedy);
  if (sources->active + sources->gone + sources->unreachable + sources->quarantined == 0 && !unread_of.empty()) return;
  if (sources->active + sources->gone + sources->unreachable + sources->quarantined == 0)
    return findings.note("sources", "no history of any agent was found below " + host.settings().home.string(),
                         "If there is some: --home, or platforms.<name>.paths in the configuration.");
  findings.ok("sources", fmt::format("{} followed, {} gone (their history stays)", sources->active, sources->gone));
  const std::int64_t unread = sources->unreachable + sources->quarantined + sources->failing;
  if (const auto told = std::ssize(sources->troubles); unread > told)
    findings.problem("sources", fmt::format("{} cannot be read; the first {} are listed here", unread, told),
                     "`memd log` names the others.");
  for (const auto& t : sources->troubles) {
    const std::string what = fmt::format("{}: {}", t.source, t.reason);
    const std::string when = t.retry_at.empty() ? "" : " It is looked at again at " + t.retry_at + ".";
    if (t.state == "unreachable")
      findings.problem("unreachable", what, "Mount the disk or give access to it; what was read stays." + when);
    else if (t.state == "quarantined")
      findings.problem("quarantined", what,
                       "It has failed at every look. An update of memd may read it; it is released by the first look "
                       "that succeeds." +
                           when);
    else
      findings.problem("failing", what,
                       "Nothing that its agent wrote since is known. An update of memd may read it; `memd log` tells "
                       "since when it fails." +
                           when);
  }
}

void check_platform(const PlatformTotals& t, TimeMs now, Findings& findings) {
  const std::string key(to_string(t.platform));
  if (t.drift_at != 0 && now - t.drift_at < kDriftIsNews)
    findings.problem("drift",
                     fmt::format("{} seems to have changed its format: {} of the last {} records are of unknown shape",
                                 key, t.recent_unknown_records, t.recent_records),
                     "Update memd; `memd coverage --platform " + key + "` names the record types.");
  const double share =
      t.bytes_total == 0 ? 0 : static_cast<double>(t.bytes_unknown) / static_cast<double>(t.bytes_total);
  if (share > kMuchUnknown)
    findings.note("coverage", fmt::format("{:.1f} % of {} is of unknown shape", share * 100, key),
                  "`memd coverage --platform " + key + "` names the record types.");
  else
    findings.ok("coverage", fmt::format("{}: {} of {} records of unknown shape", key, t.unknown_records, t.records));
}

// Lists the agents whose history is here. What is registered with them, the command line adds.
std::vector<DoctorAgent> agents_with_history(MemoryHost& host, const std::vector<PlatformTotals>& totals,
                                             const std::vector<AgentFactsQuery::Row>& facts) {
  std::vector<DoctorAgent> out;
  const auto add = [&](Platform platform) -> DoctorAgent& {
    DoctorAgent& agent = out.emplace_back();
    agent.agent = to_string(platform);
    agent.name = name_of(platform);
    agent.has_history = true;
    return agent;
  };
  for (const PlatformTotals& t : totals) {
    if (t.sources == 0 && t.sessions == 0) continue;
    DoctorAgent& agent = add(t.platform);
    agent.sessions = t.sessions;
    agent.turns = t.exchanges;
    for (const auto& row : facts) {
      if (row.platform != t.platform) continue;
      agent.version = row.version;
      agent.read_since = row.read_since > 0 ? format_rfc3339(row.read_since) : "";
      agent.last_turn = row.last_turn > 0 ? format_rfc3339(row.last_turn) : "";
    }
  }
  for (const Platform platform : host.platforms_unread())
    add(platform).missing.emplace_back("history");
  return out;
}

void check_platforms(MemoryHost& host, DoctorReport& report, Findings& findings) {
  auto totals = host.readers().ask(PlatformTotalsQuery{});
  auto facts = host.readers().ask(AgentFactsQuery{});
  if (!totals) totals = std::vector<PlatformTotals>();  // there is no store yet
  if (!facts) facts = std::vector<AgentFactsQuery::Row>();
  for (const auto& t : *totals)
    check_platform(t, host.clock().now(), findings);
  report.agents = agents_with_history(host, *totals, *facts);
  for (const auto& adapter : describe_adapters(host.settings().config))
    if (adapter.status == AdapterStatus::unsupported)
      findings.problem("contract",
                       fmt::format("{}: its adapter speaks contract {}, this memd {}", to_string(adapter.platform),
                                   adapter.contract_version, kContractVersion),
                       "Install an adapter and a memd of the same major version.");
}

void check_retention(MemoryHost& host, Findings& findings) {
  const RetentionPolicy policy = retention_policy(host.settings().config);
  if (!policy.is_set()) return;
  const TimeMs now = host.clock().now();
  const auto plan = host.readers().ask(RetentionPlanQuery{policy, now, now});
  if (!plan) return findings.problem("retention", plan.error().message(), "");
  if (const std::string notice = large_notice(*plan); !notice.empty())
    return findings.note("retention", notice, "`memd retention` shows what is dropped; a wider limit keeps it.");
  findings.ok("retention", fmt::format("{} due now", plan->drops.size()));
}

// Checks the other diagnostics. Drift and contract versions are checked above, because their diagnostics outlive the
// problem.
void check_diagnostics(MemoryHost& host, Findings& findings) {
  const auto groups = host.readers().ask(DiagnosticGroupsQuery{});
  if (!groups) return findings.problem("diagnostics", groups.error().message(), "");
  std::int64_t total = 0;
  std::int64_t told = 0;
  for (const auto& [count, newest] : *groups) {
    total += count;
    const auto type = parse_diagnostic_type(newest.error_type);
    if (type == DiagnosticType::schema_drift || type == DiagnosticType::contract_mismatch) continue;
    const tools::DiagnosticLine line = tools::diagnostic_line(newest, host.clock().now());
    if (line.action.empty()) continue;
    told += count;
    std::string what = fmt::format("{}: {} × {}, the newest {} ago", line.platform, count, line.error_type, line.age);
    if (!line.source.empty()) what += " in " + line.source;
    if (!line.place.empty()) what += ", " + line.place;
    findings.note("diagnostics", std::move(what), line.action);
  }
  if (total == 0) return findings.ok("diagnostics", "none in the last 30 days");
  findings.ok(
      "diagnostics",
      fmt::format("{} in the last 30 days, {} with something to do: `memd diagnostics` lists them", total, told));
}

void check_exclusion(MemoryHost& host, Findings& findings) {
  const auto withheld = Withheld::open(host.settings().layout.withheld());
  if (!withheld) return findings.problem("forgotten", withheld.error().message(), "It is not read as it stands.");
  if ((*withheld)->is_unfinished())
    findings.problem(
        "forgotten", "forgetting was not finished: traces of it are still in the files",
        "The next start of the daemon finishes it: memd status --json shows its pid; end it with SIGTERM.");
  const auto stored = stored_though_excluded(host);
  if (!stored) return findings.problem("store", stored.error().message(), "Is it locked, or out of reach?");
  if (!stored->empty())
    findings.note("excluded",
                  fmt::format("the store has {} that the configuration excludes",
                              tools::counted(static_cast<std::int64_t>(stored->size()), "session")),
                  "memd forget --excluded shows them; with --yes they are forgotten.");
}

}  // namespace

Result<DoctorReport> doctor(MemoryHost& host, const ProcessFacts& facts, const DoctorParams& params) {
  DoctorReport report;
  Findings findings(report);
  check_config(host, findings);
  check_data_dir(host, findings);
  check_file(host, findings);
  check_searching(host, params.fix, findings);
  check_encryption(host, findings);
  check_raw(host, params.full, findings);
  check_rebuild(host, facts, findings);
  check_copies(host, findings);
  check_daemon(facts, findings);
  check_watching(facts, findings);
  check_ingest(host, findings);
  findings.take(check_embedding(host));
  findings.take(check_second_look(host));
  findings.take(check_summaries(host));
  findings.take(check_memories(host));
  check_sources(host, findings);
  check_exclusion(host, findings);
  check_platforms(host, report, findings);
  check_diagnostics(host, findings);
  check_retention(host, findings);
  return report;
}

}  // namespace memd::admin
