#include "bench/continuity/report.hpp"

#include "schemas/ascii.hpp"
#include "schemas/hash.hpp"
#include "schemas/json_writer.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <vector>

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

struct Figures {
  double median = 0;
  double mean = 0;
  double micro = 0;  // over all items of all compactions
  double weighted_mean = 0;
  double weighted_micro = 0;
  std::size_t compactions = 0;  // number of compactions with such items
  std::size_t items = 0;
};

struct Row {
  std::string method;
  std::size_t budget = 0;
  double tokens = 0;  // mean
  std::size_t leaks = 0;
  std::array<Figures, kItemKindCount> kinds;
  // Means over the compactions.
  double precision = 0;
  double weighted_precision = 0;
  double names = 0;
  double bare = 0;
  std::vector<SectionWorth> sections;  // mean shares of the pack
};

// A score with its compaction.
struct Judged {
  const Scored* of = nullptr;
  const Score* score = nullptr;
};

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Figures figures(const std::vector<Judged>& scores, std::size_t kind) {
  Figures out;
  std::vector<double> shares;
  std::vector<double> weighted_shares;
  std::size_t found = 0;
  double found_weight = 0;
  double all_weight = 0;
  for (const Judged& judged : scores) {
    const auto& items = judged.score->found[kind];
    if (items.empty()) continue;
    const auto hits = static_cast<std::size_t>(std::count(items.begin(), items.end(), true));
    shares.push_back(static_cast<double>(hits) / static_cast<double>(items.size()));
    found += hits;
    out.items += items.size();
    const auto& weights = judged.of->weights[kind];
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double hit = std::transform_reduce(items.begin(), items.end(), weights.begin(), 0.0, std::plus<>(),
                                             [](bool there, double weight) { return there ? weight : 0; });
    found_weight += hit;
    all_weight += sum;
    if (sum > 0) weighted_shares.push_back(hit / sum);
  }
  out.compactions = shares.size();
  if (shares.empty()) return out;
  out.mean = mean(shares);
  out.micro = static_cast<double>(found) / static_cast<double>(out.items);
  out.median = middle(std::move(shares));
  out.weighted_mean = mean(weighted_shares);
  out.weighted_micro = all_weight > 0 ? found_weight / all_weight : 0;
  return out;
}

SectionWorth& section_of(std::vector<SectionWorth>& sections, const std::string& title) {
  const auto at = std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.title == title; });
  return at != sections.end() ? *at : sections.emplace_back(SectionWorth{title, 0, 0});
}

enum class Side { all, fit, held_out };
constexpr std::array<std::string_view, 3> kSides{"all", "fit", "held out"};

std::vector<Row> rows_of(const std::vector<Scored>& scored, Side side, std::size_t& compactions) {
  std::vector<std::pair<std::string, std::size_t>> methods;
  std::vector<std::vector<Judged>> scores;
  compactions = 0;
  for (const Scored& s : scored) {
    if (side != Side::all && s.held_out != (side == Side::held_out)) continue;
    ++compactions;
    for (const Score& score : s.scores) {
      const auto key = std::make_pair(score.method, score.budget);
      auto at = std::find(methods.begin(), methods.end(), key);
      if (at == methods.end()) {
        methods.push_back(key);
        scores.emplace_back();
        at = methods.end() - 1;
      }
      scores[static_cast<std::size_t>(at - methods.begin())].push_back({&s, &score});
    }
  }
  std::vector<Row> rows;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Row row{methods[m].first, methods[m].second, 0, 0, {}, 0, 0, 0, 0, {}};
    const auto of_all = static_cast<double>(scores[m].size());
    for (const Judged& judged : scores[m]) {
      row.tokens += static_cast<double>(judged.score->tokens) / of_all;
      row.leaks += judged.score->leaks;
      row.precision += judged.score->worth.precision() / of_all;
      row.weighted_precision += judged.score->worth.weighted_precision() / of_all;
      row.names += judged.score->worth.names_share() / of_all;
      row.bare += judged.score->worth.bare_share() / of_all;
      for (const SectionWorth& part : judged.score->sections) {
        SectionWorth& section = section_of(row.sections, part.title);
        section.all += part.all / of_all;
        section.used += part.used / of_all;
      }
    }
    for (std::size_t kind = 0; kind < kItemKindCount; ++kind)
      row.kinds[kind] = figures(scores[m], kind);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.budget < b.budget; });
  return rows;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

void number(json::Writer& w, std::string_view name, double value) {
  w.key(name);
  w.number(value);
}

}  // namespace

std::vector<SectionWorth> sections_of(const std::vector<JudgedUnit>& units) {
  constexpr std::size_t kLongestTitle = 34;
  std::vector<SectionWorth> out{{}};
  std::string current;
  for (const JudgedUnit& u : units) {
    const std::string_view text = ascii::trimmed(u.unit.text);
    const std::string_view title = text.substr(0, text.find_first_of(":("));
    const bool own_line = text.ends_with(':') && text.size() < kLongestTitle && ascii::is_upper(text.front());
    if (own_line || title == "Agent's last words" || title == "Last error" || title == "Also ran")
      current = std::string(ascii::trimmed(title));
    SectionWorth& section = section_of(out, current);
    section.all += u.tokens;
    if (u.weight >= 0) section.used += u.tokens;
  }
  return out;
}

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

std::array<std::vector<double>, kItemKindCount> weights_of(const Items& items, const NameWeights& weights) {
  std::array<std::vector<double>, kItemKindCount> out;
  for (std::size_t kind = 0; kind < kItemKindCount; ++kind) {
    const auto of = static_cast<ItemKind>(kind);
    const bool names = of == ItemKind::identifier || of == ItemKind::edited_identifier;
    for (const std::string& item : items[kind])
      out[kind].push_back(names ? weights.of(item) : 1);
  }
  return out;
}

bool is_held_out(std::string_view session) { return hash64(session, 5) % 2 == 1; }

namespace {

// Renders recall of names and precision of packs, each also weighted.
std::string worth_table(const std::vector<Row>& rows) {
  std::string out = fmt::format("\n{:<36}{:>7}{:>24}{:>24}{:>24}{:>12}", "", "tokens", "identifiers, weighted",
                                "identifiers+edits, w.", "precision, weighted", "names, bare");
  for (const Row& row : rows) {
    const std::string name = row.budget == 0 ? row.method : fmt::format("{} @{}", row.method, row.budget);
    const Figures& said = row.kinds[static_cast<std::size_t>(ItemKind::identifier)];
    const Figures& edited = row.kinds[static_cast<std::size_t>(ItemKind::edited_identifier)];
    out += fmt::format("\n{:<36}{:>7.0f}", name, row.tokens);
    for (const Figures* f : {&said, &edited})
      out += fmt::format("{:>24}", fmt::format("{:.2f} {:.2f} (micro)", f->weighted_mean, f->weighted_micro));
    out += fmt::format("{:>24}{:>12}", fmt::format("{:.2f} {:.2f}", row.precision, row.weighted_precision),
                       fmt::format("{:.2f} {:.2f}", row.names, row.bare));
  }
  return out + "\n";
}

// Renders, for memd's own packs, the tokens of each section and the share used again.
std::string section_table(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) {
    if (row.method != "resume_context") continue;
    out += fmt::format("\nsections of {} @{}: tokens, precision", row.method, row.budget);
    for (const SectionWorth& s : row.sections)
      out += fmt::format("\n  {:<28}{:>7.0f}{:>7.2f}", s.title.empty() ? "(head)" : s.title, s.all,
                         s.all == 0 ? 0 : s.used / s.all);
  }
  return out + "\n";
}

}  // namespace

std::string tables(const std::vector<Scored>& scored) {
  std::string out;
  for (const Side side : {Side::all, Side::fit, Side::held_out}) {
    std::size_t compactions = 0;
    const auto rows = rows_of(scored, side, compactions);
    if (rows.empty()) continue;
    out += fmt::format("\n{}: {} compactions; of each kind: median mean micro\n{:<36}{:>7}",
                       kSides[static_cast<std::size_t>(side)], compactions, "", "tokens");
    for (std::size_t kind = 0; kind < kItemKindCount; ++kind)
      out += fmt::format("  {:<17}", kItemKinds[kind]);
    out += fmt::format("\n{:<43}", "  compactions / items");
    for (const Figures& f : rows.front().kinds)
      out += fmt::format("  {:<17}", fmt::format("{} / {}", f.compactions, f.items));
    for (const Row& row : rows) {
      const std::string name = row.budget == 0 ? row.method : fmt::format("{} @{}", row.method, row.budget);
      out += fmt::format("\n{:<36}{:>7.0f}", name, row.tokens);
      for (const Figures& f : row.kinds)
        out += f.compactions == 0 ? fmt::format("  {:<17}", "–")
                                  : fmt::format("  {:.2f} {:.2f} {:.2f}   ", f.median, f.mean, f.micro);
      if (row.leaks > 0) out += fmt::format("  {} names of the future", row.leaks);
    }
    out += "\n" + worth_table(rows) + section_table(rows);
  }
  return out;
}

void write_figures(const std::vector<Scored>& scored, const std::filesystem::path& file) {
  std::string text;
  json::Writer w(text);
  w.begin_array();
  for (const Side side : {Side::all, Side::fit, Side::held_out}) {
    std::size_t compactions = 0;
    for (const Row& row : rows_of(scored, side, compactions)) {
      w.begin_object();
      w.member("side", kSides[static_cast<std::size_t>(side)]);
      number(w, "compactions", static_cast<double>(compactions));
      w.member("method", row.method);
      number(w, "max_tokens", static_cast<double>(row.budget));
      number(w, "tokens", row.tokens);
      number(w, "names_of_the_future", static_cast<double>(row.leaks));
      number(w, "precision", row.precision);
      number(w, "weighted_precision", row.weighted_precision);
      number(w, "names", row.names);
      number(w, "bare_names", row.bare);
      for (std::size_t kind = 0; kind < kItemKindCount; ++kind) {
        const Figures& f = row.kinds[kind];
        w.key(kItemKinds[kind]);
        w.begin_object();
        number(w, "median", f.median);
        number(w, "mean", f.mean);
        number(w, "micro", f.micro);
        number(w, "weighted_mean", f.weighted_mean);
        number(w, "weighted_micro", f.weighted_micro);
        number(w, "compactions", static_cast<double>(f.compactions));
        number(w, "items", static_cast<double>(f.items));
        w.end_object();
      }
      w.end_object();
    }
  }
  w.end_array();
  write_text(file, text + "\n");
}

void write_items(const std::vector<Scored>& scored, const std::filesystem::path& file) {
  std::string text;
  for (const Scored& s : scored)
    for (const Score& score : s.scores)
      for (std::size_t kind = 0; kind < kItemKindCount; ++kind)
        for (std::size_t i = 0; i < s.items[kind].size(); ++i) {
          json::Writer w(text);
          w.begin_object();
          w.member("session", s.session);
          number(w, "compaction", static_cast<double>(s.number));
          w.member("side", s.held_out ? "held out" : "fit");
          w.member("method", score.method);
          number(w, "max_tokens", static_cast<double>(score.budget));
          w.member("kind", kItemKinds[kind]);
          w.member("item", s.items[kind][i]);
          number(w, "weight", s.weights[kind][i]);
          w.member_bool("found", score.found[kind][i]);
          w.end_object();
          text += '\n';
        }
  write_text(file, text);
}

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
