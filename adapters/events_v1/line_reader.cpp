#include "adapters/events_v1/line_reader.hpp"

#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/reflected_name.hpp"
#include "schemas/base/time.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memd::events_v1 {
namespace {

MEMD_KEYS(FileKeys, path, access, lines_added, lines_removed, deletes);
MEMD_KEYS(CommandKeys, line, directory, purpose, cut, background);
MEMD_KEYS(TodoKeys, replaces, items);
MEMD_KEYS(TodoItemKeys, key, text, state);
MEMD_KEYS(UsageKeys, input, output, cache_read, cache_creation, cache_creation_1h, reasoning, web_searches,
          service_tier, purpose, fast, unfinished, cost_usd, input_tokens, output_tokens);
MEMD_KEYS(ResponseKeys, response_key, time, model);
MEMD_KEYS(AccountKeys, model, from, time);
MEMD_KEYS(SessionKeys, kind, parent, parent_call_id, forked_from, agent_name, title, title_rank, description, cwd,
          branch, model, agent_version, mode, started_at, ended_at, context_tokens, lines_added, lines_removed,
          cost_usd, repo, last_event_at, stopped_at, schema_version, outcome, source_path, source_bytes);
MEMD_KEYS(CostKeys, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, turns, retries);
MEMD_KEYS(WatermarkKeys, discovered_at, ingested_at, analyzed_at, evicted_at);
MEMD_KEYS(DigestKeys, request, result, abstract);
MEMD_KEYS(SnippetKeys, time, tool, text);

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

void LineReader::keep_text(Event& e, std::string whole) {
  if (e.kind == EventKind::tool_result) return tool_calls::take_result_text(detail(), std::move(whole), e);
  if (detail() == Detail::stored) whole.resize(stored_text(e.kind, whole).size());
  e.text = std::move(whole);
}

void LineReader::read_context(const Body& body, Event& e) {
  e.cwd = text(has_value(body.cwd) ? body.cwd : body.working_dir);
  if (e.cwd.empty()) e.cwd = record_.default_cwd;
  e.git_branch = text(has_value(body.branch) ? body.branch : body.git_branch);
  e.model = text(body.model);
  e.agent_version = text(body.agent_version);
  e.is_sidechain = is_true(body.sidechain);
  e.time_estimated = is_true(body.time_estimated);
  e.is_echo = is_true(body.echo);
}

RecordOutcome LineReader::read(od::object& object) {
  Body body(object);
  if (!collect(object, static_cast<BodyKeys&>(body))) return RecordOutcome::damaged();
  if (has_value(body.derived_from)) return RecordOutcome::skipped("derived");
  if (has_value(body.session)) {
    if (!body.session.starts_with('{')) {
      diagnose(DiagnosticType::wrong_field_type, {"body.session"});
      return RecordOutcome::skipped(kSchemaViolation);
    }
    if (!read_session(body)) return RecordOutcome::damaged();
    if (!has_value(body.event) && !has_value(body.text)) {
      mark_facts(body);
      return RecordOutcome::indexed();
    }
  }
  RecordOutcome outcome;
  if (has_value(body.event)) {
    const auto kind = parse_event_kind(string_body(body.event));
    if (!kind) diagnose(DiagnosticType::unknown_field_value, {"body.event"});
    outcome = kind ? read_canonical(body, *kind) : read_plain_event(*this, body);
  } else {
    outcome = read_plain_event(*this, body);
  }
  if (lossy()) diagnose(DiagnosticType::invalid_encoding);
  return outcome;
}

void LineReader::mark_facts(const Body& body) {
  const SessionUpdate& facts = out().sessions.back();
  if (facts.record || facts.platform != record_.platform) return;
  Event& e = add(EventKind::lifecycle, record_.actor == Actor::user ? Role::user : Role::system);
  e.lifecycle = "session_facts";
  e.summary = facts.title;
  read_context(body, e);
}

RecordOutcome LineReader::read_canonical(Body& body, EventKind kind) {
  Event& e = add(kind, reflect::enum_of<Role>(string_body(body.role)).value_or(Role::none));
  if (has_value(body.event_id)) {
    if (const auto id = parse_key(string_body(body.event_id)))
      e.event_id = *id;
    else
      diagnose(DiagnosticType::unknown_field_value, {"body.event_id"});
  }
  if (has_value(body.parent)) {
    e.parent_id = parse_key(string_body(body.parent));
    if (!e.parent_id) diagnose(DiagnosticType::unknown_field_value, {"body.parent"});
  }
  if (has_value(body.origin)) {
    const auto origin = reflect::enum_of<Origin>(string_body(body.origin));
    if (!origin) diagnose(DiagnosticType::unknown_field_value, {"body.origin"});
    e.origin = origin.value_or(Origin::none);
  }
  e.lifecycle = text(body.lifecycle);
  e.tool = text(body.tool);
  e.call_id = text(body.call_id);
  e.summary = text(body.summary);
  e.search_text = text(body.search_text);
  e.input_hash = parse_key(string_body(body.input_hash)).value_or(0);
  e.is_error = is_true(body.is_error);
  e.is_test = is_true(body.is_test);
  e.starts_exchange = is_true(body.starts_exchange);
  read_context(body, e);
  if (has_value(body.text) && !is_string(body.text)) diagnose(DiagnosticType::wrong_field_type, {"body.text"});
  keep_text(e, text(body.text));
  if (detail() == Detail::stored && is_string(body.excerpt)) e.text = text(body.excerpt);
  if (is_number(body.exit_code)) e.facts.exit_code = static_cast<std::int32_t>(integer(body.exit_code));
  if (e.kind == EventKind::lifecycle && e.lifecycle.empty()) e.lifecycle = "note";
  const bool whole = read_files(body, e.files) && read_commands(body, e.facts.commands) &&
                     read_todos(body, e.facts.todos) && read_usage(body, e);
  return whole ? RecordOutcome::indexed() : RecordOutcome::damaged();
}

bool LineReader::open_list(Body& body, BodyKey key, FieldName field, od::array& list) {
  od::value value;
  if (!has_value(body.*key)) return false;
  if ((body.*key).starts_with('[') && seek(body.object, body.key(key), value) && !value.get_array().get(list))
    return true;
  diagnose(DiagnosticType::wrong_field_type, {field});
  return false;
}

bool LineReader::read_files(Body& body, std::vector<FileTouch>& files) {
  od::array array;
  if (!open_list(body, &BodyKeys::files, "body.files", array)) return true;
  return for_each_element(array, [&](od::value& element, std::size_t) {
    const auto token = token_of(element);
    if (is_string(token)) {
      files.push_back({text(token), FileAccess::referenced, 0, 0});
      return true;
    }
    od::object file;
    if (element.get_object().get(file)) {
      diagnose(DiagnosticType::wrong_field_type, {"body.files"});
      return true;
    }
    FileKeys keys;
    if (!collect(file, keys)) return false;
    if (string_body(keys.path).empty()) {
      diagnose(DiagnosticType::missing_field, {"body.files.path"});
      return true;
    }
    const auto access = reflect::enum_of<FileAccess>(string_body(keys.access));
    if (!access && !keys.access.empty()) diagnose(DiagnosticType::unknown_field_value, {"body.files.access"});
    files.push_back({text(keys.path), access.value_or(FileAccess::referenced), line_count(keys.lines_added),
                     line_count(keys.lines_removed), is_true(keys.deletes)});
    return true;
  });
}

bool LineReader::read_commands(Body& body, std::vector<ShellCommand>& commands) {
  od::array array;
  if (!open_list(body, &BodyKeys::commands, "body.commands", array)) return true;
  return for_each_element(array, [&](od::value& element, std::size_t) {
    od::object object;
    CommandKeys keys;
    if (element.get_object().get(object)) {
      diagnose(DiagnosticType::wrong_field_type, {"body.commands"});
      return true;
    }
    if (!collect(object, keys)) return false;
    ShellCommand command;
    command.line = text(keys.line, kCommandLineLimit);
    command.directory = text(keys.directory);
    command.purpose = reflect::enum_of<CommandPurpose>(string_body(keys.purpose)).value_or(CommandPurpose::other);
    command.is_whole = !is_true(keys.cut);
    command.in_background = is_true(keys.background);
    if (!command.line.empty()) commands.push_back(std::move(command));
    return true;
  });
}

bool LineReader::read_todos(Body& body, std::optional<TodoUpdate>& todos) {
  if (!has_value(body.todos)) return true;
  od::object object;
  od::value value;
  od::array items;
  TodoKeys outer;
  const bool opened = body.todos.starts_with('{') && seek_object(body.object, "todos", object);
  if (opened && !collect(object, outer)) return false;
  if (!opened || !outer.items.starts_with('[') || !seek(object, "items", value) || value.get_array().get(items)) {
    diagnose(DiagnosticType::wrong_field_type, {"body.todos"});
    return true;
  }
  TodoUpdate update{is_true(outer.replaces), {}};
  const bool whole = for_each_element(items, [&](od::value& element, std::size_t) {
    od::object item;
    TodoItemKeys keys;
    if (element.get_object().get(item)) {
      diagnose(DiagnosticType::wrong_field_type, {"body.todos.items"});
      return true;
    }
    if (!collect(item, keys)) return false;
    if (update.items.size() < kMostTodoItems)
      update.items.push_back({text(keys.key, kTodoTextLimit), text(keys.text, kTodoTextLimit),
                              reflect::enum_of<TodoState>(string_body(keys.state)).value_or(TodoState::unstated)});
    return true;
  });
  if (!whole) return false;
  if (update.replaces || !update.items.empty()) todos = std::move(update);
  return true;
}

bool LineReader::read_usage(Body& body, Event& e) {
  const std::string response = text(body.response_key);
  if (!has_value(body.usage)) return true;
  od::object usage;
  if (!body.usage.starts_with('{') || !seek_object(body.object, "usage", usage)) {
    diagnose(DiagnosticType::wrong_field_type, {"body.usage"});
    return true;
  }
  if (!read_usage(usage, e.usage, e.response)) return false;
  // Usage without a response id belongs to this event alone.
  e.response_key = response.empty() ? e.event_id : parse_key(response).value_or(record_key(record_.platform, response));
  return true;
}

bool LineReader::read_usage(od::object& object, TokenUsage& usage, ResponseFacts& facts) {
  UsageKeys keys;
  if (!collect(object, keys)) return false;
  usage = {count_of(keys.input.empty() ? keys.input_tokens : keys.input),
           count_of(keys.output.empty() ? keys.output_tokens : keys.output),
           count_of(keys.cache_read),
           count_of(keys.cache_creation),
           count_of(keys.cache_creation_1h),
           count_of(keys.reasoning)};
  facts.web_searches = count_of(keys.web_searches);
  facts.tier = parse_service_tier(string_body(keys.service_tier));
  facts.purpose = reflect::enum_of<ResponsePurpose>(string_body(keys.purpose)).value_or(ResponsePurpose::turn);
  facts.is_fast = is_true(keys.fast);
  facts.is_finished = !is_true(keys.unfinished);
  facts.cost_usd = fraction(keys.cost_usd);
  return true;
}

bool LineReader::read_responses(od::object& session, std::vector<RecordedResponse>& out) {
  return for_each_object<ResponseKeys>(
      session, "responses", [&](const ResponseKeys& keys, od::object& object, std::size_t) {
        RecordedResponse response;
        response.key = parse_key(string_body(keys.response_key)).value_or(0);
        response.time = time_of(keys.time);
        response.model = text(keys.model);
        od::object usage;
        if (seek_object(object, "usage", usage) && !read_usage(usage, response.usage, response.facts)) return false;
        if (response.key != 0) out.push_back(std::move(response));
        return true;
      });
}

bool LineReader::read_account(od::object& session, std::vector<ModelAccount>& out) {
  return for_each_object<AccountKeys>(
      session, "account", [&](const AccountKeys& keys, od::object& object, std::size_t) {
        ModelAccount account;
        account.model = text(keys.model);
        account.counted_from = time_of(keys.from);
        account.time = time_of(keys.time);
        ResponseFacts facts;
        od::object usage;
        if (seek_object(object, "usage", usage) && !read_usage(usage, account.tokens, facts)) return false;
        account.web_searches = facts.web_searches;
        account.cost_usd = facts.cost_usd.value_or(0);
        out.push_back(std::move(account));
        return true;
      });
}

bool LineReader::read_session(Body& body) {
  od::object session;
  SessionKeys keys;
  if (!seek_object(body.object, "session", session) || !collect(session, keys)) return false;
  const auto uid = [&](std::string_view token) {
    const std::string id = text(token);
    return id.empty() ? id : session_uid_of(record_.platform, id);
  };
  const auto parts = split_session_uid(record_.session_uid);
  SessionUpdate u;
  u.session_uid = record_.session_uid;
  u.platform = parts ? parts->platform : record_.platform;
  u.native_id = parts ? parts->native_id : std::string_view();
  if (const auto kind = reflect::enum_of<SessionKind>(string_body(keys.kind)))
    u.kind = *kind;
  else if (!keys.kind.empty())
    diagnose(DiagnosticType::unknown_field_value, {"body.session.kind"});
  u.parent_uid = uid(keys.parent);
  u.forked_from = uid(keys.forked_from);
  u.parent_call_id = text(keys.parent_call_id);
  u.agent_name = text(keys.agent_name);
  u.title = text(keys.title);
  if (!u.title.empty())
    u.title_rank = reflect::enum_of<TitleRank>(string_body(keys.title_rank)).value_or(TitleRank::summary);
  u.description = text(keys.description);
  u.time = record_.time;
  u.cwd = text(keys.cwd);
  u.git_branch = text(keys.branch);
  u.model = text(keys.model);
  u.agent_version = text(keys.agent_version);
  u.mode = text(keys.mode);
  u.started_at = time_of(keys.started_at);
  u.repo = text(keys.repo);
  u.ended_at = std::max(time_of(keys.last_event_at), time_of(keys.ended_at));
  u.stopped_at = time_of(keys.stopped_at);
  u.context_tokens = integer(keys.context_tokens);
  u.lines_added = integer(keys.lines_added);
  u.lines_removed = integer(keys.lines_removed);
  od::value cost;
  double usd = 0;
  if (!keys.cost_usd.empty() && seek(session, "cost_usd", cost) && !cost.get_double().get(usd)) u.cost_usd = usd;
  if (!read_account(session, u.account)) return false;
  if (integer(keys.schema_version) == kSessionSchemaVersion) {
    SessionRecord record;
    record.outcome = reflect::enum_of<Outcome>(string_body(keys.outcome)).value_or(Outcome::unknown);
    record.source_path = text(keys.source_path);
    record.source_bytes = count_of(keys.source_bytes);
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
  out().sessions.push_back(std::move(u));
  return true;
}

// Returns false when a part of the record is damaged.
bool LineReader::read_record(od::object& session, SessionRecord& out) {
  od::object cost;
  if (seek_object(session, "cost", cost)) {
    CostKeys keys;
    if (!collect(cost, keys)) return false;
    out.cost.tokens = {count_of(keys.input_tokens), count_of(keys.output_tokens), count_of(keys.cache_read_tokens),
                       count_of(keys.cache_creation_tokens)};
    out.cost.turns = count_of(keys.turns);
    out.cost.retries = count_of(keys.retries);
    const double seconds = std::clamp(number_of(cost, "wall_clock_s"), 0.0, kLongestWallClock);
    out.cost.wall_clock = std::llround(seconds * kMsPerS);
  }
  od::object watermarks;
  if (seek_object(session, "watermarks", watermarks)) {
    WatermarkKeys keys;
    if (!collect(watermarks, keys)) return false;
    out.watermarks = {time_of(keys.discovered_at), time_of(keys.ingested_at), time_of(keys.analyzed_at),
                      time_of(keys.evicted_at)};
  }
  od::object digest;
  if (!seek_object(session, "digest", digest)) return true;
  DigestKeys keys;
  if (!collect(digest, keys)) return false;
  KeptDigest& kept = out.digest.emplace();
  kept.request = text(keys.request);
  kept.result = text(keys.result);
  kept.abstract = text(keys.abstract);
  const auto add = [&](const SnippetKeys& snippet, od::object&, std::size_t index) {
    if (index < kMostErrorSnippets)
      kept.errors.push_back({time_of(snippet.time), text(snippet.tool), text(snippet.text)});
  };
  return for_each_object<SnippetKeys>(digest, "error_snippets", add);
}

}  // namespace memd::events_v1
