#include "bench/continuity/score.hpp"

#include "schemas/ascii.hpp"
#include "schemas/hash.hpp"

#include <algorithm>

namespace memd::bench {
namespace {

bool has_command(const std::string& squeezed_pack, std::string_view pack, const std::string& command) {
  if (command.find(' ') == std::string::npos) return names_command(pack, command);
  return names(squeezed_pack, command);
}

bool has_constraint(std::string_view pack, const Known& known, const std::string& sentence) {
  const auto at = std::find_if(known.constraints.begin(), known.constraints.end(),
                               [&](const Constraint& c) { return c.sentence == sentence; });
  return at != known.constraints.end() && restates(pack, *at);
}

}  // namespace

Found find_items(std::string_view pack, const Items& items, const Known& known) {
  const std::string on_one_line = ascii::one_line(pack);
  Found out;
  for (std::size_t kind = 0; kind < kItemKindCount; ++kind)
    for (const std::string& item : items[kind]) {
      bool there = false;
      switch (static_cast<ItemKind>(kind)) {
        case ItemKind::file: there = known.files.named_in(pack, item); break;
        case ItemKind::identifier:
        case ItemKind::edited_identifier: there = names(pack, item); break;
        case ItemKind::command_head: there = names_command(pack, item); break;
        case ItemKind::command: there = has_command(on_one_line, pack, item); break;
        case ItemKind::constraint: there = has_constraint(pack, known, item); break;
      }
      out[kind].push_back(there);
    }
  return out;
}

bool is_held_out(std::string_view session) { return hash64(session, 5) % 2 == 1; }

}  // namespace memd::bench
