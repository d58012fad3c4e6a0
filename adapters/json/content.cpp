#include "adapters/json/content.hpp"

#include "adapters/json/media.hpp"

namespace memd::json {
namespace {

MEMD_KEYS(ContentBlock, type, text, thinking);

}  // namespace

ContentText read_content(TextReader& reader, od::object& holder, std::string_view key) {
  ContentText out;
  const auto append = [&](std::string_view token, std::string& text) {
    text.append(text.empty() ? "" : "\n");
    reader.append_text(token, text);
  };
  for_each_block<ContentBlock>(holder, key, [&](const ContentBlock& block, od::object& object) {
    const auto type = string_body(block.type);
    if (is_string(block.text))
      append(block.text, out.text);
    else if (is_string(block.thinking))
      append(block.thinking, out.thoughts);
    else if (!type.starts_with("think"))
      append_mark(out.marks, read_media(reader, type, object));
  });
  return out;
}

}  // namespace memd::json
