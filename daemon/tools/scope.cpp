#include "daemon/tools/scope.hpp"

#include "daemon/tools/time_argument.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

const AdapterDescription* adapter_of(const ToolServices& services, Platform p) {
  const auto it = std::find_if(services.adapters.begin(), services.adapters.end(),
                               [&](const AdapterDescription& a) { return a.platform == p; });
  return it == services.adapters.end() ? nullptr : &*it;
}

// Empty: it can be searched.
std::string reason_to_skip(const AdapterDescription* adapter, bool has_history) {
  if (has_history) return {};  // what was taken in stays, whatever became of the adapter
  if (adapter == nullptr || adapter->status == AdapterStatus::unsupported) return "no adapter in this version";
  if (adapter->status == AdapterStatus::disabled) return "disabled";
  return "no history found on this machine";
}

}  // namespace

Result<Scope> resolve_scope(const ToolServices& services, const ScopeParams& params, std::string session) {
  Scope scope;
  MEMD_TRY_ASSIGN(const TimeSpan span, parse_time_span(params.since, params.until, services.clock));
  scope.filter.since = span.since;
  scope.filter.until = span.until;
  scope.filter.project = params.project.value_or("");
  scope.filter.session = std::move(session);

  std::vector<std::string> asked = params.platforms;
  if (params.platform && !params.platform->empty()) asked.push_back(*params.platform);
  std::vector<Platform> wanted;
  for (const std::string& key : asked) {
    const auto p = parse_platform(key);
    if (!p) return Error(Errc::invalid_argument, "platform: \"" + key + "\" is not known, see capabilities");
    if (std::find(wanted.begin(), wanted.end(), *p) == wanted.end()) wanted.push_back(*p);
  }
  const bool all = wanted.empty();
  const auto known = services.freshness.freshness();
  if (all)
    for (const Platform p : kAllPlatforms) {
      const bool has_history = std::any_of(known.begin(), known.end(), [&](const auto& f) { return f.platform == p; });
      if (has_history || adapter_of(services, p) != nullptr) wanted.push_back(p);
    }
  for (const Platform p : wanted) {
    const auto fresh = std::find_if(known.begin(), known.end(), [&](const auto& f) { return f.platform == p; });
    std::string reason = reason_to_skip(adapter_of(services, p), fresh != known.end());
    if (!reason.empty()) {
      scope.skipped.emplace_back(to_string(p), std::move(reason));
      continue;
    }
    scope.searched.emplace_back(to_string(p));
    scope.freshness.push_back(*fresh);
  }
  // What was asked for by name is asked of the store even if nothing is known of it: the answer is then empty.
  if (!all) scope.filter.platforms = wanted;
  for (const Platform p : scope.filter.platforms)
    (scope.key += to_string(p)) += ',';
  for (const std::string* part : {&scope.filter.project, &scope.filter.session})
    (scope.key += '\n') += *part;
  for (const auto* part : {&params.since, &params.until})
    (scope.key += '\n') += part->value_or("");
  return scope;
}

std::size_t token_limit(const ToolServices& services, const ScopeParams& params) {
  const auto asked = params.max_tokens ? static_cast<std::size_t>(*params.max_tokens) : services.defaults.max_tokens;
  return std::min(asked, services.defaults.max_tokens_limit);
}

Result<ReaderPool::Lease> lease_reader(const ToolServices& services, std::stop_token stop) {
  auto lease = services.readers.acquire(std::chrono::seconds(5));
  if (lease) (*lease)->watch(std::move(stop));
  return lease;
}

Result<SessionRow> find_session(const ToolServices& services, Reader& reader, std::string_view reference,
                                std::string_view project) {
  auto session = reader.session(reference, project);
  if (session || !session.error().is(Errc::not_found)) return session;
  std::int64_t behind = 0;
  for (const auto& row : services.freshness.freshness())
    behind += row.sources_behind;
  if (behind == 0) return session;
  return Error(Errc::not_found, session.error().message() + "; history is still being read (" + std::to_string(behind) +
                                    (behind == 1 ? " source" : " sources") + " to go): ask again in a moment");
}

}  // namespace memd::tools
