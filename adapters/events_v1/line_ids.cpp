#include "adapters/events_v1/line_ids.hpp"

#include "adapters/json/json_access.hpp"

namespace memd::events_v1 {

std::optional<LineIds> line_ids(std::string_view line) {
  json::DomParser parser;
  json::dom::object root;
  if (!parser.parse_padded(line, root)) return std::nullopt;
  LineIds out{std::string(json::text_of(root, "id")), {}};
  if (const auto refs = json::object_of(root, "refs")) out.patch = json::text_of(*refs, "patch_id");
  return out.event.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace memd::events_v1
