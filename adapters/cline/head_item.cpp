#include "adapters/cline/item_handlers.hpp"
#include "schemas/ids.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace memd::cline {
namespace {

enum : std::size_t {
  kId,
  kCwd,
  kModel,
  kTitle,
  kParent,
  kMode,
  kCost,
  kKind,
  kAgent,
  kForkedFrom,
  kStarted,
  kEnded,
  kDescription,
  kNamed,
  kHeadKeys
};
constexpr KeyTable<kHeadKeys> kHeadTable{{"id", "cwd", "model", "title", "parent", "mode", "cost", "kind", "agent",
                                          "forked_from", "started", "ended", "description", "named"}};

std::optional<double> fraction(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end != token.data() ? std::optional(value) : std::nullopt;
}

}  // namespace

Fate read_head(ItemContext& c, od::object& item) {
  Tokens<kHeadKeys> tokens;
  if (!collect(item, kHeadTable, tokens)) return Fate::damaged();
  const auto uid = [&](std::size_t i) {
    const std::string id = c.text(tokens[i]);
    return id.empty() ? std::string() : make_session_uid(Platform::cline, id);
  };
  SessionUpdate update;
  update.session_uid = c.session_uid();
  update.platform = Platform::cline;
  update.native_id = c.text(tokens[kId]);
  update.parent_uid = uid(kParent);
  if (!update.parent_uid.empty()) update.kind = SessionKind::subagent;
  update.agent_name = c.text(tokens[kAgent]);
  update.description = c.text(tokens[kDescription]);
  update.title = c.text(tokens[kTitle]);
  // The lists of tasks have the first words of each; the newer store gives sessions names.
  if (!update.title.empty()) update.title_rank = is_true(tokens[kNamed]) ? TitleRank::ai : TitleRank::summary;
  update.cwd = c.text(tokens[kCwd]);
  update.model = c.text(tokens[kModel]);
  update.mode = c.text(tokens[kMode]);
  update.forked_from = uid(kForkedFrom);
  update.started_at = integer(tokens[kStarted]);
  update.ended_at = integer(tokens[kEnded]);
  update.time = update.ended_at != 0 ? update.ended_at : update.started_at;
  update.cost_usd = fraction(tokens[kCost]);
  c.out().sessions.push_back(std::move(update));
  return Fate::indexed();
}

}  // namespace memd::cline
