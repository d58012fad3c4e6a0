#include "adapters/cursor/session_head.hpp"

#include "adapters/cursor/item_json.hpp"
#include "schemas/hash.hpp"

#include <algorithm>

namespace memd::cursor {

std::string head_json(const Composer& composer, const CatalogueEntry& catalogue, std::string_view folder) {
  ItemJson json(item_kind::kHead);
  json.text("title", composer.name).text("description", composer.subtitle).text("cwd", folder);
  json.text("mode", composer.mode).text("model", composer.model).text("branch", composer.branch);
  json.text("status", composer.status).flag("archived", composer.archived || catalogue.archived);
  json.text("parent", composer.parent_id).text("parent_call", composer.parent_call_id);
  json.flag("subagent", catalogue.subagent);
  json.text("agent", composer.agent_name.empty() ? catalogue.agent_name : composer.agent_name);
  json.number("created", composer.created).number("updated", composer.updated);
  json.number("context_tokens", composer.context_tokens).number("cost_cents", composer.cost_cents);
  json.number("lines_added", composer.lines_added).number("lines_removed", composer.lines_removed);
  return std::move(json).finish();
}

std::uint64_t version_of(std::string_view value) { return std::max<std::uint64_t>(hash64(value), 1); }

}  // namespace memd::cursor
