#include "test/adapters/batch_json.hpp"

#include <boost/json.hpp>

#include <cstdio>

namespace memd::test {
namespace {

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// Shortens a long text to its beginning and its length.
std::string bounded(const std::string& text) {
  if (text.size() <= 400) return text;
  return text.substr(0, 200) + "[" + std::to_string(text.size()) + " bytes]";
}

void put(boost::json::object& o, std::string_view key, const std::string& value) {
  if (!value.empty()) o[key] = bounded(value);
}
void put(boost::json::object& o, std::string_view key, std::int64_t value) {
  if (value != 0) o[key] = value;
}
void put(boost::json::object& o, std::string_view key, bool value) {
  if (value) o[key] = true;
}

boost::json::object to_json(const FileTouch& f) {
  boost::json::object o{{"path", f.path}, {"access", to_string(f.access)}};
  put(o, "added", std::int64_t{f.lines_added});
  put(o, "removed", std::int64_t{f.lines_removed});
  put(o, "deletes", f.deletes);
  return o;
}

boost::json::object to_json(const ShellCommand& c) {
  boost::json::object o{{"line", bounded(c.line)}};
  put(o, "directory", c.directory);
  if (c.purpose != CommandPurpose::other) o["purpose"] = to_string(c.purpose);
  put(o, "cut", !c.is_whole);
  put(o, "background", c.in_background);
  return o;
}

boost::json::object to_json(const TodoItem& item) {
  boost::json::object o{{"state", to_string(item.state)}};
  put(o, "key", item.key);
  put(o, "text", item.text);
  return o;
}

void put_facts(boost::json::object& o, const ToolFacts& facts) {
  for (const auto& c : facts.commands) {
    if (!o.contains("commands")) o["commands"] = boost::json::array();
    o["commands"].as_array().push_back(to_json(c));
  }
  if (facts.todos) {
    boost::json::array items;
    for (const auto& item : facts.todos->items)
      items.push_back(to_json(item));
    o[facts.todos->replaces ? "todos" : "changed_todos"] = std::move(items);
  }
  if (facts.exit_code) o["exit_code"] = *facts.exit_code;
}

boost::json::object to_json(const Event& e) {
  boost::json::object o{{"kind", to_string(e.kind)}, {"id", hex(e.event_id)}, {"session", e.session_uid}};
  if (e.parent_id) o["parent"] = *e.parent_id == 0 ? boost::json::value() : boost::json::value(hex(*e.parent_id));
  o["raw"] = {e.raw.offset, e.raw.length, e.raw.block};
  put(o, "time", e.time);
  if (e.role != Role::none) o["role"] = to_string(e.role);
  if (e.origin != Origin::none) o["origin"] = to_string(e.origin);
  put(o, "text", e.text);
  put(o, "summary", e.summary);
  put(o, "tool", e.tool);
  put(o, "call_id", e.call_id);
  put(o, "search_text", e.search_text);
  if (e.input_hash != 0) o["input_hash"] = hex(e.input_hash);
  put(o, "is_error", e.is_error);
  put(o, "is_test", e.is_test);
  for (const auto& f : e.files) {
    if (!o.contains("files")) o["files"] = boost::json::array();
    o["files"].as_array().push_back(to_json(f));
  }
  put_facts(o, e.facts);
  put(o, "text_end", e.text_end);
  put(o, "pull_request", e.pull_request);
  put(o, "lifecycle", e.lifecycle);
  put(o, "turns_taken_back", e.turns_taken_back);
  if (e.response_key != 0) {
    o["response"] = hex(e.response_key);
    o["usage"] = {e.usage.input, e.usage.output, e.usage.cache_read, e.usage.cache_creation};
    put(o, "cache_creation_1h", e.usage.cache_creation_1h);
    put(o, "reasoning", e.usage.reasoning);
    put(o, "web_searches", e.response.web_searches);
    put(o, "response_flags", response_flags(e.response));
    if (e.response.cost_usd) o["response_cost_usd"] = *e.response.cost_usd;
  }
  put(o, "cwd", e.cwd);
  put(o, "branch", e.git_branch);
  put(o, "model", e.model);
  put(o, "version", e.agent_version);
  put(o, "is_sidechain", e.is_sidechain);
  put(o, "starts_exchange", e.starts_exchange);
  put(o, "time_estimated", e.time_estimated);
  put(o, "id_is_local", e.id_is_local);
  put(o, "is_echo", e.is_echo);
  return o;
}

boost::json::object to_json(const SessionUpdate& s) {
  boost::json::object o{{"session", s.session_uid}, {"native_id", s.native_id}, {"kind", to_string(s.kind)}};
  put(o, "parent", s.parent_uid);
  put(o, "parent_call_id", s.parent_call_id);
  put(o, "agent_name", s.agent_name);
  put(o, "title", s.title);
  put(o, "title_rank", std::int64_t{static_cast<int>(s.title_rank)});
  if (s.title_record_key != 0) o["title_record"] = hex(s.title_record_key);
  put(o, "description", s.description);
  put(o, "time", s.time);
  put(o, "cwd", s.cwd);
  put(o, "branch", s.git_branch);
  put(o, "model", s.model);
  put(o, "version", s.agent_version);
  put(o, "forked_from", s.forked_from);
  put(o, "mode", s.mode);
  put(o, "started_at", s.started_at);
  put(o, "ended_at", s.ended_at);
  put(o, "stopped_at", s.stopped_at);
  put(o, "repo", s.repo);
  put(o, "context_tokens", s.context_tokens);
  put(o, "lines_added", s.lines_added);
  put(o, "lines_removed", s.lines_removed);
  if (s.cost_usd) o["cost_usd"] = *s.cost_usd;
  for (const ModelAccount& a : s.account) {
    if (!o.contains("account")) o["account"] = boost::json::array();
    const TokenUsage& u = a.tokens;
    o["account"].as_array().push_back({a.model, a.counted_from, a.time, u.input, u.output, u.cache_read,
                                       u.cache_creation, u.cache_creation_1h, u.reasoning, a.web_searches, a.cost_usd});
  }
  for (const RateLimit& l : s.limits) {
    if (!o.contains("limits")) o["limits"] = boost::json::array();
    o["limits"].as_array().push_back({l.name, l.used_percent, l.window_minutes, l.resets_at, l.reported_at});
  }
  return o;
}

boost::json::object to_json(const EventlessRecord& r) {
  boost::json::object o{{"session", r.session_uid}, {"id", hex(r.record_id)}, {"parent", nullptr}};
  if (r.parent_id != 0) o["parent"] = hex(r.parent_id);
  return o;
}

boost::json::object to_json(const CoverageEntry& c) {
  boost::json::object o{
      {"type", c.record_type}, {"fate", to_string(c.disposition)}, {"records", c.records}, {"bytes", c.bytes}};
  put(o, "reason", c.reason);
  return o;
}

boost::json::object to_json(const Diagnostic& d) {
  boost::json::object o{{"type", to_string(d.type)}, {"severity", to_string(d.severity)}, {"offset", d.offset}};
  for (const auto& f : d.fields) {
    if (!o.contains("fields")) o["fields"] = boost::json::array();
    o["fields"].as_array().push_back(boost::json::value(f.view()));
  }
  return o;
}

// Writes one object per line, so that a changed fact is a changed line.
template <class List>
void append(std::string& out, std::string_view name, const List& list, bool last) {
  out.append("\"").append(name).append("\": [");
  bool first = true;
  for (const auto& item : list) {
    out.append(first ? "\n  " : ",\n  ").append(boost::json::serialize(to_json(item)));
    first = false;
  }
  out.append(first ? "]" : "\n]").append(last ? "\n" : ",\n");
}

}  // namespace

std::string batch_json(const EventBatch& batch) {
  std::string out = "{\n";
  append(out, "sessions", batch.sessions, false);
  append(out, "events", batch.events, false);
  if (!batch.silent.empty()) append(out, "silent", batch.silent, false);
  append(out, "coverage", batch.coverage, false);
  append(out, "diagnostics", batch.diagnostics, true);
  return out + "}\n";
}

}  // namespace memd::test
