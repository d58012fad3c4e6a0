#include "adapters/tool_calls/tool_result.hpp"
#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/media.hpp"

#include <algorithm>

namespace memd::claude_code {
namespace {

MEMD_KEYS(ResultKeys, tool_use_id, is_error, type, text);

MEMD_KEYS(StructuredKeys, filePath, notebook_path, agentId, interrupted, structuredPatch, content, type,
          backgroundTaskId, answers, plan, task, stdout_, returnCodeInterpretation);

MEMD_KEYS(TaskKeys, id, subject);

constexpr std::size_t kFirstLine = 40;  // bytes; enough for "Exit code 1"

// Counts the lines of a unified diff's hunks by their first letter.
bool count_patch(od::object& result, FileTouch& touch) {
  const auto count = [&](od::value& line, std::size_t) {
    const auto body = string_body(token_of(line));
    if (body.starts_with('+')) ++touch.lines_added;
    if (body.starts_with('-')) ++touch.lines_removed;
  };
  return for_each_in(result, "structuredPatch", [&](od::value& value, std::size_t) {
    od::object hunk;
    od::array lines;
    if (value.get_object().get(hunk)) return true;
    return for_each_field(hunk, [&](std::string_view key, od::value& field) {
      return key != "lines" || field.get_array().get(lines) || for_each_element(lines, count);
    });
  });
}

void emit_decision(RecordContext& c, const RawRef& raw, std::string_view call_id, std::string text) {
  Event& e = c.add(EventKind::decision, Role::user, raw.block);
  e.origin = Origin::embedded;
  e.call_id = call_id;
  e.text = std::move(text);
}

// Reads the user's answers to questions: "question: answer", one per line.
bool read_answers(RecordContext& c, od::object& result, std::string& out) {
  od::object answers;
  if (!seek_object(result, "answers", answers)) return true;
  return for_each_field(answers, [&](std::string_view question, od::value& value) {
    const auto token = token_of(value);
    if (!is_string(token)) return;
    if (!out.empty()) out.push_back('\n');
    append_unescaped(question, out);
    out.append(": ");
    c.append_text(token, out);
  });
}

// Reads the entry that TaskCreate added to the list.
bool read_task(RecordContext& c, od::object& result, Event& e) {
  od::object task;
  TaskKeys tokens;
  if (!seek_object(result, "task", task)) return true;
  if (!collect(task, tokens)) return false;
  if (!is_string(tokens.id) || !is_string(tokens.subject)) return true;
  TodoItem item{c.text(tokens.id, kTodoTextLimit), c.text(tokens.subject, kTodoTextLimit)};
  e.facts.todos = TodoUpdate{false, {std::move(item)}};
  return true;
}

std::int32_t count_lines(std::string_view body) {
  std::int32_t lines = body.empty() || body.ends_with("\\n") ? 0 : 1;
  for (auto at = body.find('\\'); at != std::string_view::npos && at + 1 < body.size(); at = body.find('\\', at + 2))
    lines += body[at + 1] == 'n';
  return lines;
}

}  // namespace

bool read_content(RecordContext& c, od::value& content, std::size_t limit, ContentText& out) {
  const auto token = token_of(content);
  if (is_string(token)) {
    c.append_text(token, out.text, limit);
    if (limit == kResultTextLimit) out.end = tool_calls::last_lines_of(token);
    return true;
  }
  od::array blocks;
  if (content.get_array().get(blocks)) return true;
  return for_each_element(blocks, [&](od::value& value, std::size_t) {
    od::object block;
    ResultKeys tokens;
    if (value.get_object().get(block)) return true;
    if (!collect(block, tokens)) return false;
    const auto type = string_body(tokens.type);
    if (!is_string(tokens.text)) {
      append_mark(out.marker, read_media(c, is_identifier(type) ? type : "block", block));
      return true;
    }
    if (!out.text.empty() && out.text.size() < limit) out.text.push_back('\n');
    c.append_text(tokens.text, out.text, limit - std::min(limit, out.text.size()));
    return true;
  });
}

bool read_tool_result(RecordContext& c, od::object& block) {
  ResultKeys tokens;
  if (!collect(block, tokens)) return false;
  const bool is_error = is_true(tokens.is_error);
  ContentText content;
  od::value value;
  // An error can contain the user's text after the client's: read it whole.
  const bool whole = c.detail() == Detail::full || is_error;
  if (seek(block, "content", value) && !read_content(c, value, whole ? kNoLimit : kResultTextLimit, content))
    return false;

  const std::string words(is_error ? rejection_words(content.text) : std::string_view{});
  if (content.text.starts_with("<persisted-output>")) content.marker = "[output moved to a file]";
  const auto code = tool_calls::exit_code_behind("Exit code ", std::string_view(content.text).substr(0, kFirstLine));
  Event& e = tool_calls::add_result(c, c.text(tokens.tool_use_id), std::move(content.text), is_error);
  if (is_error) e.facts.exit_code = code;
  e.summary = std::move(content.marker);
  if (!content.end.empty()) e.text_end = std::move(content.end);
  if (!words.empty()) {
    Event& human = c.add(EventKind::human_intervention, Role::user);
    human.origin = Origin::embedded;
    human.text = words;
  }
  return true;
}

bool read_structured_result(RecordContext& c, od::value& structured, std::size_t result) {
  od::object object;
  if (structured.get_object().get(object)) return true;
  StructuredKeys tokens;
  if (!collect(object, tokens)) return false;

  Event& e = c.out().events[result];
  if (is_string(tokens.agentId)) c.link_agent(c.text(tokens.agentId), e.call_id);
  if (is_true(tokens.interrupted)) e.summary = kInterruptedMark;
  if (is_string(tokens.backgroundTaskId)) e.summary = kBackgroundMark;
  const bool ran = is_string(tokens.stdout_) && !is_true(tokens.interrupted) && !is_string(tokens.backgroundTaskId);
  if (ran && !e.is_error && !is_string(tokens.returnCodeInterpretation)) e.facts.exit_code = 0;
  if (tokens.task.starts_with('{') && !read_task(c, object, e)) return false;
  const RawRef raw = e.raw;
  const std::string call_id = e.call_id;
  if (tokens.answers.starts_with('{')) {
    std::string answers;
    if (!read_answers(c, object, answers)) return false;
    if (!answers.empty()) emit_decision(c, raw, call_id, std::move(answers));
    return true;
  }
  if (is_string(tokens.plan) && !e.is_error) {
    emit_decision(c, raw, call_id, std::string(kPlanAccepted) + one_line(c.text(tokens.plan, 400), 200));
    return true;
  }
  const auto path = is_string(tokens.filePath) ? tokens.filePath : tokens.notebook_path;
  if (!is_string(path) || tokens.structuredPatch.empty()) return true;
  FileTouch touch{c.text(path), FileAccess::modified, 0, 0};
  if (!count_patch(object, touch)) return false;
  // A new file has no patch: all its lines count as added.
  if (string_body(tokens.type) == "create" && touch.lines_added == 0)
    touch.lines_added = count_lines(string_body(tokens.content));
  e.files.push_back(std::move(touch));
  return true;
}

}  // namespace memd::claude_code
