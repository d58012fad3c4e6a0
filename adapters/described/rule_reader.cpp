#include "adapters/described/rule_reader.hpp"

#include "adapters/described/chat_message.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/media.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"

#include <algorithm>
#include <utility>

namespace memd::described {
namespace {

using json::dom::element;

constexpr std::size_t kTitleLimit = 300;
constexpr std::size_t kNoteLimit = 80;

std::optional<Role> role_of(const GiveMessage& message, const std::string& word) {
  constexpr Names kUser("user human");
  constexpr Names kAssistant("assistant model ai agent bot");
  constexpr Names kTool("tool function toolResult tool_result");
  constexpr Names kSystem("system developer");
  if (const auto own = message.roles.find(word); own != message.roles.end()) return own->second;
  if (kUser.has(word)) return Role::user;
  if (kAssistant.has(word)) return Role::assistant;
  if (kTool.has(word)) return Role::tool;
  if (kSystem.has(word)) return Role::system;
  return std::nullopt;
}

void append_word(std::string& out, std::string_view word, char between) {
  if (!out.empty() && !word.empty()) out.push_back(between);
  out.append(word);
}

// Returns a text as it is, and anything else as JSON.
std::string json_of(element value) { return value.is_string() ? text_of(value) : simdjson::minify(value); }

}  // namespace

RecordOutcome RuleReader::read() {
  const Place whole{lookup_.record(), {}};
  const Fit fit = apply(source_.rules, whole);
  if (fit == Fit::none) {
    c_.diagnose(DiagnosticType::unknown_record_type, {"type"});
    return RecordOutcome::unknown("unknown_type");
  }
  if (lookup_.met_broken_json()) doubt("inner_json", "text");
  if (!unknown_.empty()) return RecordOutcome::unknown(unknown_);
  if (c_.emitted() || gave_session_) return RecordOutcome::indexed();
  return RecordOutcome::skipped(skip_.empty() ? std::string_view("blank_message") : skip_);
}

RuleReader::Fit RuleReader::apply(const std::vector<Rule>& rules, const Place& place) {
  Fit fit = Fit::none;
  for (const Rule& rule : rules) {
    if (!lookup_.holds(rule.when, place)) continue;
    if (!rule.skip.empty()) {
      if (fit == Fit::none) fit = Fit::skipped;
      skip_ = rule.skip;
    } else {
      fit = Fit::gave;
      for (const Give& one : rule.gives)
        std::visit([&](const auto& what) { give(what, place); }, one);
    }
    if (!rule.goes_on) break;
  }
  return fit;
}

void RuleReader::doubt(std::string_view reason, FieldName field) {
  unknown_ = reason;
  c_.diagnose(DiagnosticType::unknown_field_value, {field});
}

// Returns the marks of files: a list, or one.
std::string RuleReader::file_marks(const Term& files, const Place& place) {
  std::string out;
  const auto append = [&out](element file) {
    json::dom::object object;
    json::Media media{"file", {}, {}, {}};
    std::string_view kind;
    if (file.get_object().get(object)) {
      media.take("url", text_of(file));
    } else {
      if (object["type"].get(kind) && object["kind"].get(kind)) kind = "file";
      media = json::read_media(kind, object);
    }
    json::append_mark(out, media);
  };
  json::dom::array list;
  const auto found = lookup_.find(files, place);
  if (found && !found->get_array().get(list))
    for (const element file : list)
      append(file);
  else if (found)
    append(*found);
  return out;
}

// Texts of one record that a person wrote are one prompt.
void RuleReader::add_prompt(std::string text, Origin origin, std::string marker) {
  if (json::trimmed(text).empty() && marker.empty()) return;
  if (origin == Origin::typed && c_.is_sidechain) origin = Origin::parent_agent;
  if (prompt_) {
    Event& e = c_.out().events[*prompt_];
    append_word(e.text, text, '\n');
    append_word(e.summary, marker, ' ');
    return;
  }
  prompt_ = c_.out().events.size();
  Event& e = c_.add(EventKind::user_msg, Role::user);
  e.origin = origin;
  e.text = std::move(text);
  e.summary = std::move(marker);
  e.starts_exchange = true;
}

// Returns the id of the n-th call, or result, without one: they are in the same record.
std::string RuleReader::own_id(int number) const { return format_key(c_.key()) + "/" + std::to_string(number); }

void RuleReader::add_call(std::string tool, std::string id, const std::string& input) {
  Event& e = c_.add(EventKind::tool_call, Role::assistant);
  e.tool = std::move(tool);
  e.call_id = id.empty() ? own_id(calls_++) : std::move(id);
  e.summary = e.tool;
  if (input.empty()) return;
  const auto access_of = [this](std::string_view name) -> std::optional<FileAccess> {
    const auto found = agent_.tools.find(name);
    return found == agent_.tools.end() ? std::nullopt : std::optional(found->second);
  };
  tool_calls::read_tool_input_text(c_, input, access_of, e);
  if (c_.detail() == json::Detail::stored && access_of(e.tool) == FileAccess::modified) tool_calls::add_edits(input, e);
}

Event& RuleReader::add_result(std::string tool, std::string id, std::string output) {
  Event& e = c_.add(EventKind::tool_result, Role::tool);
  e.tool = std::move(tool);
  e.call_id = id.empty() ? own_id(results_++) : std::move(id);
  tool_calls::take_result_text(c_.detail(), std::move(output), e);
  return e;
}

void RuleReader::give(const GiveMessage& message, const Place& place) {
  Place inside = place;
  if (!message.at.empty()) {
    const auto found = lookup_.find(message.at, place);
    if (!found) {
      c_.diagnose(DiagnosticType::missing_field, {"message"});
      unknown_ = "no_message";
      return;
    }
    inside.here = *found;
  }
  const auto role = role_of(message, lookup_.text(message.role, inside));
  if (!role) return doubt("unknown_role", "role");
  if (*role == Role::system && !message.keeps_system) {
    skip_ = "system_prompt";
    return;
  }
  std::vector<Part> parts = parts_beside(message.shape, inside.here);
  if (const auto content = lookup_.find(message.content, inside)) {
    // What is thought comes before what is said, calls after it.
    auto at = parts.begin();
    while (at != parts.end() && at->kind == Part::Kind::thinking)
      ++at;
    auto inner = content_parts(message.shape, *content);
    parts.insert(at, std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
  }
  std::string output;  // of a message that is a result
  for (Part& part : parts) {
    const bool injected =
        *role == Role::system || (*role == Role::user && part.kind == Part::Kind::text &&
                                  std::any_of(message.injected.begin(), message.injected.end(),
                                              [&](const auto& s) { return part.text.starts_with(s); }));
    switch (part.kind) {
      case Part::Kind::text:
      case Part::Kind::attachment: {
        const bool is_text = part.kind == Part::Kind::text;
        if (*role == Role::tool)
          append_word(output, part.text, '\n');
        else if (injected)
          c_.add_injected("context", std::move(part.text));
        else if (*role == Role::assistant && part.text != summary_)
          c_.add_said(EventKind::assistant_msg, std::move(part.text));
        else if (*role != Role::assistant)
          add_prompt(is_text ? std::move(part.text) : std::string(), Origin::typed,
                     is_text ? std::string() : std::move(part.text));
        break;
      }
      case Part::Kind::thinking: c_.add_said(EventKind::thinking, std::move(part.text)); break;
      case Part::Kind::call:
        add_call(std::move(part.tool), std::move(part.call_id), part.input ? json_of(*part.input) : std::string());
        break;
      case Part::Kind::result:
        add_result(std::move(part.tool), std::move(part.call_id), std::move(part.text)).is_error = part.failed;
        break;
      case Part::Kind::nothing: break;
      case Part::Kind::unknown: doubt("unknown_block", "message.content.type"); break;
    }
  }
  if (*role != Role::tool ||
      std::any_of(parts.begin(), parts.end(), [](const Part& p) { return p.kind == Part::Kind::result; }))
    return;
  Term id;
  Term tool;
  for (const char* name : {"tool_call_id", "toolCallId", "call_id"})
    id.pointers.push_back({false, false, {{name, false}}});
  for (const char* name : {"name", "tool_name", "toolName"})
    tool.pointers.push_back({false, false, {{name, false}}});
  add_result(lookup_.text(tool, inside), lookup_.text(id, inside), std::move(output));
}

void RuleReader::give(const GiveText& what, const Place& place) {
  std::string text = lookup_.text(what.text, place);
  switch (what.as) {
    case GiveText::As::prompt: add_prompt(std::move(text), what.origin, file_marks(what.files, place)); break;
    case GiveText::As::answer: c_.add_said(EventKind::assistant_msg, std::move(text)); break;
    case GiveText::As::thinking: c_.add_said(EventKind::thinking, std::move(text)); break;
    case GiveText::As::compaction:
      summary_ = text;
      c_.add_compaction(lookup_.text(what.details, place), std::move(text));
      break;
    case GiveText::As::injected:
      if (!json::trimmed(text).empty()) c_.add_injected(what.name, std::move(text));
      break;
    case GiveText::As::error:
      if (!text.empty()) c_.add_error(std::move(text), what.name);
      break;
    case GiveText::As::interrupt: c_.add_lifecycle("interrupt", json::one_line(text, kNoteLimit)); break;
    case GiveText::As::note: c_.add_lifecycle(what.name, json::one_line(text, kNoteLimit)); break;
  }
}

void RuleReader::give(const GiveCall& call, const Place& place) {
  if (call.arguments.empty()) {
    const auto input = lookup_.find(call.input, place);
    add_call(lookup_.text(call.tool, place), lookup_.text(call.id, place), input ? json_of(*input) : std::string());
    return;
  }
  json::ObjectWriter arguments;
  for (const auto& [name, term] : call.arguments)
    arguments.some_text(name, lookup_.text(term, place));
  add_call(lookup_.text(call.tool, place), lookup_.text(call.id, place), std::move(arguments).finish());
}

void RuleReader::give(const GiveResult& result, const Place& place) {
  Event& e =
      add_result(lookup_.text(result.tool, place), lookup_.text(result.id, place), lookup_.text(result.output, place));
  e.is_error = !result.failed.empty() && lookup_.holds(result.failed, place);
  if (lookup_.find(result.exit, place))
    e.facts.exit_code =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(lookup_.integer(result.exit, place), -1000, 1000));
}

void RuleReader::give(const GiveUsage& terms, const Place& place) {
  const auto number = [&](const Term& term) { return std::max<std::int64_t>(lookup_.integer(term, place), 0); };
  TokenUsage usage{number(terms.input), number(terms.output), number(terms.cache_read), number(terms.cache_write)};
  if (terms.cached_in_input) usage.input -= std::min(usage.input, usage.cache_read + usage.cache_creation);
  usage.reasoning = number(terms.reasoning);
  if (terms.reasoning_beside_output)
    usage.output += usage.reasoning;
  else
    usage.reasoning = std::min(usage.reasoning, usage.output);
  ResponseFacts facts;
  if (const auto cost = lookup_.fraction(terms.cost, place); cost && *cost > 0) facts.cost_usd = cost;
  const std::string response = lookup_.text(terms.response, place);
  const std::uint64_t key = response.empty() ? c_.key() : record_key(c_.platform(), response);
  c_.add_usage(usage, key, facts);
  if (!c_.emitted() || c_.first_event().response_key != key || c_.first_event().role != Role::user) return;
  // The record begins with the prompt, which has no model.
  Event& prompt = c_.first_event();
  for (Event* e = &prompt; e <= &c_.out().events.back(); ++e) {
    if (e->role != Role::assistant) continue;
    e->response_key = std::exchange(prompt.response_key, 0);
    e->usage = std::exchange(prompt.usage, {});
    e->response = std::exchange(prompt.response, {});
    return;
  }
}

void RuleReader::give(const GiveEach& each, const Place& place) {
  const auto found = lookup_.find(each.at, place);
  if (!found) return;
  const auto read = [&](element one, std::string_view key) {
    if (apply(each.rules, {one, key}) == Fit::none) doubt("unknown_element", "type");
  };
  json::dom::array list;
  json::dom::object members;
  if (!found->get_array().get(list)) {
    std::size_t number = 0;
    for (const element one : list)
      read(one, std::to_string(number++));
  } else if (!found->get_object().get(members)) {
    for (const auto member : members)
      read(member.value, member.key);
  } else {
    doubt("no_list", "each");
  }
}

void RuleReader::give(const SessionTerms& session, const Place& place) {
  add_session_facts(session, source_.record.local_time, lookup_, place, c_);
  gave_session_ = true;
}

void RuleReader::give(const GiveStop&, const Place&) { c_.add_lifecycle("session_stop"); }

std::string directory_of(const Term& term, Lookup& lookup, const Place& place) {
  constexpr std::string_view kFile = "file://";
  std::string path = lookup.text(term, place);
  path.resize(std::min(path.find('\n'), path.size()));
  return path.starts_with(kFile) ? json::percent_decoded(std::string_view(path).substr(kFile.size())) : path;
}

void add_session_facts(const SessionTerms& terms, bool local_time, Lookup& lookup, const Place& place,
                       json::RecordBuilder& builder) {
  const auto uid = [&](const Term& term) {
    const std::string id = lookup.text(term, place);
    return id.empty() ? id : make_session_uid(builder.platform(), id);
  };
  SessionUpdate& update = builder.add_session();
  update.title = json::one_line(lookup.text(terms.title, place), kTitleLimit);
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.cwd = directory_of(terms.cwd, lookup, place);
  update.model = lookup.text(terms.model, place);
  update.git_branch = lookup.text(terms.branch, place);
  update.agent_version = lookup.text(terms.version, place);
  update.mode = lookup.text(terms.mode, place);
  update.started_at = lookup.time(terms.started, place, local_time).value_or(0);
  update.ended_at = lookup.time(terms.ended, place, local_time).value_or(0);
  update.forked_from = uid(terms.forked_from);
  if (const auto cost = lookup.fraction(terms.cost, place); cost && *cost > 0) update.cost_usd = cost;
  if (auto parent = uid(terms.parent); !parent.empty()) {
    update.kind = SessionKind::subagent;
    update.parent_uid = std::move(parent);
    update.agent_name = lookup.text(terms.agent, place);
  }
}

bool fits_a_rule(const SourceRule& source, Lookup& lookup) {
  const Place whole{lookup.record(), {}};
  return std::any_of(source.rules.begin(), source.rules.end(),
                     [&](const Rule& rule) { return !rule.when.empty() && lookup.holds(rule.when, whole); });
}

}  // namespace memd::described
