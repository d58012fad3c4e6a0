#include "adapters/cline/tool_output.hpp"

#include "adapters/cline/model_text.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/media.hpp"
#include "adapters/names.hpp"

#include <simdjson.h>

#include <algorithm>
#include <utility>

namespace memd::cline {
namespace {

namespace dom = simdjson::dom;
using json::text_of;

constexpr int kDeepest = 8;
constexpr std::string_view kStillRuns = "[Command is still running";

bool has_only(const dom::object& object, const Names& names) {
  return std::all_of(object.begin(), object.end(),
                     [&](const dom::key_value_pair& member) { return names.has(member.key); });
}

constexpr Names kOperation("query result success error duration");

// {"query": "…", "result": …, "success": false, "error"?: "…"}; a version may have more members, or no "success".
bool is_operation(const dom::element& value) {
  dom::object object;
  dom::element any;
  if (value.get(object)) return false;
  const auto has = [&](std::string_view key) { return !object[key].get(any); };
  return (has("result") || has("error")) && (has("success") || has("query"));
}

// Whether text that a tool printed can hardly be the same.
bool is_surely_operation(const dom::element& value) {
  dom::object object;
  return is_operation(value) && !value.get(object) && has_only(object, kOperation);
}

// {"content": [...], "isError"?: true}
bool is_server_answer(const dom::element& value) {
  static constexpr Names kAnswerNames("content isError structuredContent _meta meta");
  dom::object object;
  dom::array content;
  return !value.get(object) && !object["content"].get(content) && has_only(object, kAnswerNames);
}

// {"text": "…", "iterations": 3, "finishReason": "completed", "usage": {…}}
bool is_agent_answer(const dom::element& value) {
  dom::object object;
  std::string_view text;
  return !value.get(object) && !object["text"].get(text) && !object["finishReason"].get(text);
}

template <class Is>
bool is_list_of(const dom::element& value, Is&& is) {
  dom::array list;
  return !value.get(list) && list.size() > 0 && std::all_of(list.begin(), list.end(), is);
}

class Output {
 public:
  void content(const dom::element& value) { part(value, 0); }

  // JSON in a string is unwrapped only if it has the shape of such an answer; other JSON is what a tool printed.
  void text(std::string_view text) {
    json::DomParser parser;
    dom::element inner;
    const auto trimmed = json::trimmed(text);
    const bool parsed = (trimmed.starts_with('{') || trimmed.starts_with('[')) && parser.parse(trimmed, inner);
    out_.replaced |= parser.replaced();
    if (parsed && (is_surely_operation(inner) || is_list_of(inner, is_surely_operation) || is_server_answer(inner) ||
                   is_agent_answer(inner)))
      part(inner, 0);
    else
      append(text);
  }

  ToolOutput finish() {
    out_.succeeded = succeeded_ && !out_.failed && !runs_;
    return std::move(out_);
  }
  ToolOutput& out() { return out_; }

 private:
  void append(std::string_view text) {
    if (text.empty()) return;
    if (!out_.text.empty() && !out_.text.ends_with('\n')) out_.text.push_back('\n');
    out_.text.append(text);
  }

  void part(const dom::element& value, int depth) {
    dom::array list;
    dom::object object;
    std::string_view text;
    if (!value.get(text)) return append(text);
    if (value.is_null()) return;
    if (depth > kDeepest || (value.get(list) && value.get(object))) return append(simdjson::minify(value));
    if (!value.get(object)) return object_part(value, object, depth);
    const bool several = list.size() > 1 && is_list_of(value, is_operation);
    if (list.size() == 1 && !list.at(0)["text"].get(text)) return this->text(text);
    for (const dom::element item : list) {
      if (several) append(text_of(item.get_object().value(), "query"));
      part(item, depth + 1);
    }
  }

  void object_part(const dom::element& value, const dom::object& object, int depth) {
    static constexpr Names kBinary("image document media audio video image_url");
    static constexpr Names kKnown("text file resource tool_result");
    dom::element content;
    std::string_view text;
    const auto type = text_of(object, "type");
    if (is_operation(value)) return operation(object, depth);
    if (kBinary.has(type)) return json::append_mark(out_.marker, json::read_media(type, object));
    out_.failed |= json::flag_of(object, "isError") || json::flag_of(object, "is_error");
    if (!type.empty() && !kKnown.has(type)) return append(simdjson::minify(value));
    if (!object["text"].get(text)) return append(text);
    if (type == "file") json::append_mark(out_.marker, json::read_media(type, object));
    if (!object["content"].get(content) || (type == "resource" && !object["resource"].get(content)))
      return part(content, depth + 1);
    if (type != "file") append(simdjson::minify(value));
  }

  void operation(const dom::object& object, int depth) {
    const auto before = out_.text.size();
    bool succeeded = false;
    std::string_view error;
    dom::element value;
    if (!object["result"].get(value)) part(value, depth + 1);
    if (object["error"].get(error)) {
      if (!object["error"].get(value)) part(value, depth + 1);
    } else if (out_.text.find(error, before) == std::string::npos) {
      append(error);
    }
    if (object["success"].get(succeeded)) succeeded = object["error"].get(value) || value.is_null() || error.empty();
    (succeeded ? succeeded_ : out_.failed) = true;
    const std::string_view shown = json::trimmed(std::string_view(out_.text).substr(before));
    runs_ |= shown.starts_with(kStillRuns);
    std::optional<std::int32_t> code = exit_code_in(error.empty() ? shown : error);
    for (const auto& [key, member] : object) {
      std::int64_t number = 0;
      if (kOperation.has(key)) continue;
      if (!member.get(number)) {
        if (key == "exitCode" || key == "exit_code") code = static_cast<std::int32_t>(number);
      } else if (!member.is_bool()) {
        part(member, depth + 1);
      }
    }
    if (code && !out_.exit_code) out_.exit_code = code;
  }

  ToolOutput out_;
  bool succeeded_ = false;
  bool runs_ = false;
};

}  // namespace

ToolOutput read_tool_output(std::string_view json) {
  json::DomParser parser;
  dom::element content;
  Output output;
  if (!parser.parse(json, content)) return read_tool_text(json);
  output.out().replaced = parser.replaced();
  output.content(content);
  return output.finish();
}

ToolOutput read_tool_text(std::string_view text) {
  Output output;
  output.text(text);
  return output.finish();
}

}  // namespace memd::cline
