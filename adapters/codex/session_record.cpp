// The records about a rollout's session: session_meta, turn_context, compacted.
#include "adapters/codex/record_context.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>

namespace memd::codex {

namespace {

MEMD_KEYS(MetaKeys, id, cwd, cli_version, source, thread_source, agent_nickname, agent_role, forked_from_id,
          parent_thread_id, git, history_base, session_id);

MEMD_KEYS(SpawnKeys, parent_thread_id, agent_nickname, agent_role, agent_type);

struct SubagentSource {
  bool is_subagent = false;  // started by an agent, or by Codex itself
  std::string name;
  std::string parent;
};

// Parses {"subagent": "review"}, {"subagent": {"thread_spawn": {…}}}, {"subagent": {"other": "guardian"}},
// {"internal": "memory_consolidation"}.
bool read_source(RecordContext& c, od::object& meta, SubagentSource& out) {
  od::object source;
  od::value subagent;
  if (!seek_object(meta, "source", source)) return true;
  if (!seek(source, "subagent", subagent) && !seek(source, "internal", subagent)) return true;
  out.is_subagent = true;
  const auto token = token_of(subagent);
  if (is_string(token)) out.name = c.text(token);
  od::object kinds;
  if (!token.starts_with('{') || subagent.get_object().get(kinds)) return true;
  return for_each_field(kinds, [&](std::string_view kind, od::value& value) {
    out.name = kind;
    od::object spawn;
    SpawnKeys tokens;
    if (is_string(token_of(value))) {
      out.name = c.text(token_of(value));
      return true;
    }
    if (value.get_object().get(spawn)) return true;
    if (!collect(spawn, tokens)) return false;
    out.parent = c.text(tokens.parent_thread_id);
    for (const auto name : {tokens.agent_nickname, tokens.agent_type, tokens.agent_role})
      if (is_string(name) && !string_body(name).empty()) out.name = c.text(name);
    return true;
  });
}

// "https://ada:secret@example.org/x" → "https://example.org/x"
std::string without_user(std::string url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const auto host = scheme + 3;
  const auto at = url.rfind('@', url.find('/', host));
  if (at != std::string::npos && at > host) url.erase(host, at + 1 - host);
  return url;
}

std::string thread_uid(const std::string& thread_id) {
  return is_uuid(thread_id) ? make_session_uid(Platform::codex, thread_id) : std::string();
}

}  // namespace

RecordOutcome read_session_meta(RecordContext& c, od::object& meta) {
  MetaKeys tokens;
  if (!collect(meta, tokens)) return RecordOutcome::damaged();
  const std::string id = c.text(tokens.id);
  const auto own = split_session_uid(c.line().session_uid);
  if (!own) return RecordOutcome::skipped("no_session");
  // A fork begins with a copy of its origin, including the origin's meta.
  if (id != own->native_id) return RecordOutcome::skipped("copied_meta");

  SubagentSource source;
  if (tokens.source.starts_with('{') && !read_source(c, meta, source)) return RecordOutcome::damaged();
  const auto thread_source = string_body(tokens.thread_source);
  // The field also names the features that a person started a thread with.
  for (const std::string_view machine : {"subagent", "guardian_review", "memory_consolidation"})
    source.is_subagent = source.is_subagent || thread_source == machine;
  if (source.is_subagent && source.name.empty() && thread_source != "subagent") source.name = thread_source;
  const std::string cwd = c.text(tokens.cwd);
  const std::string branch = c.text(token_in(meta, "git", "branch"));
  const std::string version = c.text(tokens.cli_version);
  const std::string remote = without_user(c.text(token_in(meta, "git", "repository_url")));

  SessionUpdate& update = c.add_session();
  update.repo = remote;
  update.kind = source.is_subagent ? SessionKind::subagent : SessionKind::main;
  if (source.parent.empty()) source.parent = c.text(tokens.parent_thread_id);
  if (const std::string tree = c.text(tokens.session_id); source.parent.empty() && tree != id)
    source.parent = tree;  // the thread at the root
  if (source.is_subagent) {
    update.parent_uid = thread_uid(source.parent);
    update.agent_name = source.name;
    for (const auto name : {tokens.agent_nickname, tokens.agent_role})
      if (is_string(name) && !string_body(name).empty()) update.agent_name = c.text(name);
  }
  update.forked_from = thread_uid(c.text(tokens.forked_from_id));
  if (update.forked_from.empty()) update.forked_from = thread_uid(c.text(token_in(meta, "history_base", "thread_id")));
  if (update.forked_from == update.session_uid) update.forked_from.clear();  // a thread reset to an earlier point

  // Each resume writes the meta again, into the same file.
  if (c.line().raw.offset == 0)
    c.identify_by("session", id, 0);
  else
    c.identify_locally("resume", hash64(version, hash64(cwd, hash64(branch))));
  Event& e = c.add_lifecycle(c.line().raw.offset == 0 ? "session_start" : "session_resume", version);
  e.cwd = cwd;
  e.git_branch = branch;
  e.agent_version = version;
  return RecordOutcome::indexed();
}

RecordOutcome read_turn_context(RecordContext& c, od::object& item, const Payload& payload) {
  const std::string model = c.text(payload.model);
  const std::string cwd = c.text(payload.cwd);
  const std::string mode = c.text(token_in(item, "collaboration_mode", "mode"));
  c.identify_by_turn("turn_context", string_body(payload.turn_id), hash64(model, hash64(cwd, hash64(mode))));
  Event& e =
      c.add_lifecycle("turn_context", one_line(model + (mode.empty() || mode == "default" ? "" : ", " + mode), 80));
  e.model = model;
  e.cwd = cwd;
  return RecordOutcome::indexed();
}

RecordOutcome read_compacted(RecordContext& c, od::object& item, const Payload& payload) {
  std::string summary = c.text(payload.message);
  std::size_t kept = 0;
  if (!for_each_in(item, "replacement_history", [&](od::value&, std::size_t) { ++kept; }))
    return RecordOutcome::damaged();
  c.identify_locally("compacted", hash64(summary, kept));
  c.add_compaction(kept == 0 ? "" : std::to_string(kept) + " messages kept", std::move(summary));
  return RecordOutcome::indexed();
}

// event_msg/token_count: the running total of the session and the usage of the last request. token_usage_record: the
// usage of one request.

namespace {

MEMD_KEYS(UsageKeys, input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens, total_tokens,
          reasoning_output_tokens);
using Counts = UsageKeys;

bool read_counts(od::object& info, std::string_view key, Counts& counts) {
  od::object usage;
  return !seek_object(info, key, usage) || collect(usage, counts);
}

TokenUsage usage_of(const Counts& counts) {
  TokenUsage usage;
  usage.cache_read = integer(counts.cached_input_tokens);
  usage.cache_creation = integer(counts.cache_write_input_tokens);
  usage.input = std::max<std::int64_t>(0, integer(counts.input_tokens) - usage.cache_read - usage.cache_creation);
  usage.output = integer(counts.output_tokens);
  usage.reasoning =
      std::clamp<std::int64_t>(integer(counts.reasoning_output_tokens), 0, std::max<std::int64_t>(usage.output, 0));
  return usage;
}

std::uint64_t hash_of(std::string_view seed, const Counts& counts) {
  std::uint64_t hash = hash64(seed);
  for (const auto count : {counts.input_tokens, counts.cached_input_tokens, counts.cache_write_input_tokens,
                           counts.output_tokens, counts.total_tokens})
    hash = hash_combine(hash, hash64(count));
  return hash;
}

MEMD_KEYS(LimitsKeys, limit_id, limit_name, primary, secondary);
MEMD_KEYS(LimitKeys, used_percent, window_minutes, resets_at, resets_in_seconds);

// rate_limits: how much of the account's limits is used. Newer versions name what the limits are of.
bool read_limits(RecordContext& c, od::object& item) {
  od::object limits;
  LimitsKeys tokens;
  if (!seek_object(item, "rate_limits", limits)) return true;
  if (!collect(limits, tokens)) return false;
  std::string of = c.text(tokens.limit_name, 60);
  if (of.empty()) of = c.text(tokens.limit_id, 60);
  std::vector<RateLimit> found;
  for (const std::string_view key : {"primary", "secondary"}) {
    od::object object;
    LimitKeys counts;
    if (!seek_object(limits, key, object)) continue;
    if (!collect(object, counts)) return false;
    const auto used = fraction(counts.used_percent);
    if (!used) continue;
    RateLimit& limit = found.emplace_back();
    limit.name = of.empty() ? "codex" : of;
    limit.used_percent = *used;
    limit.window_minutes = integer(counts.window_minutes);
    limit.reported_at = c.time;
    limit.resets_at = from_unix_seconds(integer(counts.resets_at));
    if (is_number(counts.resets_in_seconds))
      limit.resets_at = c.time + from_unix_seconds(integer(counts.resets_in_seconds));
  }
  if (found.empty()) return true;
  auto& updates = c.out().sessions;
  const bool again = !updates.empty() && updates.back().session_uid == c.session_uid();
  SessionUpdate& update = again ? updates.back() : c.add_session();
  std::erase_if(update.limits, [&](const RateLimit& l) {
    return std::ranges::any_of(
        found, [&](const RateLimit& f) { return f.name == l.name && f.window_minutes == l.window_minutes; });
  });
  update.limits.insert(update.limits.end(), found.begin(), found.end());
  return true;
}

}  // namespace

RecordOutcome read_token_count(RecordContext& c, od::object& item) {
  if (!read_limits(c, item)) return RecordOutcome::damaged();
  od::object info;
  Counts total;
  Counts last;
  if (!seek_object(item, "info", info)) return RecordOutcome::skipped("rate_limits");
  if (!read_counts(info, "total_token_usage", total) || !read_counts(info, "last_token_usage", last))
    return RecordOutcome::damaged();
  if (last.total_tokens.empty() || integer(total.total_tokens) == 0) return RecordOutcome::skipped("rate_limits");

  // The same total may be reported again without a request in between; it counts once.
  const std::uint64_t totals = hash_of("total", total);
  c.identify_in_session("usage", totals);
  Event& e = c.add_lifecycle("usage");
  e.response_key = hash_combine(hash64(c.line().session_uid, hash64("codex/usage")), totals);
  e.usage = usage_of(last);
  e.is_echo = true;  // newer threads also have a record for each response
  return RecordOutcome::indexed();
}

// token_usage_record: the usage of one response, with its id.
RecordOutcome read_token_usage(RecordContext& c, od::object& item) {
  Counts counts;
  od::value id;
  if (!read_counts(item, "usage", counts)) return RecordOutcome::damaged();
  if (counts.total_tokens.empty() && counts.input_tokens.empty()) {
    c.diagnose(DiagnosticType::missing_field, {"payload.usage"});
    return RecordOutcome::unknown("unknown_type");
  }
  const std::string response = seek(item, "response_id", id) ? c.text(token_of(id)) : std::string();
  c.identify_by("usage", response, hash_of("usage", counts));
  Event& e = c.add_lifecycle("usage");
  e.response_key = hash_combine(e.event_id, hash64("codex/usage"));
  e.usage = usage_of(counts);
  return RecordOutcome::indexed();
}

}  // namespace memd::codex
