#include "adapters/codex/tool_output.hpp"

#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace memd::codex {
namespace {

enum : std::size_t { kToolOutputType, kToolOutputText, kToolOutputPartKeys };
constexpr KeyTable<kToolOutputPartKeys> kToolOutputPartTable{{"type", "text"}};

enum : std::size_t {
  kToolOutputOutput,
  kToolOutputMetadata,
  kContent,
  kIsError,
  kSuccess,
  kAnswers,
  kAgentId,
  kObjectKeys
};
constexpr KeyTable<kObjectKeys> kObjectTable{
    {"output", "metadata", "content", "isError", "success", "answers", "agent_id"}};

// What Codex says in place of an output.
constexpr std::array<std::string_view, 12> kRefusals{"failed in sandbox",
                                                     "error:",
                                                     "execution error:",
                                                     "exec_command failed",
                                                     "apply_patch verification failed",
                                                     "Script failed",
                                                     "failed to parse function arguments",
                                                     "unsupported call",
                                                     "aborted",
                                                     "exec command rejected",
                                                     "patch rejected",
                                                     "tool call error:"};
constexpr std::array<std::string_view, 2> kExitCodes{"Exit code: ", "Process exited with code "};

bool ends_nonzero(std::string_view line) {
  for (const auto prefix : kExitCodes) {
    if (!line.starts_with(prefix)) continue;
    int code = 0;
    const auto digits = line.substr(prefix.size());
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), code);
    return ec == std::errc{} && code != 0;
  }
  return false;
}

bool append_parts(RecordContext& c, od::array& parts, ToolOutput& out) {
  return for_each_element(parts, [&](od::value& value, std::size_t) {
    od::object part;
    Tokens<kToolOutputPartKeys> tokens;
    if (value.get_object().get(part)) return true;
    if (!collect(part, kToolOutputPartTable, tokens)) return false;
    if (is_string(tokens[kToolOutputText])) {
      if (!out.text.empty() && out.text.back() != '\n') out.text.push_back('\n');
      c.append_text(tokens[kToolOutputText], out.text);
      return true;
    }
    const auto type = string_body(tokens[kToolOutputType]);
    if (!out.marker.empty()) out.marker.push_back(' ');
    out.marker.append(type.find("image") != std::string_view::npos ? "[image]" : "[not text]");
    return true;
  });
}

// {"answers": {"<question>": {"answers": ["…"]}}}
bool read_answers(RecordContext& c, od::object& object, ToolOutput& out) {
  od::object answers;
  if (!seek_object(object, "answers", answers)) return true;
  return for_each_field(answers, [&](std::string_view question, od::value& value) {
    od::object entry;
    od::value list;
    od::array chosen;
    if (value.get_object().get(entry)) return true;
    if (!seek(entry, "answers", list) || list.get_array().get(chosen)) return true;
    if (!out.answers.empty()) out.answers.push_back('\n');
    append_unescaped(question, out.answers);
    out.answers.push_back(':');
    return for_each_element(chosen, [&](od::value& answer, std::size_t index) {
      out.answers.append(index == 0 ? " " : ", ");
      c.append_text(token_of(answer), out.answers);
      return true;
    });
  });
}

bool read_object(RecordContext& c, od::object& object, ToolOutput& out) {
  Tokens<kObjectKeys> tokens;
  if (!collect(object, kObjectTable, tokens)) return false;
  out.failed = is_true(tokens[kIsError]) || tokens[kSuccess] == "false";
  od::object metadata;
  od::value value;
  if (is_string(tokens[kToolOutputOutput]) && seek_object(object, "metadata", metadata)) {
    if (seek(metadata, "exit_code", value)) out.failed = integer(token_of(value)) != 0;
    out.text.clear();
    c.append_text(tokens[kToolOutputOutput], out.text);
  } else if (is_string(tokens[kContent])) {
    out.text.clear();
    c.append_text(tokens[kContent], out.text);
  }
  const auto agent = string_body(tokens[kAgentId]);
  if (is_uuid(agent)) out.agent_id = agent;
  return !tokens[kAnswers].starts_with('{') || read_answers(c, object, out);
}

// JSON in text. Text that only looks like it stays as it is.
void read_inner_json(RecordContext& c, ToolOutput& out) {
  std::string padded = out.text;
  padded.resize(out.text.size() + kRecordPadding, ' ');
  od::parser parser;
  od::document document;
  od::object object;
  const ToolOutput before = out;
  if (parser.iterate(padded.data(), out.text.size(), padded.size()).get(document) ||
      document.get_object().get(object) || !read_object(c, object, out))
    out = before;
}

}  // namespace

bool reports_failure(std::string_view text) {
  for (const auto refusal : kRefusals)
    if (text.starts_with(refusal)) return true;
  // The lines before "Output:" are Codex's own.
  for (int line_number = 0; line_number < 8 && !text.empty(); ++line_number) {
    const auto line = text.substr(0, text.find('\n'));
    if (line.starts_with("Output:")) return false;
    if (ends_nonzero(line) || line.starts_with("aborted by user")) return true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

bool read_tool_output(RecordContext& c, od::value& output, ToolOutput& out) {
  const auto token = token_of(output);
  if (token.starts_with('[')) {
    od::array parts;
    if (output.get_array().get(parts)) return false;
    if (!append_parts(c, parts, out)) return false;
    out.failed = reports_failure(out.text);
    return true;
  }
  if (token.starts_with('{')) {
    od::object object;
    return !output.get_object().get(object) && read_object(c, object, out);
  }
  // What decides stands at the start, or, in JSON, anywhere.
  const bool json = string_body(token).starts_with('{');
  c.append_text(token, out.text, json || c.detail() == Detail::full ? kNoLimit : kResultTextLimit);
  out.failed = reports_failure(out.text);
  if (json) read_inner_json(c, out);
  return true;
}

}  // namespace memd::codex
