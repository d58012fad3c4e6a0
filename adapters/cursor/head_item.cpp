#include "adapters/cursor/item_context.hpp"
#include "schemas/ids.hpp"

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

enum : std::size_t {
  kTitle,
  kDescription,
  kCwd,
  kMode,
  kModel,
  kHeadBranch,
  kParent,
  kParentCall,
  kAgent,
  kSubagent,
  kHeadArchived,
  kHeadCreated,
  kHeadUpdated,
  kHeadContextTokens,
  kCost,
  kHeadAdded,
  kHeadRemoved,
  kProject,
  kHeadKeys
};
constexpr KeyTable<kHeadKeys> kHeadTable{{"title", "description", "cwd", "mode", "model", "branch", "parent",
                                          "parent_call", "agent", "subagent", "archived", "created", "updated",
                                          "context_tokens", "cost_cents", "lines_added", "lines_removed", "project"}};

}  // namespace

Fate read_head(ItemContext& c, od::object& item) {
  Tokens<kHeadKeys> tokens;
  if (!collect(item, kHeadTable, tokens)) return Fate::damaged();
  const auto parts = split_session_uid(c.session_uid());
  if (!parts) return Fate::skipped("no_session");
  SessionUpdate update;
  update.session_uid = c.session_uid();
  update.platform = Platform::cursor;
  update.native_id = parts->native_id;
  update.title = one_line(c.text(tokens[kTitle]), 300);
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.description = c.text(tokens[kDescription], 1000);
  if (integer(tokens[kHeadArchived]) != 0)
    update.description.append(update.description.empty() ? "" : " ").append("(archived)");
  if (const auto parent = c.text(tokens[kParent]); !parent.empty()) {
    update.parent_uid = make_session_uid(Platform::cursor, parent);
    update.parent_call_id = c.text(tokens[kParentCall]);
  }
  if (!update.parent_uid.empty() || integer(tokens[kSubagent]) != 0) update.kind = SessionKind::subagent;
  update.agent_name = c.text(tokens[kAgent]);
  update.project_hint = c.text(tokens[kProject]);
  update.cwd = c.text(tokens[kCwd]);
  update.git_branch = c.text(tokens[kHeadBranch]);
  update.model = c.text(tokens[kModel]);
  if (update.model == "default") update.model = "auto";
  update.mode = c.text(tokens[kMode]);
  update.time = update.started_at = integer(tokens[kHeadCreated]);
  update.ended_at = integer(tokens[kHeadUpdated]);
  update.context_tokens = integer(tokens[kHeadContextTokens]);
  update.lines_added = integer(tokens[kHeadAdded]);
  update.lines_removed = integer(tokens[kHeadRemoved]);
  if (const auto cents = integer(tokens[kCost]); cents > 0) update.cost_usd = static_cast<double>(cents) / 100;
  c.out().sessions.push_back(std::move(update));
  return Fate::indexed();
}

}  // namespace memd::cursor
