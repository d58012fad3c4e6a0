#include "adapters/json/content.hpp"

#include <utility>

namespace memd::json {
namespace {

constexpr std::size_t kNameLimit = 200;  // bytes

MEMD_KEYS(ContentBlock, type, text, thinking, name, uri);

}  // namespace

Content read_content(TextReader& reader, od::object& holder, std::string_view key) {
  Content out;
  for_each_object<ContentBlock>(holder, key, [&](const ContentBlock& block, od::object&, std::size_t) {
    const auto said = is_string(block.text) ? block.text : block.thinking;
    if (is_string(said)) {
      out.text.append(out.text.empty() ? "" : "\n");
      reader.append_text(said, out.text);
      return true;
    }
    const auto type = string_body(block.type);
    const std::string name = reader.text(is_string(block.name) ? block.name : block.uri, kNameLimit);
    out.marker.append(out.marker.empty() ? "[" : " [").append(is_identifier(type) ? type : "?");
    if (!name.empty() && !name.starts_with("data:")) out.marker.append(": ").append(name);
    out.marker.push_back(']');
    return true;
  });
  return out;
}

void add_prompt(RecordBuilder& record, Content content) {
  Event& e = record.add(EventKind::user_msg, Role::user);
  e.origin = trimmed(content.text).starts_with('/') ? Origin::command : Origin::typed;
  e.text = std::move(content.text);
  e.summary = std::move(content.marker);
  e.starts_exchange = true;
}

}  // namespace memd::json
