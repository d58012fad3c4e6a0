// Lenient reader of events without memd's detail, as other tools write them.
#include "adapters/events_v1/line_reader.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"

#include <algorithm>

namespace memd::events_v1 {
namespace {

constexpr std::size_t kSummaryLimit = 160;

// Derives the access from words in the tool's name, because any name may occur.
std::optional<FileAccess> access_of(std::string_view tool) {
  const std::string name = ascii::lowered(tool);
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](auto word) { return name.find(word) != std::string::npos; });
  };
  if (has({"write", "edit", "patch", "replace", "create_file", "insert"})) return FileAccess::modified;
  if (has({"read", "view", "cat", "open_file"})) return FileAccess::read;
  return std::nullopt;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Appends text of any shape: a string, blocks with "text", an object, a number.
void append_any(TextReader& r, od::value& value, std::string& out) {
  const auto token = token_of(value);
  if (is_string(token)) {
    r.append_text(token, out);
    return;
  }
  od::array array;
  od::object object;
  od::value inner;
  if (token.starts_with('[') && !value.get_array().get(array)) {
    for_each_element(array, [&](od::value& element, std::size_t index) {
      if (index > 0 && !out.empty()) out += '\n';
      append_any(r, element, out);
    });
  } else if (token.starts_with('{') && !value.get_object().get(object)) {
    std::string_view raw;
    if (seek(object, "text", inner) && is_string(token_of(inner)))
      r.append_text(token_of(inner), out);
    else if (restart(object) && !object.raw_json().get(raw))
      out += trimmed(raw);
  } else if (token != "null") {
    out += token;
  }
}

// Counts the lines that a unified diff adds and removes, per file. Files it does not name are counted under `fallback`.
std::vector<FileTouch> read_diff(std::string_view diff, const std::vector<std::string>& fallback) {
  std::vector<FileTouch> files;
  while (!diff.empty()) {
    const auto line = tool_calls::next_line(diff);
    if (line.starts_with("+++ ")) {
      auto path = line.substr(4, line.find('\t') == std::string_view::npos ? line.npos : line.find('\t') - 4);
      if (path.starts_with("b/")) path.remove_prefix(2);
      if (path != "/dev/null") files.push_back({std::string(path), FileAccess::modified, 0, 0});
      continue;
    }
    if (line.starts_with("--- ") || line.empty() || (line[0] != '+' && line[0] != '-')) continue;
    if (files.empty()) {
      if (fallback.empty()) continue;
      files.push_back({fallback.front(), FileAccess::modified, 0, 0});
    }
    ++(line[0] == '+' ? files.back().lines_added : files.back().lines_removed);
  }
  for (const auto& path : fallback)
    if (std::none_of(files.begin(), files.end(), [&](const FileTouch& f) { return f.path == path; }))
      files.push_back({path, FileAccess::modified, 0, 0});
  return files;
}

std::string text_of(LineReader& r, Body& body, std::initializer_list<BodyKey> keys) {
  for (const BodyKey key : keys) {
    if (!has_value(body.*key)) continue;
    if (is_string(body.*key)) return r.text(body.*key);
    od::value value;
    std::string out;
    if (seek(body.object, body.key(key), value)) append_any(r, value, out);
    if (!out.empty()) return out;
  }
  return {};
}

std::string plain_text(LineReader& r, Body& body) {
  return text_of(r, body, {&BodyKeys::text, &BodyKeys::content, &BodyKeys::message});
}

std::string call_id_of(LineReader& r, const Body& body) {
  for (const BodyKey key : {&BodyKeys::call_id, &BodyKeys::tool_call_id, &BodyKeys::tool_use_id})
    if (is_string(body.*key)) return r.text(body.*key);
  return {};
}

void read_message(LineReader& r, Body& body) {
  std::string words = plain_text(r, body);
  if (words.empty()) r.diagnose(DiagnosticType::missing_field, {"body.text"});
  if (r.record().actor == Actor::tool) {
    Event& e = r.add(EventKind::lifecycle, Role::tool);
    e.lifecycle = "tool_message";
    e.summary = one_line(words, kSummaryLimit);
    r.read_context(body, e);
    r.keep_text(e, std::move(words));
    return;
  }
  const bool user = r.record().actor == Actor::user;
  Event& e = r.add(user ? EventKind::user_msg : EventKind::assistant_msg, user ? Role::user : Role::assistant);
  if (user) e.origin = Origin::typed;
  e.starts_exchange = user;
  e.text = std::move(words);
  r.read_context(body, e);
}

bool read_call(LineReader& r, Body& body) {
  Event& e = r.add(EventKind::tool_call, Role::assistant);
  r.read_context(body, e);
  e.tool = r.text(has_value(body.tool) ? body.tool : body.name);
  if (e.tool.empty()) {
    r.diagnose(DiagnosticType::missing_field, {"body.tool"});
    e.tool = "tool";
  }
  e.call_id = call_id_of(r, body);
  for (const BodyKey key : {&BodyKeys::input, &BodyKeys::arguments, &BodyKeys::args, &BodyKeys::parameters,
                            &BodyKeys::command, &BodyKeys::text}) {
    if (!has_value(body.*key)) continue;
    if ((body.*key).starts_with('{')) {
      od::value value;
      if (!seek(body.object, body.key(key), value)) return false;
      if (!tool_calls::read_tool_input(r, value, access_of, e)) return false;
    } else {
      const std::string input = text_of(r, body, {key});
      tool_calls::read_tool_input_text(r, input, access_of, e);
      if (key == &BodyKeys::command && e.facts.commands.empty()) tool_calls::add_command(e, input);
    }
    break;
  }
  if (e.summary.empty()) e.summary = e.tool;
  if (!r.read_files(body, e.files)) return false;
  for (const auto& path : r.record().paths)
    if (std::none_of(e.files.begin(), e.files.end(), [&](const FileTouch& f) { return f.path == path; }))
      e.files.push_back({path, access_of(e.tool).value_or(FileAccess::referenced), 0, 0});
  return true;
}

bool read_result(LineReader& r, Body& body) {
  Event& e = r.add(EventKind::tool_result, Role::tool);
  r.read_context(body, e);
  e.tool = r.text(has_value(body.tool) ? body.tool : body.name);
  e.call_id = call_id_of(r, body);
  std::string whole =
      text_of(r, body, {&BodyKeys::output, &BodyKeys::result, &BodyKeys::content, &BodyKeys::text, &BodyKeys::message});
  for (const BodyKey key : {&BodyKeys::stdout_, &BodyKeys::stderr_, &BodyKeys::error}) {
    if (!is_string(body.*key) && !(body.*key).starts_with('{')) continue;
    const std::string more = text_of(r, body, {key});
    if (more.empty()) continue;
    if (!whole.empty()) whole += '\n';
    whole += more;
  }
  const auto error = body.error;
  e.is_error = is_true(body.is_error) || body.success == "false" || integer(body.exit_code) != 0 ||
               (has_value(body.error) && error != "false" && error != "\"\"") ||
               is_one_of(ascii::lowered(string_body(body.status)), {"error", "failed", "failure"});
  if (is_number(body.exit_code)) e.facts.exit_code = static_cast<std::int32_t>(integer(body.exit_code));
  e.summary = one_line(utf8_prefix(whole, 4 * kSummaryLimit), kSummaryLimit);
  r.keep_text(e, std::move(whole));
  return r.read_files(body, e.files);
}

// Reads the user's decision on an action of the agent. Without text of its own it becomes a mark in the session.
bool read_approval(LineReader& r, Body& body) {
  const std::string decision = ascii::lowered(r.text(body.decision));
  const bool refused = body.approved == "false" || is_one_of(decision, {"rejected", "denied", "reject", "deny", "no"});
  std::string words = text_of(r, body, {&BodyKeys::text, &BodyKeys::message, &BodyKeys::content, &BodyKeys::reason});
  if (r.record().actor == Actor::user && !words.empty()) {
    Event& e = r.add(EventKind::human_intervention, Role::user);
    e.origin = Origin::embedded;
    e.text = std::move(words);
    r.read_context(body, e);
    return true;
  }
  Event& e = r.add(EventKind::lifecycle, r.record().actor == Actor::user ? Role::user : Role::system);
  e.lifecycle = "approval";
  e.summary = refused ? "rejected" : "approved";
  const std::string what =
      text_of(r, body, {&BodyKeys::title, &BodyKeys::description, &BodyKeys::tool, &BodyKeys::name});
  for (const auto& part : {std::string_view(what), std::string_view(r.record().patch_id)})
    if (!part.empty()) e.summary.append(" ").append(one_line(part, kSummaryLimit));
  r.read_context(body, e);
  return true;
}

// Reads a patch. With a known outcome it becomes a call of the tool "patch" and its result, so that it counts as an
// edit.
bool read_patch(LineReader& r, Body& body) {
  const std::string status = ascii::lowered(r.text(body.status));
  const std::string name = text_of(
      r, body, {&BodyKeys::title, &BodyKeys::name, &BodyKeys::description, &BodyKeys::text, &BodyKeys::summary});
  const std::string diff = text_of(r, body, {&BodyKeys::diff, &BodyKeys::content, &BodyKeys::input});
  auto files = read_diff(diff, r.record().paths);
  if (is_one_of(status, {"proposed", "pending", "queued", "draft", "created", "open"})) {
    Event& e = r.add(EventKind::lifecycle, Role::assistant);
    e.lifecycle = "patch_proposed";
    e.summary = one_line(name.empty() ? r.record().patch_id : name, kSummaryLimit);
    for (auto& file : files)
      e.files.push_back({std::move(file.path), FileAccess::referenced, 0, 0});
    r.read_context(body, e);
    r.keep_text(e, diff);
    return true;
  }
  const std::string call_id = r.record().patch_id.empty() ? "patch/" + format_key(r.record().key) : r.record().patch_id;
  Event& call = r.add(EventKind::tool_call, Role::assistant);
  call.tool = "patch";
  call.call_id = call_id;
  call.summary = "patch: " + one_line(name.empty() && !files.empty() ? files.front().path : name, kSummaryLimit);
  call.search_text = name;
  for (const auto& file : files) {
    call.search_text.append(call.search_text.empty() ? "" : "\n").append(file.path);
    call.files.push_back({file.path, FileAccess::modified, 0, 0});
  }
  call.search_text.resize(utf8_prefix(call.search_text, tool_calls::kSearchTextLimit).size());
  r.read_context(body, call);
  r.keep_text(call, diff);

  Event& result = r.add(EventKind::tool_result, Role::tool);
  result.tool = "patch";
  result.call_id = call_id;
  result.is_error = is_one_of(status, {"rejected", "failed", "error", "conflict", "discarded"});
  result.summary = status.empty() ? "applied" : one_line(status, kSummaryLimit);
  if (!result.is_error) result.files = std::move(files);
  r.read_context(body, result);
  r.keep_text(result, result.summary);
  return true;
}

void read_remark(LineReader& r, Body& body, std::string_view lifecycle) {
  std::string words = text_of(r, body,
                              {&BodyKeys::text, &BodyKeys::content, &BodyKeys::message, &BodyKeys::summary,
                               &BodyKeys::title, &BodyKeys::description, &BodyKeys::status});
  if (r.record().actor == Actor::user && lifecycle == "note" && !words.empty()) {
    Event& e = r.add(EventKind::human_intervention, Role::user);
    e.origin = Origin::typed;
    e.text = std::move(words);
    r.read_context(body, e);
    return;
  }
  Event& e = r.add(EventKind::lifecycle, r.record().actor == Actor::user ? Role::user : Role::system);
  e.lifecycle = lifecycle;
  e.summary = r.record().snapshot_id;
  if (!words.empty())
    e.summary.append(e.summary.empty() ? "" : " ")
        .append(one_line(utf8_prefix(words, 4 * kSummaryLimit), kSummaryLimit));
  for (const auto& path : r.record().paths)
    e.files.push_back({path, FileAccess::referenced, 0, 0});
  r.read_context(body, e);
  r.keep_text(e, std::move(words));
}

}  // namespace

RecordOutcome read_plain_event(LineReader& r, Body& body) {
  bool whole = true;
  switch (r.record().kind) {
    case LineKind::message: read_message(r, body); break;
    case LineKind::tool_call: whole = read_call(r, body); break;
    case LineKind::tool_result: whole = read_result(r, body); break;
    case LineKind::approval: whole = read_approval(r, body); break;
    case LineKind::patch: whole = read_patch(r, body); break;
    case LineKind::snapshot: read_remark(r, body, "snapshot"); break;
    case LineKind::note: read_remark(r, body, "note"); break;
  }
  if (whole && r.emitted()) whole = r.read_usage(body, r.out().events.back());
  return whole ? RecordOutcome::indexed() : RecordOutcome::damaged();
}

}  // namespace memd::events_v1
