#include "adapters/cursor/file_uri.hpp"
#include "adapters/cursor/item_context.hpp"

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

enum : std::size_t { kType, kText, kRawText, kImages, kThinking, kTool, kBubbleKeys };
constexpr KeyTable<kBubbleKeys> kBubbleTable{{"type", "text", "rawText", "images", "thinking", "toolFormerData"}};

// "thinking": {"text": …}, or text alone.
bool read_thinking(ItemContext& c, od::object& bubble) {
  od::value value;
  if (!seek(bubble, "thinking", value)) return true;
  const auto token = token_of(value);
  if (is_string(token)) {
    emit_thinking(c, c.text(token));
    return true;
  }
  od::object thinking;
  Tokens<1> tokens;
  if (value.get_object().get(thinking)) return true;
  if (!collect(thinking, KeyTable<1>{{"text"}}, tokens)) return false;
  emit_thinking(c, c.text(tokens[0]));
  return true;
}

bool read_thinking_blocks(ItemContext& c, od::object& bubble) {
  od::value value;
  od::array blocks;
  if (c.emitted() || !seek(bubble, "allThinkingBlocks", value) || value.get_array().get(blocks)) return true;
  std::string text;
  const bool whole = for_each_element(blocks, [&](od::value& element, std::size_t) {
    od::object block;
    Tokens<2> tokens;
    if (element.get_object().get(block)) return true;
    if (!collect(block, KeyTable<2>{{"text", "thinking"}}, tokens)) return false;
    c.append_text(is_string(tokens[0]) ? tokens[0] : tokens[1], text);
    return true;
  });
  emit_thinking(c, std::move(text));
  return whole;
}

bool read_facts(ItemContext& c, od::object& bubble, TokenUsage& usage) {
  od::object inner;
  if (seek_object(bubble, "tokenCount", inner)) {
    Tokens<2> tokens;
    if (!collect(inner, KeyTable<2>{{"inputTokens", "outputTokens"}}, tokens)) return false;
    usage.input = std::max<std::int64_t>(integer(tokens[0]), 0);
    usage.output = std::max<std::int64_t>(integer(tokens[1]), 0);
  }
  if (seek_object(bubble, "modelInfo", inner)) {
    Tokens<1> tokens;
    if (!collect(inner, KeyTable<1>{{"modelName"}}, tokens)) return false;
    c.model = c.text(tokens[0]);
    if (c.model == "default") c.model = "auto";
  }
  od::value value;
  od::array uris;
  if (seek(bubble, "workspaceUris", value) && !value.get_array().get(uris)) {
    std::size_t count = 0;
    const bool whole = for_each_element(uris, [&](od::value& uri, std::size_t) {
      c.cwd = ++count == 1 ? path_of_uri(c.text(token_of(uri))) : std::string();
      return true;
    });
    if (!whole) return false;
  }
  return true;
}

bool read_error(ItemContext& c, od::object& bubble) {
  od::value value;
  if (!seek(bubble, "errorDetails", value)) return true;
  od::object details;
  Tokens<4> tokens;
  std::string text = c.text(token_of(value));
  if (!value.get_object().get(details)) {
    if (!collect(details, KeyTable<4>{{"message", "detail", "title", "error"}}, tokens)) return false;
    for (const auto token : tokens)
      if (text.empty()) text = c.text(token);
  }
  if (text.empty()) return true;
  Event& e = c.add(EventKind::error, Role::system);
  e.is_error = true;
  e.text = std::move(text);
  return true;
}

}  // namespace

Fate read_bubble(ItemContext& c, od::object& bubble) {
  Tokens<kBubbleKeys> tokens;
  TokenUsage usage;
  if (!collect(bubble, kBubbleTable, tokens) || !read_facts(c, bubble, usage)) return Fate::damaged();
  const auto type = tokens[kType];
  if (type != "1" && type != "2") {
    c.diagnose(DiagnosticType::unknown_field_value, {"type"});
    return Fate::unknown("bubble_type");
  }
  std::string text = c.text(is_string(tokens[kText]) ? tokens[kText] : tokens[kRawText]);
  if (type == "1") {
    if (trimmed(text).empty()) {
      od::value value;
      od::array images;
      bool empty = true;
      if (tokens[kImages].starts_with('[') && seek(bubble, "images", value) && !value.get_array().get(images))
        if (images.is_empty().get(empty)) return Fate::damaged();
      if (empty) return Fate::skipped("blank_message");
      text = "[image]";
    }
    emit_prompt(c, std::move(text));
  } else {
    if (!tokens[kThinking].empty() && !read_thinking(c, bubble)) return Fate::damaged();
    if (!read_thinking_blocks(c, bubble)) return Fate::damaged();
    emit_answer(c, std::move(text));
    od::object tool;
    if (seek_object(bubble, "toolFormerData", tool) && !read_tool(c, tool)) return Fate::damaged();
  }
  if (!read_error(c, bubble)) return Fate::damaged();
  c.add_usage(usage);
  return c.emitted() ? Fate::indexed() : Fate::skipped("blank_message");
}

// Bubbles of chat tabs have words for types: "user", "ai".
Fate read_tab_bubble(ItemContext& c, od::object& bubble) {
  Tokens<kBubbleKeys> tokens;
  if (!collect(bubble, kBubbleTable, tokens)) return Fate::damaged();
  std::string text = c.text(tokens[kText]);
  if (trimmed(text).empty()) text = c.text(tokens[kRawText]);
  Tokens<1> more;
  if (!collect(bubble, KeyTable<1>{{"modelType"}}, more)) return Fate::damaged();
  c.model = c.text(more[0]);
  const auto type = string_body(tokens[kType]);
  if (trimmed(text).empty()) return Fate::skipped("blank_message");
  if (type == "user") {
    c.model.clear();
    emit_prompt(c, std::move(text));
  } else if (type == "ai") {
    emit_answer(c, std::move(text));
  } else {
    c.diagnose(DiagnosticType::unknown_field_value, {"type"});
    return Fate::unknown("bubble_type");
  }
  return Fate::indexed();
}

}  // namespace memd::cursor
