#include "adapters/events_v1/line_ids.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"

namespace memd::events_v1 {

std::optional<LineIds> line_ids(std::string_view line) {
  json::RecordParser parser;
  json::od::object root;
  json::od::value id;
  if (!parser.open(line, root) || !json::seek(root, "id", id)) return std::nullopt;
  LineIds out{json::unescaped(json::token_of(id)), json::unescaped(json::token_in(root, "refs", "patch_id"))};
  return out.event.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace memd::events_v1
