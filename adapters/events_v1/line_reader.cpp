#include "adapters/events_v1/line_reader.hpp"

#include "adapters/tool_calls/tool_result.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memd::events_v1 {
namespace {

constexpr Origin kLastOrigin = Origin::history;

enum : std::size_t { kPath, kAccess, kAdded, kRemoved, kDeletes, kFileKeys };
constexpr KeyTable<kFileKeys> kFileTable{{"path", "access", "lines_added", "lines_removed", "deletes"}};

enum : std::size_t { kCommandLine, kCommandDirectory, kPurpose, kCut, kBackground, kCommandKeys };
constexpr KeyTable<kCommandKeys> kCommandTable{{"line", "directory", "purpose", "cut", "background"}};

enum : std::size_t { kReplaces, kItems, kTodoKeys };
constexpr KeyTable<kTodoKeys> kTodoTable{{"replaces", "items"}};

enum : std::size_t { kItemKey, kItemText, kItemState, kItemKeys };
constexpr KeyTable<kItemKeys> kItemTable{{"key", "text", "state"}};

enum : std::size_t {
  kInput,
  kOutput,
  kCacheRead,
  kCacheCreation,
  kCacheCreation1h,
  kReasoning,
  kWebSearches,
  kServiceTier,
  kResponsePurpose,
  kFast,
  kUnfinished,
  kCostUsd,
  kInputTokens,
  kOutputTokens,
  kUsageKeys
};
constexpr KeyTable<kUsageKeys> kUsageTable{{"input", "output", "cache_read", "cache_creation", "cache_creation_1h",
                                            "reasoning", "web_searches", "service_tier", "purpose", "fast",
                                            "unfinished", "cost_usd", "input_tokens", "output_tokens"}};

enum : std::size_t { kResponseKey, kResponseTime, kResponseModel, kResponseKeys };
constexpr KeyTable<kResponseKeys> kResponseTable{{"response_key", "time", "model"}};

enum : std::size_t { kAccountModel, kAccountFrom, kAccountTime, kAccountKeys };
constexpr KeyTable<kAccountKeys> kAccountTable{{"model", "from", "time"}};

enum class S : std::uint8_t {
  kind,
  parent,
  parent_call_id,
  forked_from,
  agent_name,
  title,
  title_rank,
  description,
  cwd,
  branch,
  model,
  agent_version,
  mode,
  started_at,
  ended_at,
  context_tokens,
  lines_added,
  lines_removed,
  cost_usd,
  repo,
  last_event_at,
  stopped_at,
  schema_version,
  outcome,
  source_path,
  source_bytes,
};
constexpr std::size_t kSessionKeys = 26;
constexpr KeyTable<kSessionKeys> kSessionTable{{"kind",          "parent",        "parent_call_id", "forked_from",
                                                "agent_name",    "title",         "title_rank",     "description",
                                                "cwd",           "branch",        "model",          "agent_version",
                                                "mode",          "started_at",    "ended_at",       "context_tokens",
                                                "lines_added",   "lines_removed", "cost_usd",       "repo",
                                                "last_event_at", "stopped_at",    "schema_version", "outcome",
                                                "source_path",   "source_bytes"}};
static_assert(static_cast<std::size_t>(S::source_bytes) + 1 == kSessionKeys);

enum : std::size_t { kTokensIn, kTokensOut, kTokensRead, kTokensCreated, kTurns, kRetries, kCostKeys };
constexpr KeyTable<kCostKeys> kCostTable{
    {"input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens", "turns", "retries"}};

enum : std::size_t { kDiscovered, kIngested, kAnalyzed, kEvicted, kWatermarkKeys };
constexpr KeyTable<kWatermarkKeys> kWatermarkTable{{"discovered_at", "ingested_at", "analyzed_at", "evicted_at"}};

enum : std::size_t { kRequest, kResult, kAbstract, kDigestKeys };
constexpr KeyTable<kDigestKeys> kDigestTable{{"request", "result", "abstract"}};

enum : std::size_t { kTime, kTool, kText, kSnippetKeys };
constexpr KeyTable<kSnippetKeys> kSnippetTable{{"time", "tool", "text"}};

constexpr double kLongestWallClock = 1e9;  // seconds

TimeMs time_of(std::string_view token) { return parse_rfc3339(string_body(token)).value_or(0); }

std::int64_t count_of(std::string_view token) { return std::max<std::int64_t>(integer(token), 0); }

double number_of(od::object& object, std::string_view key) {
  od::value value;
  double number = 0;
  return seek(object, key, value) && !value.get_double().get(number) ? number : 0;
}

std::int32_t line_count(std::string_view token) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(integer(token), 0, 1 << 30));
}

}  // namespace

Event& LineReader::add(EventKind kind, Role role) {
  Event& e = out_.events.emplace_back();
  e.session_uid = record_.session_uid;
  e.event_id = event_key(record_.key, index_++);
  e.time = record_.time;
  e.kind = kind;
  e.role = role;
  e.raw = record_.raw;
  return e;
}

void LineReader::keep_text(Event& e, std::string whole) {
  if (e.kind == EventKind::tool_result) return tool_calls::take_result_text(detail(), std::move(whole), e);
  if (detail() == Detail::stored) whole.resize(stored_text(e.kind, whole).size());
  e.text = std::move(whole);
}

void LineReader::read_context(const Body& body, Event& e) {
  e.cwd = text(body.has(B::cwd) ? body[B::cwd] : body[B::working_dir]);
  if (e.cwd.empty()) e.cwd = record_.default_cwd;
  e.git_branch = text(body.has(B::branch) ? body[B::branch] : body[B::git_branch]);
  e.model = text(body[B::model]);
  e.agent_version = text(body[B::agent_version]);
  e.is_sidechain = body.is(B::sidechain);
  e.time_estimated = body.is(B::time_estimated);
  e.is_echo = body.is(B::echo);
}

RecordOutcome LineReader::read(od::object& object) {
  Body body{object, {}};
  if (!collect(object, kBodyTable, body.tokens)) return RecordOutcome::damaged();
  if (body.has(B::derived_from)) return RecordOutcome::skipped("derived");
  if (body.has(B::session)) {
    if (!body[B::session].starts_with('{')) {
      diagnose(DiagnosticType::wrong_field_type, "body.session");
      return RecordOutcome::skipped(kSchemaViolation);
    }
    if (!read_session(body)) return RecordOutcome::damaged();
    if (!body.has(B::event) && !body.has(B::text)) {
      mark_facts(body);
      return RecordOutcome::indexed();
    }
  }
  RecordOutcome outcome;
  if (body.has(B::event)) {
    const auto kind = parse_event_kind(string_body(body[B::event]));
    if (!kind) diagnose(DiagnosticType::unknown_field_value, "body.event");
    outcome = kind ? read_canonical(body, *kind) : read_plain_event(*this, body);
  } else {
    outcome = read_plain_event(*this, body);
  }
  if (lossy())
    out_.diagnostics.push_back(
        {record_.platform, DiagnosticType::invalid_encoding, Severity::warning, {}, 0, record_.raw.offset});
  return outcome;
}

void LineReader::mark_facts(const Body& body) {
  const SessionUpdate& facts = out_.sessions.back();
  if (facts.record || facts.platform != record_.platform) return;
  Event& e = add(EventKind::lifecycle, record_.actor == Actor::user ? Role::user : Role::system);
  e.lifecycle = "session_facts";
  e.summary = facts.title;
  read_context(body, e);
}

RecordOutcome LineReader::read_canonical(Body& body, EventKind kind) {
  Event& e = add(kind, parse_enum(string_body(body[B::role]), Role::tool).value_or(Role::none));
  if (body.has(B::event_id)) {
    if (const auto id = parse_key(string_body(body[B::event_id])))
      e.event_id = *id;
    else
      diagnose(DiagnosticType::unknown_field_value, "body.event_id");
  }
  if (body.has(B::parent)) {
    e.parent_id = parse_key(string_body(body[B::parent]));
    if (!e.parent_id) diagnose(DiagnosticType::unknown_field_value, "body.parent");
  }
  if (body.has(B::origin)) {
    const auto origin = parse_enum(string_body(body[B::origin]), kLastOrigin);
    if (!origin) diagnose(DiagnosticType::unknown_field_value, "body.origin");
    e.origin = origin.value_or(Origin::none);
  }
  e.lifecycle = text(body[B::lifecycle]);
  e.tool = text(body[B::tool]);
  e.call_id = text(body[B::call_id]);
  e.summary = text(body[B::summary]);
  e.search_text = text(body[B::search_text]);
  e.input_hash = parse_key(string_body(body[B::input_hash])).value_or(0);
  e.is_error = body.is(B::is_error);
  e.is_test = body.is(B::is_test);
  e.starts_exchange = body.is(B::starts_exchange);
  read_context(body, e);
  if (body.has(B::text) && !is_string(body[B::text])) diagnose(DiagnosticType::wrong_field_type, "body.text");
  keep_text(e, text(body[B::text]));
  if (detail() == Detail::stored && is_string(body[B::excerpt])) e.text = text(body[B::excerpt]);
  if (is_number(body[B::exit_code])) e.facts.exit_code = static_cast<std::int32_t>(integer(body[B::exit_code]));
  if (e.kind == EventKind::lifecycle && e.lifecycle.empty()) e.lifecycle = "note";
  const bool whole = read_files(body, e.files) && read_commands(body, e.facts.commands) &&
                     read_todos(body, e.facts.todos) && read_usage(body, e);
  return whole ? RecordOutcome::indexed() : RecordOutcome::damaged();
}

bool LineReader::read_files(Body& body, std::vector<FileTouch>& files) {
  if (!body.has(B::files)) return true;
  od::value value;
  od::array array;
  if (!body[B::files].starts_with('[') || !seek(body.object, body.name(B::files), value) ||
      value.get_array().get(array)) {
    diagnose(DiagnosticType::wrong_field_type, "body.files");
    return true;
  }
  return for_each_element(array, [&](od::value& element, std::size_t) {
    const auto token = token_of(element);
    if (is_string(token)) {
      files.push_back({text(token), FileAccess::referenced, 0, 0});
      return true;
    }
    od::object file;
    if (element.get_object().get(file)) {
      diagnose(DiagnosticType::wrong_field_type, "body.files");
      return true;
    }
    Tokens<kFileKeys> tokens;
    if (!collect(file, kFileTable, tokens)) return false;
    if (string_body(tokens[kPath]).empty()) {
      diagnose(DiagnosticType::missing_field, "body.files.path");
      return true;
    }
    const auto access = parse_enum(string_body(tokens[kAccess]), FileAccess::referenced);
    if (!access && !tokens[kAccess].empty()) diagnose(DiagnosticType::unknown_field_value, "body.files.access");
    files.push_back({text(tokens[kPath]), access.value_or(FileAccess::referenced), line_count(tokens[kAdded]),
                     line_count(tokens[kRemoved]), is_true(tokens[kDeletes])});
    return true;
  });
}

bool LineReader::read_commands(Body& body, std::vector<ShellCommand>& commands) {
  if (!body.has(B::commands)) return true;
  od::value value;
  od::array array;
  if (!body[B::commands].starts_with('[') || !seek(body.object, body.name(B::commands), value) ||
      value.get_array().get(array)) {
    diagnose(DiagnosticType::wrong_field_type, "body.commands");
    return true;
  }
  return for_each_element(array, [&](od::value& element, std::size_t) {
    od::object object;
    Tokens<kCommandKeys> tokens;
    if (element.get_object().get(object)) {
      diagnose(DiagnosticType::wrong_field_type, "body.commands");
      return true;
    }
    if (!collect(object, kCommandTable, tokens)) return false;
    ShellCommand command;
    command.line = text(tokens[kCommandLine], kCommandLineLimit);
    command.directory = text(tokens[kCommandDirectory]);
    command.purpose = parse_enum(string_body(tokens[kPurpose]), CommandPurpose::build).value_or(CommandPurpose::other);
    command.is_whole = !is_true(tokens[kCut]);
    command.in_background = is_true(tokens[kBackground]);
    if (!command.line.empty()) commands.push_back(std::move(command));
    return true;
  });
}

bool LineReader::read_todos(Body& body, std::optional<TodoUpdate>& todos) {
  if (!body.has(B::todos)) return true;
  od::object object;
  od::value value;
  od::array items;
  Tokens<kTodoKeys> outer;
  const bool opened = body[B::todos].starts_with('{') && seek_object(body.object, body.name(B::todos), object);
  if (opened && !collect(object, kTodoTable, outer)) return false;
  if (!opened || !outer[kItems].starts_with('[') || !seek(object, "items", value) || value.get_array().get(items)) {
    diagnose(DiagnosticType::wrong_field_type, "body.todos");
    return true;
  }
  TodoUpdate update{is_true(outer[kReplaces]), {}};
  const bool whole = for_each_element(items, [&](od::value& element, std::size_t) {
    od::object item;
    Tokens<kItemKeys> tokens;
    if (element.get_object().get(item)) {
      diagnose(DiagnosticType::wrong_field_type, "body.todos.items");
      return true;
    }
    if (!collect(item, kItemTable, tokens)) return false;
    if (update.items.size() < kMostTodoItems)
      update.items.push_back(
          {text(tokens[kItemKey], kTodoTextLimit), text(tokens[kItemText], kTodoTextLimit),
           parse_enum(string_body(tokens[kItemState]), TodoState::dropped).value_or(TodoState::unstated)});
    return true;
  });
  if (!whole) return false;
  if (update.replaces || !update.items.empty()) todos = std::move(update);
  return true;
}

bool LineReader::read_usage(Body& body, Event& e) {
  const std::string response = text(body[B::response_key]);
  if (!body.has(B::usage)) return true;
  od::object usage;
  if (!body[B::usage].starts_with('{') || !seek_object(body.object, body.name(B::usage), usage)) {
    diagnose(DiagnosticType::wrong_field_type, "body.usage");
    return true;
  }
  if (!read_usage(usage, e.usage, e.response)) return false;
  // Usage without a response id belongs to this event alone.
  e.response_key = response.empty() ? e.event_id : parse_key(response).value_or(record_key(record_.platform, response));
  return true;
}

bool LineReader::read_usage(od::object& object, TokenUsage& usage, ResponseFacts& facts) {
  Tokens<kUsageKeys> tokens;
  if (!collect(object, kUsageTable, tokens)) return false;
  const auto count = [&](std::size_t name, std::size_t other) {
    return std::max<std::int64_t>(integer(tokens[name].empty() ? tokens[other] : tokens[name]), 0);
  };
  usage = {count(kInput, kInputTokens),
           count(kOutput, kOutputTokens),
           count(kCacheRead, kCacheRead),
           count(kCacheCreation, kCacheCreation),
           count(kCacheCreation1h, kCacheCreation1h),
           count(kReasoning, kReasoning)};
  facts.web_searches = count(kWebSearches, kWebSearches);
  facts.tier = parse_service_tier(string_body(tokens[kServiceTier]));
  facts.purpose =
      parse_enum(string_body(tokens[kResponsePurpose]), ResponsePurpose::other).value_or(ResponsePurpose::turn);
  facts.is_fast = is_true(tokens[kFast]);
  facts.is_finished = !is_true(tokens[kUnfinished]);
  if (is_number(tokens[kCostUsd])) facts.cost_usd = number_of(object, "cost_usd");
  return true;
}

bool LineReader::read_responses(od::object& session, std::vector<RecordedResponse>& out) {
  od::value value;
  od::array array;
  if (!seek(session, "responses", value) || value.get_array().get(array)) return true;
  return for_each_element(array, [&](od::value& element, std::size_t) {
    od::object object;
    od::object usage;
    Tokens<kResponseKeys> tokens;
    if (element.get_object().get(object)) return true;
    if (!collect(object, kResponseTable, tokens)) return false;
    RecordedResponse response;
    response.key = parse_key(string_body(tokens[kResponseKey])).value_or(0);
    response.time = time_of(tokens[kResponseTime]);
    response.model = text(tokens[kResponseModel]);
    if (seek_object(object, "usage", usage) && !read_usage(usage, response.usage, response.facts)) return false;
    if (response.key != 0) out.push_back(std::move(response));
    return true;
  });
}

bool LineReader::read_account(od::object& session, std::vector<ModelAccount>& out) {
  od::value value;
  od::array array;
  if (!seek(session, "account", value) || value.get_array().get(array)) return true;
  return for_each_element(array, [&](od::value& element, std::size_t) {
    od::object object;
    od::object usage;
    Tokens<kAccountKeys> tokens;
    if (element.get_object().get(object)) return true;
    if (!collect(object, kAccountTable, tokens)) return false;
    ModelAccount account;
    account.model = text(tokens[kAccountModel]);
    account.counted_from = time_of(tokens[kAccountFrom]);
    account.time = time_of(tokens[kAccountTime]);
    ResponseFacts facts;
    if (seek_object(object, "usage", usage) && !read_usage(usage, account.tokens, facts)) return false;
    account.web_searches = facts.web_searches;
    account.cost_usd = facts.cost_usd.value_or(0);
    out.push_back(std::move(account));
    return true;
  });
}

bool LineReader::read_session(Body& body) {
  od::object session;
  Tokens<kSessionKeys> tokens;
  if (!seek_object(body.object, body.name(B::session), session) || !collect(session, kSessionTable, tokens))
    return false;
  const auto token = [&](S key) { return tokens[static_cast<std::size_t>(key)]; };
  const auto time = [&](S key) { return time_of(token(key)); };
  const auto uid = [&](S key) {
    const std::string id = text(token(key));
    return id.empty() ? id : session_uid_of(record_.platform, id);
  };
  const auto parts = split_session_uid(record_.session_uid);
  SessionUpdate u;
  u.session_uid = record_.session_uid;
  u.platform = parts ? parts->platform : record_.platform;
  u.native_id = parts ? parts->native_id : std::string_view();
  if (const auto kind = parse_enum(string_body(token(S::kind)), SessionKind::workflow))
    u.kind = *kind;
  else if (!token(S::kind).empty())
    diagnose(DiagnosticType::unknown_field_value, "body.session.kind");
  u.parent_uid = uid(S::parent);
  u.forked_from = uid(S::forked_from);
  u.parent_call_id = text(token(S::parent_call_id));
  u.agent_name = text(token(S::agent_name));
  u.title = text(token(S::title));
  if (!u.title.empty())
    u.title_rank =
        parse_name<TitleRank>(kTitleRankNames, string_body(token(S::title_rank))).value_or(TitleRank::summary);
  u.description = text(token(S::description));
  u.time = record_.time;
  u.cwd = text(token(S::cwd));
  u.git_branch = text(token(S::branch));
  u.model = text(token(S::model));
  u.agent_version = text(token(S::agent_version));
  u.mode = text(token(S::mode));
  u.started_at = time(S::started_at);
  u.repo = text(token(S::repo));
  u.ended_at = std::max(time(S::last_event_at), time(S::ended_at));
  u.stopped_at = time(S::stopped_at);
  u.context_tokens = integer(token(S::context_tokens));
  u.lines_added = integer(token(S::lines_added));
  u.lines_removed = integer(token(S::lines_removed));
  od::value cost;
  double usd = 0;
  if (!token(S::cost_usd).empty() && seek(session, "cost_usd", cost) && !cost.get_double().get(usd)) u.cost_usd = usd;
  if (!read_account(session, u.account)) return false;
  if (integer(token(S::schema_version)) == kSessionSchemaVersion) {
    SessionRecord record;
    record.outcome = parse_enum(string_body(token(S::outcome)), Outcome::abandoned).value_or(Outcome::unknown);
    record.source_path = text(token(S::source_path));
    record.source_bytes = count_of(token(S::source_bytes));
    if (!read_record(session, record) || !read_responses(session, record.responses)) return false;
    od::array from_events;
    if (seek(session, "from_events", cost) && !cost.get_array().get(from_events)) {
      const auto set_apart = [&](od::value& name, std::size_t) {
        const auto word = string_body(token_of(name));
        if (word == "cwd") record.cwd = std::exchange(u.cwd, {});
        if (word == "branch") record.git_branch = std::exchange(u.git_branch, {});
        if (word == "model") record.model = std::exchange(u.model, {});
        if (word == "agent_version") record.agent_version = std::exchange(u.agent_version, {});
        return true;
      };
      if (!for_each_element(from_events, set_apart)) return false;
    }
    u.record = std::move(record);
  }
  out_.sessions.push_back(std::move(u));
  return true;
}

// Returns false when a part of the record is damaged.
bool LineReader::read_record(od::object& session, SessionRecord& out) {
  od::object cost;
  if (seek_object(session, "cost", cost)) {
    Tokens<kCostKeys> tokens;
    if (!collect(cost, kCostTable, tokens)) return false;
    out.cost.tokens = {count_of(tokens[kTokensIn]), count_of(tokens[kTokensOut]), count_of(tokens[kTokensRead]),
                       count_of(tokens[kTokensCreated])};
    out.cost.turns = count_of(tokens[kTurns]);
    out.cost.retries = count_of(tokens[kRetries]);
    const double seconds = std::clamp(number_of(cost, "wall_clock_s"), 0.0, kLongestWallClock);
    out.cost.wall_clock = std::llround(seconds * kMsPerS);
  }
  od::object watermarks;
  if (seek_object(session, "watermarks", watermarks)) {
    Tokens<kWatermarkKeys> tokens;
    if (!collect(watermarks, kWatermarkTable, tokens)) return false;
    out.watermarks = {time_of(tokens[kDiscovered]), time_of(tokens[kIngested]), time_of(tokens[kAnalyzed]),
                      time_of(tokens[kEvicted])};
  }
  od::object digest;
  if (!seek_object(session, "digest", digest)) return true;
  Tokens<kDigestKeys> tokens;
  if (!collect(digest, kDigestTable, tokens)) return false;
  KeptDigest& kept = out.digest.emplace();
  kept.request = text(tokens[kRequest]);
  kept.result = text(tokens[kResult]);
  kept.abstract = text(tokens[kAbstract]);
  od::value value;
  od::array snippets;
  if (!seek(digest, "error_snippets", value) || value.get_array().get(snippets)) return true;
  return for_each_element(snippets, [&](od::value& element, std::size_t index) {
    od::object snippet;
    if (index >= kMostErrorSnippets || element.get_object().get(snippet)) return true;
    Tokens<kSnippetKeys> of_snippet;
    if (!collect(snippet, kSnippetTable, of_snippet)) return false;
    kept.errors.push_back({time_of(of_snippet[kTime]), text(of_snippet[kTool]), text(of_snippet[kText])});
    return true;
  });
}

}  // namespace memd::events_v1
