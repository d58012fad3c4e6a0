#include "adapters/described/chat_message.hpp"

#include "adapters/described/lookup.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/media.hpp"
#include "adapters/names.hpp"

#include <utility>

namespace memd::described {
namespace {

using json::dom::element;
using json::dom::object;

constexpr Names kTexts("text input_text output_text summary_text refusal");
constexpr Names kThoughts("thinking reasoning reasoning_text");
constexpr Names kCalls("tool_use server_tool_use mcp_tool_use toolCall tool_call");
constexpr Names kResults("tool_result mcp_tool_result web_search_tool_result toolResult");
constexpr Names kImages("image image_url imageUrl input_image");
constexpr Names kFiles("document file input_file input_audio");
constexpr Names kSilent("redacted_thinking cache_control");

// Returns the first of some members, separated by blanks, that has a value.
std::optional<element> first_of(const object& holder, std::initializer_list<std::string_view> names) {
  element found;
  for (const auto name : names)
    if (!holder.at_key(name).get(found) && !found.is_null()) return found;
  return std::nullopt;
}

std::string text_in(const object& holder, std::initializer_list<std::string_view> names) {
  const auto found = first_of(holder, names);
  return found ? text_of(*found) : std::string();
}

Part of_text(Part::Kind kind, std::string text) {
  Part part;
  part.kind = kind;
  part.text = std::move(text);
  return part;
}

Part attachment(std::string_view kind, const object& block) {
  return of_text(Part::Kind::attachment, json::read_media(kind, block).mark());
}

Part block_part(const object& block) {
  const std::string type = text_in(block, {"type"});
  Part part;
  if (kTexts.has(type) || type.empty()) {
    const auto text = first_of(block, {"text", "refusal"});
    return text ? of_text(Part::Kind::text, text_of(*text)) : part;
  }
  if (kThoughts.has(type)) return of_text(Part::Kind::thinking, text_in(block, {"thinking", "text", "reasoning"}));
  if (kCalls.has(type)) {
    part.kind = Part::Kind::call;
    part.tool = text_in(block, {"name", "toolName"});
    part.call_id = text_in(block, {"id", "toolCallId"});
    part.input = first_of(block, {"input", "arguments", "args"});
    return part;
  }
  if (kResults.has(type)) {
    part.kind = Part::Kind::result;
    part.call_id = text_in(block, {"tool_use_id", "toolCallId"});
    part.text = text_in(block, {"content", "output"});
    const auto failed = first_of(block, {"is_error", "isError"});
    bool flag = false;
    part.failed = failed && !failed->get_bool().get(flag) && flag;
    return part;
  }
  if (kImages.has(type)) return attachment("image", block);
  if (kFiles.has(type)) return attachment("file", block);
  if (kSilent.has(type)) part.kind = Part::Kind::nothing;
  return part;
}

Part gemini_part(const object& block) {
  object inner;
  Part part;
  if (const auto call = first_of(block, {"functionCall"}); call && !call->get_object().get(inner)) {
    part.kind = Part::Kind::call;
    part.tool = text_in(inner, {"name"});
    part.call_id = text_in(inner, {"id"});
    part.input = first_of(inner, {"args"});
    return part;
  }
  if (const auto answer = first_of(block, {"functionResponse"}); answer && !answer->get_object().get(inner)) {
    part.kind = Part::Kind::result;
    part.tool = text_in(inner, {"name"});
    part.call_id = text_in(inner, {"id"});
    object response;
    if (const auto held = first_of(inner, {"response"}); held && !held->get_object().get(response)) {
      const auto error = first_of(response, {"error"});
      const auto output = error ? error : first_of(response, {"output", "result", "content"});
      part.text = output ? text_of(*output) : text_of(*held);
      part.failed = error.has_value();
    }
    return part;
  }
  for (const auto* key : {"inlineData", "fileData"})
    if (const auto data = first_of(block, {key}); data && !data->get_object().get(inner))
      return attachment("file", inner);
  const auto text = first_of(block, {"text"});
  if (!text) return part;
  const auto thought = first_of(block, {"thought"});
  bool is_thought = false;
  return of_text(
      thought && !thought->get_bool().get(is_thought) && is_thought ? Part::Kind::thinking : Part::Kind::text,
      text_of(*text));
}

}  // namespace

std::vector<Part> content_parts(Shape shape, element content) {
  std::vector<Part> out;
  json::dom::array blocks;
  object block;
  if (content.is_string() || shape == Shape::text) {
    out.push_back(of_text(Part::Kind::text, text_of(content)));
  } else if (!content.get_array().get(blocks)) {
    for (const element one : blocks)
      if (one.is_string())
        out.push_back(of_text(Part::Kind::text, text_of(one)));
      else
        out.push_back(one.get_object().get(block) ? Part{}
                      : shape == Shape::gemini    ? gemini_part(block)
                                                  : block_part(block));
  } else {
    out.push_back(content.get_object().get(block) ? Part{}
                  : shape == Shape::gemini        ? gemini_part(block)
                                                  : block_part(block));
  }
  return out;
}

std::vector<Part> parts_beside(Shape shape, element message) {
  std::vector<Part> out;
  object holder;
  if (shape != Shape::openai || message.get_object().get(holder)) return out;
  if (const auto thought = text_in(holder, {"reasoning_content", "reasoning"}); !thought.empty())
    out.push_back(of_text(Part::Kind::thinking, thought));
  json::dom::array calls;
  const auto list = first_of(holder, {"tool_calls", "toolCalls"});
  if (!list || list->get_array().get(calls)) return out;
  for (const element one : calls) {
    object call;
    object function;
    if (one.get_object().get(call)) continue;
    Part& part = out.emplace_back();
    part.kind = Part::Kind::call;
    part.call_id = text_in(call, {"id"});
    const auto named = first_of(call, {"function"});
    if (!named || named->get_object().get(function)) function = call;
    part.tool = text_in(function, {"name"});
    part.input = first_of(function, {"arguments", "input"});
  }
  return out;
}

}  // namespace memd::described
