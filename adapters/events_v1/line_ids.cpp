#include "adapters/events_v1/line_ids.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"

namespace memd::events_v1 {

std::optional<LineIds> line_ids(std::string_view line) {
  json::RecordParser parser;
  json::od::object root;
  json::od::value value;
  if (!parser.open(line, root) || !json::seek(root, "id", value)) return std::nullopt;
  json::TextReader reader;
  LineIds out{reader.text(json::token_of(value)), {}};
  if (out.event.empty()) return std::nullopt;
  json::od::object refs;
  if (json::seek_object(root, "refs", refs) && json::seek(refs, "patch_id", value))
    out.patch = reader.text(json::token_of(value));
  return out;
}

}  // namespace memd::events_v1
