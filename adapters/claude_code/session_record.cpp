#include "adapters/claude_code/paths.hpp"
#include "adapters/claude_code/record_context.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <array>

namespace memd::claude_code {

// "system" and "attachment" records.

namespace {

MEMD_KEYS(CompactKeys, trigger, preTokens, postTokens, tokensSaved);

// Builds the summary "auto, 167094 tokens before, 32000 after".
RecordOutcome read_compaction(RecordContext& c, od::object& root, std::string_view key, std::string_view lifecycle) {
  od::object metadata;
  CompactKeys tokens;
  if (seek_object(root, key, metadata) && !collect(metadata, tokens)) return RecordOutcome::damaged();
  std::string summary = is_identifier(string_body(tokens.trigger)) ? std::string(string_body(tokens.trigger)) : "";
  const auto add = [&](std::string_view token, std::string_view what) {
    if (token.empty()) return;
    summary.append(summary.empty() ? "" : ", ").append(std::to_string(integer(token))).append(what);
  };
  add(tokens.preTokens, " tokens before");
  add(tokens.postTokens, " after");
  add(tokens.tokensSaved, " tokens saved");
  c.add_lifecycle(lifecycle, summary);
  return RecordOutcome::indexed();
}

RecordOutcome read_api_error(RecordContext& c) {
  const Envelope& envelope = c.envelope();
  std::string summary = "API error";
  if (has_value(envelope.retryAttempt))
    summary += ", retry " + std::to_string(integer(envelope.retryAttempt)) + " of " +
               std::to_string(integer(envelope.maxRetries));
  c.add_lifecycle("api_error", summary).is_error = true;
  return RecordOutcome::indexed();
}

RecordOutcome read_stop_hook(RecordContext& c) {
  if (!is_true(c.envelope().preventedContinuation)) return RecordOutcome::skipped("stop_hook_summary");
  c.add_lifecycle("hook_stop", one_line(c.text(c.envelope().stopReason), 200));
  return RecordOutcome::indexed();
}

MEMD_KEYS(AttachmentKeys, type);

// Reads words of the user that Claude Code writes as a "system" record: what was said in a voice call, and a command
// that the client carries out itself, if it has arguments. Other records of these subtypes are what the client says.
RecordOutcome read_said(RecordContext& c, std::string_view subtype) {
  const std::string text = c.text(c.envelope().content);
  const UserText user_text = classify_user_text(text);
  std::string typed = as_typed(user_text);
  const bool is_command = user_text.kind == UserTextKind::command;
  if (!is_human(user_text.kind) || (is_command && typed.find_first_of(" \n") == std::string::npos))
    return RecordOutcome::skipped(subtype);
  c.add_prompt(is_command ? Origin::command : Origin::typed, std::move(typed));
  return RecordOutcome::indexed();
}

constexpr std::array kSaid{std::string_view("voice_call_talk"), std::string_view("local_command")};

}  // namespace

RecordOutcome read_system(RecordContext& c, od::object& root) {
  const auto subtype = string_body(c.envelope().subtype);
  if (subtype == "compact_boundary") return read_compaction(c, root, "compactMetadata", "compaction");
  if (subtype == "microcompact_boundary") return read_compaction(c, root, "microcompactMetadata", "microcompaction");
  if (subtype == "api_error") return read_api_error(c);
  if (subtype == "stop_hook_summary") return read_stop_hook(c);
  if (subtype == "turn_duration") {
    c.add_lifecycle("turn_duration", std::to_string(integer(c.envelope().durationMs)) + " ms");
    return RecordOutcome::indexed();
  }
  for (const std::string_view said : kSaid)
    if (subtype == said) return read_said(c, said);
  return leave_out_system(c, root, subtype);
}

RecordOutcome read_attachment(RecordContext& c, od::object& root) {
  od::object attachment;
  AttachmentKeys tokens;
  if (!seek_object(root, "attachment", attachment)) {
    c.diagnose(DiagnosticType::missing_field, {"attachment"});
    return without_content(root);
  }
  if (!collect(attachment, tokens)) return RecordOutcome::damaged();
  const auto type = string_body(tokens.type);
  if (type == "queued_command") {
    od::value prompt;
    ContentText words;  // a string, or blocks if an image was pasted
    if (seek(attachment, "prompt", prompt) && !read_content(c, prompt, kNoLimit, words))
      return RecordOutcome::damaged();
    return emit_queued(c, words.text, "queued_command") ? RecordOutcome::indexed()
                                                        : RecordOutcome::skipped("injected_text");
  }
  return leave_out_attachment(c, attachment, type);
}

// "progress" records.

namespace {

MEMD_KEYS(DataKeys, type, agentId, message);

// Reads a subagent's message inside the main transcript. Most subagents of early 2026 have no other record. A
// subagent's own file has the same uuids, so nothing is duplicated. `prompt` beside the message repeats the task in
// each record; the task is the first message.
RecordOutcome read_agent_message(RecordContext& outer, od::object& data, std::string_view agent_id) {
  od::object message;
  Envelope inner;
  if (!seek_object(data, "message", message)) {
    outer.diagnose(DiagnosticType::missing_field, {"data.message"});
    return without_content(data);
  }
  if (!collect(message, inner)) return RecordOutcome::damaged();
  for (const auto key : {&Envelope::cwd, &Envelope::gitBranch, &Envelope::version, &Envelope::sessionId})
    inner.*key = outer.envelope().*key;
  if (!has_value(inner.timestamp)) inner.timestamp = outer.envelope().timestamp;
  if (!has_value(inner.uuid)) inner.uuid = outer.envelope().uuid;

  const std::string uid = outer.agent_uid(agent_id);
  RecordContext c(outer.platform(), inner, uid, outer.raw(), outer.detail(), outer.out());
  c.is_sidechain = true;
  c.own_session = true;
  const auto type = string_body(inner.type);
  RecordOutcome verdict = type == "user"        ? read_user(c, message)
                          : type == "assistant" ? read_assistant(c, message)
                          : type == "progress"  ? RecordOutcome::skipped("agent_progress")
                                                : leave_out_side_record(c, message, type);
  if (c.lossy()) outer.mark_lossy();
  if (verdict.disposition == Disposition::indexed)
    outer.link_agent(agent_id, outer.text(outer.envelope().parentToolUseID));
  return verdict;
}

}  // namespace

RecordOutcome read_progress(RecordContext& c, od::object& root) {
  od::object data;
  DataKeys tokens;
  if (!seek_object(root, "data", data)) {
    c.diagnose(DiagnosticType::missing_field, {"data"});
    return without_content(root);
  }
  if (!collect(data, tokens)) return RecordOutcome::damaged();
  const auto type = string_body(tokens.type);
  if (type == "agent_progress" || (type == "skill_progress" && is_string(tokens.agentId))) {
    const std::string agent_id = c.text(tokens.agentId);
    if (is_identifier(agent_id)) return read_agent_message(c, data, agent_id);
    c.diagnose(DiagnosticType::missing_field, {"data.agentId"});
    return without_content(data);
  }
  return leave_out_progress(c, data, type);
}

// Records that are not part of the chain.

namespace {

SessionKind kind_of(std::string_view session_uid) {
  const auto slash = session_uid.find('/');
  if (slash == std::string_view::npos) return SessionKind::main;
  return session_uid.substr(slash).starts_with("/wf_") ? SessionKind::workflow : SessionKind::subagent;
}

SessionUpdate& add_update(RecordContext& c) {
  SessionUpdate& update = c.add_session();
  // A title must not turn a subagent into a main session.
  if (const SessionKind kind = kind_of(c.session_uid()); kind != SessionKind::main) {
    update.kind = kind;
    update.parent_uid = root_session(update.session_uid);
  }
  return update;
}

RecordOutcome set_title(RecordContext& c, std::string_view token, TitleRank rank) {
  std::string title = one_line(c.text(token), 300);
  if (title.empty()) return RecordOutcome::skipped("empty_title");
  SessionUpdate& update = add_update(c);
  update.title = std::move(title);
  update.title_rank = rank;
  if (rank == TitleRank::summary && has_value(c.envelope().leafUuid))
    update.title_record_key = record_key(Platform::claude_code, string_body(c.envelope().leafUuid));
  return RecordOutcome::indexed();
}

RecordOutcome read_pr_link(RecordContext& c) {
  const Envelope& envelope = c.envelope();
  std::string summary = "PR #" + std::to_string(integer(envelope.prNumber)) + " " + c.text(envelope.prUrl);
  if (has_value(envelope.prRepository)) summary += " (" + c.text(envelope.prRepository) + ")";
  c.add_lifecycle("pr_link", one_line(summary, 400));
  return RecordOutcome::indexed();
}

// Reads a workflow's journal: which agent was started for which step, and its result.
RecordOutcome read_journal(RecordContext& c, std::string_view type) {
  const Envelope& envelope = c.envelope();
  Event& e = c.add_lifecycle(type == "started" ? "workflow_started" : "workflow_result");
  e.summary = one_line(c.text(has_value(envelope.agentId) ? envelope.agentId : envelope.key), 80);
  e.text = c.text(envelope.result, c.detail() == Detail::full ? kNoLimit : kResultTextLimit);
  if (has_value(envelope.agentId)) {
    const std::string id = c.text(envelope.agentId);
    if (is_identifier(id) && kind_of(c.session_uid()) == SessionKind::workflow) {
      SessionUpdate& agent = add_update(c);
      agent.session_uid += "/agent-" + id;
      agent.native_id += "/agent-" + id;
    }
  }
  return RecordOutcome::indexed();
}

MEMD_KEYS(CostKeys, startTime, totalDuration, modelUsage);
MEMD_KEYS(ModelCostKeys, inputTokens, outputTokens, thinkingTokens, cacheReadInputTokens, cacheCreationInputTokens,
          cacheCreationEphemeral1hInputTokens, webSearchRequests, costUSD);

// cost-state: what the client counted since it started, requests that are in no transcript included.
RecordOutcome read_cost_state(RecordContext& c, od::object& root) {
  CostKeys tokens;
  od::object models;
  if (!restart(root) || !collect(root, tokens)) return RecordOutcome::damaged();
  if (!tokens.modelUsage.starts_with('{') || !seek_object(root, "modelUsage", models))
    return RecordOutcome::skipped("cost_state");
  std::vector<ModelAccount> accounts;
  const TimeMs from = integer(tokens.startTime);
  const bool whole = for_each_field(models, [&](std::string_view model, od::value& value) {
    od::object object;
    ModelCostKeys counts;
    if (value.get_object().get(object)) return true;
    if (!collect(object, counts)) return false;
    ModelAccount& account = accounts.emplace_back();
    account.model = model;
    account.counted_from = from;
    account.time = from + std::max<std::int64_t>(integer(tokens.totalDuration), 0);
    account.tokens = {integer(counts.inputTokens),
                      integer(counts.outputTokens),
                      integer(counts.cacheReadInputTokens),
                      integer(counts.cacheCreationInputTokens),
                      integer(counts.cacheCreationEphemeral1hInputTokens),
                      integer(counts.thinkingTokens)};
    account.web_searches = integer(counts.webSearchRequests);
    account.cost_usd = fraction(counts.costUSD).value_or(0);
    return true;
  });
  if (!whole) return RecordOutcome::damaged();
  if (accounts.empty()) return RecordOutcome::skipped("cost_state");
  add_update(c).account = std::move(accounts);
  return RecordOutcome::indexed();
}

RecordOutcome read_mode(RecordContext& c, std::string_view token) {
  c.add_lifecycle("mode_change", one_line(c.text(token), 60));
  return RecordOutcome::indexed();
}

}  // namespace

bool emit_queued(RecordContext& c, std::string_view text, std::string_view lifecycle) {
  const UserText user_text = classify_user_text(text);
  if (!is_human(user_text.kind)) return false;
  // Equal text queued again in the session (withdrawn and sent again, or reported twice by the client) is one event.
  c.identify(
      hash_combine(hash64(string_body(c.envelope().sessionId)), hash64(user_text.text, hash64("claude_code/queued"))));
  c.add_prompt(Origin::queued, as_typed(user_text)).lifecycle = lifecycle;
  return true;
}

RecordOutcome read_queue_operation(RecordContext& c) {
  const auto operation = string_body(c.envelope().operation);
  const auto content = c.envelope().content;
  if (operation == "enqueue")
    return emit_queued(c, c.text(content), "queue_enqueue") ? RecordOutcome::indexed()
                                                            : RecordOutcome::skipped("injected_text");
  if (operation == "dequeue" || operation == "remove" || operation == "popAll") {
    Event& e = c.add_lifecycle("queue_" + std::string(operation));
    e.text = trimmed(c.text(content));
    return RecordOutcome::indexed();
  }
  c.diagnose(DiagnosticType::unknown_field_value, {"operation"});
  return RecordOutcome::unknown("unknown_subtype");
}

RecordOutcome read_side_record(RecordContext& c, od::object& root, std::string_view type) {
  if (type == "summary") return set_title(c, c.envelope().summary, TitleRank::summary);
  if (type == "ai-title") return set_title(c, c.envelope().aiTitle, TitleRank::ai);
  if (type == "custom-title") return set_title(c, c.envelope().customTitle, TitleRank::custom);
  if (type == "pr-link") return read_pr_link(c);
  if (type == "permission-mode") return read_mode(c, c.envelope().permissionMode);
  if (type == "mode") return read_mode(c, c.envelope().mode);
  if (type == "started" || type == "result") return read_journal(c, type);
  if (type == "cost-state") return read_cost_state(c, root);
  if (type == "agent-name") {
    add_update(c).agent_name = one_line(c.text(c.envelope().agentName), 100);
    return RecordOutcome::indexed();
  }
  return leave_out_side_record(c, root, type);
}

RecordOutcome read_agent_meta(RecordContext& c) {
  const Envelope& envelope = c.envelope();
  SessionUpdate& update = add_update(c);
  update.agent_name = one_line(c.text(has_value(envelope.agentType) ? envelope.agentType : envelope.name), 100);
  update.title = one_line(c.text(envelope.description), 300);
  update.title_rank = update.title.empty() ? TitleRank::none : TitleRank::ai;
  update.description = update.title;
  update.parent_call_id = c.text(envelope.toolUseId);
  return RecordOutcome::indexed();
}

}  // namespace memd::claude_code
