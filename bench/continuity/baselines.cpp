#include "bench/continuity/baselines.hpp"

#include "schemas/hash.hpp"
#include "store/text/token_budget.hpp"
#include "store/text/token_estimate.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace memd::bench {
namespace {

std::string fill(const std::vector<std::string>& lines, std::size_t tokens) {
  TokenBudget budget(tokens);
  std::string out;
  for (const std::string& line : lines)
    if (budget.take_text(line + "\n")) out += line + "\n";
  return out;
}

}  // namespace

std::string item_pack(const Known& known, Order order, std::size_t tokens) {
  using Ranked = std::tuple<std::size_t, std::size_t, std::string>;
  std::vector<Ranked> ranked;
  for (const auto& [item, use] : known.uses) {
    if (order == Order::recent) ranked.emplace_back(use.last, use.count, item);
    if (order == Order::frequent) ranked.emplace_back(use.count, use.last, item);
    if (order == Order::random) ranked.emplace_back(hash64(item, 1), 0, item);
  }
  std::sort(ranked.rbegin(), ranked.rend());
  std::vector<std::string> lines;
  for (Ranked& r : ranked)
    lines.push_back(std::move(std::get<2>(r)));
  return fill(lines, tokens);
}

std::string tail_pack(const Transcript& transcript, std::size_t before, std::size_t tokens) {
  std::string out;
  std::size_t left = tokens;
  for (std::size_t i = before; i-- > 0 && left > 0;) {
    const TranscriptRecord& r = transcript.records[i];
    std::string piece;
    for (const std::string& text : r.texts)
      piece += text + "\n";
    for (const ToolUse& use : r.uses)
      for (const char* argument : {"command", "file_path", "pattern"})
        if (const std::string* value = use.input(argument)) piece += use.tool + ": " + *value + "\n";
    const CutText cut = cut_to_tokens(piece, left);
    left -= std::min(left, cut.tokens);
    out.insert(0, cut.text);
  }
  return out;
}

std::string oracle_pack(const Items& items, const Known& known, std::size_t tokens) {
  std::vector<std::string> lines;
  for (std::size_t kind = 0; kind < kItemKindCount; ++kind)
    for (const std::string& item : items[kind])
      lines.push_back(static_cast<ItemKind>(kind) == ItemKind::file ? known.files.telling_end(item) : item);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return fill(lines, tokens);
}

}  // namespace memd::bench
