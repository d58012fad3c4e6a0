#include "adapters/events_v1/line_writer.hpp"

#include "adapters/events_v1/line_ids.hpp"
#include "adapters/events_v1/line_reader.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/reflected_name.hpp"
#include "schemas/base/time.hpp"

#include <algorithm>
#include <vector>

namespace memd::events_v1 {
namespace {

constexpr TimeMs kUnknownTime = 0;

std::string timestamp(TimeMs time) {
  return time == kUnknownTime ? std::string("1970-01-01T00:00:00.000Z") : format_rfc3339(time);
}

Actor actor_of(const Event& e) {
  switch (e.kind) {
    case EventKind::user_msg:
    case EventKind::human_intervention: return Actor::user;
    case EventKind::tool_result: return Actor::tool;
    default: return e.role == Role::user ? Actor::user : e.role == Role::tool ? Actor::tool : Actor::agent;
  }
}

LineKind line_kind_of(EventKind kind) {
  switch (kind) {
    case EventKind::user_msg:
    case EventKind::human_intervention:
    case EventKind::assistant_msg:
    case EventKind::thinking: return LineKind::message;
    case EventKind::tool_call: return LineKind::tool_call;
    case EventKind::tool_result: return LineKind::tool_result;
    case EventKind::edit: return LineKind::patch;
    default: return LineKind::note;
  }
}

// Writes JSON members, omitting empty ones.
class Members {
 public:
  explicit Members(std::string& out) : w(out) {}
  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) w.member(name, value);
  }
  void flag(std::string_view name, bool value) {
    if (value) w.member_bool(name, true);
  }
  void key(std::string_view name, std::uint64_t value) {
    if (value != 0) w.member(name, format_key(value));
  }
  void number(std::string_view name, std::int64_t value) {
    if (value != 0) w.member_number(name, value);
  }
  void time(std::string_view name, TimeMs value) {
    if (value != 0) w.member(name, format_rfc3339(value));
  }
  void dollars(const std::optional<double>& cost) {
    if (cost) w.member_number("cost_usd", *cost);
  }
  // write() adds the members of the object, or write(element) those of each object of the list.
  template <class Write>
  void object(std::string_view name, Write&& write) {
    w.key(name);
    w.begin_object();
    write();
    w.end_object();
  }
  template <class List, class Write>
  void objects(std::string_view name, const List& elements, Write&& write) {
    if (!elements.empty()) w.member_objects(name, elements, write);
  }
  void strings(std::string_view name, const std::vector<std::string_view>& texts) {
    if (!texts.empty()) w.member_texts(name, texts);
  }
  json::Writer w;
};

void begin_line(Members& m, std::string_view id, TimeMs time, std::string_view session, Actor actor, LineKind kind) {
  m.w.begin_object();
  m.w.member_number("v", std::int64_t{1});
  m.w.member("id", id);
  m.w.member("ts", timestamp(time));
  m.w.member("session_id", session);
  m.w.member("actor", reflect::enum_name(actor));
  m.w.member("kind", reflect::enum_name(kind));
}

void write_refs(Members& m, const Event& e, LineKind kind) {
  std::vector<std::string_view> paths;
  for (const FileTouch& file : e.files)
    if (std::find(paths.begin(), paths.end(), file.path) == paths.end()) paths.push_back(file.path);
  m.object("refs", [&] {
    m.strings("paths", paths);
    if (kind == LineKind::patch) m.w.member("patch_id", "patch_" + format_key(e.event_id));
  });
}

void write_facts(Members& m, const Event& e) {
  m.objects("files", e.files, [&](const FileTouch& file) {
    m.w.member("path", file.path);
    m.w.member("access", to_string(file.access));
    m.number("lines_added", file.lines_added);
    m.number("lines_removed", file.lines_removed);
    m.flag("deletes", file.deletes);
  });
  m.objects("commands", e.facts.commands, [&](const ShellCommand& command) {
    m.w.member("line", command.line);
    m.text("directory", command.directory);
    if (command.purpose != CommandPurpose::other) m.w.member("purpose", to_string(command.purpose));
    m.flag("cut", !command.is_whole);
    m.flag("background", command.in_background);
  });
  if (e.facts.todos)
    m.object("todos", [&] {
      m.flag("replaces", e.facts.todos->replaces);
      m.w.member_objects("items", e.facts.todos->items, [&](const TodoItem& item) {
        m.text("key", item.key);
        m.text("text", item.text);
        m.w.member("state", to_string(item.state));
      });
    });
  if (e.facts.exit_code) m.w.member_number("exit_code", std::int64_t{*e.facts.exit_code});
}

void write_usage(Members& m, const TokenUsage& usage, const ResponseFacts& facts) {
  m.object("usage", [&] {
    m.number("input", usage.input);
    m.number("output", usage.output);
    m.number("cache_read", usage.cache_read);
    m.number("cache_creation", usage.cache_creation);
    m.number("cache_creation_1h", usage.cache_creation_1h);
    m.number("reasoning", usage.reasoning);
    m.number("web_searches", facts.web_searches);
    if (facts.tier != ServiceTier::standard) m.w.member("service_tier", to_string(facts.tier));
    if (facts.purpose != ResponsePurpose::turn) m.w.member("purpose", to_string(facts.purpose));
    m.flag("fast", facts.is_fast);
    m.flag("unfinished", !facts.is_finished);
    m.dollars(facts.cost_usd);
  });
}

void write_usage(Members& m, const Event& e) {
  if (e.response_key == 0) return;
  m.key("response_key", e.response_key);
  write_usage(m, e.usage, e.response);
}

// Writes the whole text, and the stored excerpt where it differs from what the reader would derive.
void write_text(Members& m, const Event& e, const LineDetail& detail) {
  const std::string_view whole = detail.full_text.value_or(e.text);
  m.text("text", whole);
  if (stored_text(e.kind, whole) != e.text) m.w.member("excerpt", e.text);
}

}  // namespace

std::string event_line(const Event& e, const LineDetail& detail) {
  std::string out;
  Members m(out);
  const LineKind kind = line_kind_of(e.kind);
  begin_line(m, std::string(kEventIdPrefix) + format_key(e.event_id), e.time, e.session_uid, actor_of(e), kind);
  write_refs(m, e, kind);
  m.w.key("body");
  m.w.begin_object();
  m.w.member("event", to_string(e.kind));
  m.key("event_id", e.event_id);
  if (e.parent_id) m.w.member("parent", format_key(*e.parent_id));
  if (detail.derived_from != 0)
    m.w.member("derived_from", std::string(kEventIdPrefix) + format_key(detail.derived_from));
  m.flag("partial", detail.partial);
  m.text("role", to_string(e.role));
  if (e.origin != Origin::none) m.w.member("origin", to_string(e.origin));
  m.text("lifecycle", e.lifecycle);
  m.text("tool", e.tool);
  m.text("call_id", e.call_id);
  m.text("summary", e.summary);
  write_text(m, e, detail);
  m.text("search_text", e.search_text);
  m.key("input_hash", e.input_hash);
  write_facts(m, e);
  write_usage(m, e);
  m.text("cwd", e.cwd);
  m.text("branch", e.git_branch);
  m.text("model", e.model);
  m.text("agent_version", e.agent_version);
  m.flag("is_error", e.is_error);
  m.flag("is_test", e.is_test);
  m.flag("sidechain", e.is_sidechain);
  m.flag("time_estimated", e.time_estimated);
  m.flag("starts_exchange", e.starts_exchange);
  m.flag("echo", e.is_echo);
  m.w.end_object();
  m.w.end_object();
  return out;
}

// Relies on event_line() writing compact JSON. Inside a text the quotes would be escaped.
bool is_event_line(std::string_view line) { return line.find(R"("event_id":")") != std::string_view::npos; }

namespace {

// Writes the session's context. "from_events" names the fields that its events state themselves.
void write_context(Members& m, const SessionUpdate& s) {
  static const SessionRecord none;
  const SessionRecord& r = s.record ? *s.record : none;
  std::vector<std::string_view> from_events;
  const auto write = [&](std::string_view name, const std::string& fact, const std::string& said) {
    m.text(name, fact.empty() ? said : fact);
    if (fact.empty() && !said.empty()) from_events.push_back(name);
  };
  write("cwd", s.cwd, r.cwd);
  write("branch", s.git_branch, r.git_branch);
  write("model", s.model, r.model);
  write("agent_version", s.agent_version, r.agent_version);
  m.strings("from_events", from_events);
}

void write_record(Members& m, const SessionRecord& r) {
  m.number("schema_version", kSessionSchemaVersion);
  m.w.member("state", to_string(r.state));
  m.w.member("outcome", to_string(r.outcome));
  m.text("source_path", r.source_path);
  m.number("source_bytes", r.source_bytes);
  m.object("cost", [&] {
    m.number("input_tokens", r.cost.tokens.input);
    m.number("output_tokens", r.cost.tokens.output);
    m.number("cache_read_tokens", r.cost.tokens.cache_read);
    m.number("cache_creation_tokens", r.cost.tokens.cache_creation);
    m.w.member_number("wall_clock_s", static_cast<double>(r.cost.wall_clock) / kMsPerS);
    m.number("turns", r.cost.turns);
    m.number("retries", r.cost.retries);
  });
  m.object("watermarks", [&] {
    m.time("discovered_at", r.watermarks.discovered_at);
    m.time("ingested_at", r.watermarks.ingested_at);
    m.time("analyzed_at", r.watermarks.analyzed_at);
    m.time("evicted_at", r.watermarks.evicted_at);
  });
  m.objects("responses", r.responses, [&](const RecordedResponse& response) {
    m.key("response_key", response.key);
    m.time("time", response.time);
    m.text("model", response.model);
    write_usage(m, response.usage, response.facts);
  });
  if (!r.digest) return;
  m.object("digest", [&] {
    m.text("request", r.digest->request);
    m.text("result", r.digest->result);
    m.text("abstract", r.digest->abstract);
    m.w.member_objects("error_snippets", r.digest->errors, [&](const ErrorSnippet& e) {
      m.time("time", e.time);
      m.text("tool", e.tool);
      m.w.member("text", e.text);
    });
  });
}

}  // namespace

std::string session_line(const SessionUpdate& s, TimeMs time) {
  std::string out;
  Members m(out);
  const std::string id = "session_" + format_key(hash64(s.session_uid));
  begin_line(m, id, time, s.session_uid, Actor::agent, LineKind::note);
  m.w.key("body");
  m.w.begin_object();
  m.w.key("session");
  m.w.begin_object();
  m.w.member("kind", to_string(s.kind));
  m.text("parent", s.parent_uid);
  m.text("parent_call_id", s.parent_call_id);
  m.text("forked_from", s.forked_from);
  m.text("agent_name", s.agent_name);
  m.text("title", s.title);
  if (s.title_rank != TitleRank::none) m.w.member("title_rank", reflect::enum_name(s.title_rank));
  m.text("description", s.description);
  write_context(m, s);
  m.text("repo", s.repo);
  m.text("mode", s.mode);
  m.time("started_at", s.started_at);
  m.time("last_event_at", s.ended_at);
  if (s.record) m.time("ended_at", s.record->stopped_at);
  m.time("stopped_at", s.stopped_at);
  m.number("context_tokens", s.context_tokens);
  m.number("lines_added", s.lines_added);
  m.number("lines_removed", s.lines_removed);
  m.dollars(s.cost_usd);
  m.objects("account", s.account, [&](const ModelAccount& a) {
    m.text("model", a.model);
    m.time("from", a.counted_from);
    m.time("time", a.time);
    ResponseFacts facts;
    facts.web_searches = a.web_searches;
    facts.cost_usd = a.cost_usd;
    write_usage(m, a.tokens, facts);
  });
  if (s.record) write_record(m, *s.record);
  m.w.end_object();
  m.w.end_object();
  m.w.end_object();
  return out;
}

}  // namespace memd::events_v1
