// Calls and results, as events.
#include "adapters/cline/item_handlers.hpp"
#include "adapters/cline/tool_names.hpp"
#include "adapters/tool_calls/tool_input.hpp"

#include <utility>

namespace memd::cline {
namespace {

enum : std::size_t { kType, kText, kBlockKeys };
constexpr KeyTable<kBlockKeys> kBlockTable{{"type", "text"}};

void make_absolute(Event& call) {
  for (FileTouch& file : call.files)
    file.path = absolute_path(call.cwd, file.path);
}

}  // namespace

std::string absolute_path(std::string_view cwd, std::string_view path) {
  const bool absolute =
      path.starts_with('/') || path.starts_with('~') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':');
  if (absolute || cwd.empty() || path.empty()) return std::string(path);
  std::string out(cwd);
  if (out.back() != '/' && out.back() != '\\') out.push_back('/');
  while (path.starts_with("./"))
    path.remove_prefix(2);
  return out.append(path);
}

bool read_block_input(ItemContext& c, od::object& block, Event& call) {
  od::value input;
  if (seek(block, "input", input) && !tool_calls::read_tool_input(c, input, access_of, call)) return false;
  make_absolute(call);
  return true;
}

void read_text_input(ItemContext& c, std::string_view input, Event& call) {
  tool_calls::read_tool_input_text(c, input, access_of, call);
  make_absolute(call);
}

void emit_result(ItemContext& c, const ToolCall& call, std::string_view text, bool is_error, std::size_t block) {
  Event& e = c.add(EventKind::tool_result, Role::tool, block);
  e.tool = call.tool;
  e.call_id = call.id;
  e.is_error = is_error;
  e.text = c.detail() == Detail::full ? text : utf8_prefix(text, kResultTextLimit);
  if (!is_error && !call.path.empty())
    e.files.push_back({absolute_path(e.cwd, call.path), FileAccess::modified, call.lines_added, call.lines_removed});
}

bool read_content(ItemContext& c, od::value& content, std::string& text, std::string& marker) {
  const auto token = token_of(content);
  if (is_string(token)) {
    c.append_text(token, text);
    return true;
  }
  od::array blocks;
  if (content.get_array().get(blocks)) return true;
  return for_each_element(blocks, [&](od::value& value, std::size_t) {
    od::object block;
    Tokens<kBlockKeys> tokens;
    if (value.get_object().get(block)) return true;
    if (!collect(block, kBlockTable, tokens)) return false;
    if (is_string(tokens[kText])) {
      if (!text.empty()) text.push_back('\n');
      c.append_text(tokens[kText], text);
    } else {
      const auto type = string_body(tokens[kType]);
      marker.append(marker.empty() ? "[" : " [").append(is_identifier(type) ? type : "block").append("]");
    }
    return true;
  });
}

}  // namespace memd::cline
