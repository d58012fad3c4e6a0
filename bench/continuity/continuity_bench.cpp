// Measures the loss at compaction and how much memd restores. For every compaction of a home's Claude Code transcripts,
// packs are made of the earlier history alone and scored by what the agent used again afterwards.
// docs/benchmark-details.md states the rules.
//
//   continuity_bench --memd MEMD --corpus HOME [--json FILE] [--dump FILE] [--packs DIRECTORY]
#include "bench/continuity/corpus_prefix.hpp"
#include "bench/continuity/name_weights.hpp"
#include "bench/continuity/report.hpp"
#include "bench/continuity/transcript.hpp"
#include "bench/served_memd.hpp"
#include "schemas/ascii.hpp"
#include "schemas/ids.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace memd::bench;
namespace fs = std::filesystem;

const std::vector<std::size_t> kBudgets{1000, 2000, 4000};
const std::vector<std::size_t> kComplements{1000};

struct Options {
  fs::path memd;
  fs::path corpus;
  fs::path json;
  fs::path dump;
  fs::path packs;
  std::size_t window = 50;
  std::size_t limit = 0;
  bool cuts = false;
};

// A pack that a memd tool returned for a session at a compaction.
struct Pack {
  std::string method;
  std::size_t budget = 0;
  bool beside_summary = false;  // made to complement the platform's summary
  std::string text;             // `content`
};

constexpr std::string_view kResume = "resume_context";
constexpr std::string_view kRecent = "recent_turns";

class PackTools {
 public:
  PackTools(const std::string& socket, std::string session) : client_(socket, "bench"), session_(std::move(session)) {
    const boost::json::value listed = client_.call("tools/list", {});
    for (const auto& tool : listed.at("tools").as_array())
      if (tool.at("name").as_string() == kResume) {
        has_resume_ = true;
        takes_complement_ = tool.at("inputSchema").at("properties").as_object().contains("complement");
      }
  }

  bool has_resume() const { return has_resume_; }

  std::string recent_turns(std::size_t tokens) { return ask(kRecent, {{"n_turns", 100}}, tokens); }
  std::string resume(std::size_t tokens) { return ask(kResume, {}, tokens); }
  std::string complement(std::size_t tokens) {
    boost::json::object arguments;
    if (takes_complement_) arguments["complement"] = "always";
    return ask(kResume, std::move(arguments), tokens);
  }

 private:
  std::string ask(std::string_view tool, boost::json::object arguments, std::size_t tokens) {
    arguments["session_id"] = session_;
    arguments["max_tokens"] = tokens;
    const boost::json::value result = client_.call_tool(tool, std::move(arguments));
    const auto* error = result.as_object().if_contains("isError");
    std::string text(result.at("content").at(0).at("text").as_string());
    if (error != nullptr && error->is_bool() && error->get_bool())
      throw std::runtime_error(std::string(tool) + " of " + session_ + ": " + text);
    return text;
  }

  RpcClient client_;
  std::string session_;
  bool has_resume_ = false;
  bool takes_complement_ = false;
};

// Requests packs of each size while the home holds only the history before the compaction. Then appends the boundary
// and the platform's summary and requests the complement of `complement_tokens`. Leaves out resume_context if this memd
// has none. Throws std::runtime_error.
std::vector<Pack> memory_packs(ServedHome& served, CorpusPrefix& prefix, const Transcript& transcript,
                               const Compaction& compaction, const std::vector<std::size_t>& budgets,
                               const std::vector<std::size_t>& complement_tokens) {
  std::vector<Pack> out;
  prefix.grow(transcript, compaction.boundary, transcript.records[compaction.boundary].time);
  served.wait_until_indexed();
  PackTools tools(served.socket(), memd::make_session_uid(memd::Platform::claude_code, transcript.native_id()));
  for (const std::size_t tokens : budgets) {
    out.push_back({std::string(kRecent), tokens, false, tools.recent_turns(tokens)});
    if (tools.has_resume()) out.push_back({std::string(kResume), tokens, false, tools.resume(tokens)});
  }
  if (compaction.platform_summary.empty()) return out;
  prefix.append(transcript, compaction.resumed);
  served.wait_until_indexed();
  for (const std::size_t tokens : complement_tokens) {
    out.push_back({std::string(kRecent), tokens, true, tools.recent_turns(tokens)});
    if (tools.has_resume()) out.push_back({std::string(kResume), tokens, true, tools.complement(tokens)});
  }
  return out;
}

class Judge {
 public:
  Judge(const Options& options, const NameWeights& weights, const Transcript& transcript, const Compaction& compaction,
        std::size_t number)
      : options_(options),
        weights_(weights),
        compaction_(compaction),
        known_(read_known(transcript, compaction.boundary)),
        future_(unknown_before(
            transcript, compaction.next_used,
            std::string_view(transcript.bytes).substr(0, transcript.records[compaction.boundary].begin))),
        said_after_(said_in(transcript, compaction.next_used)) {
    scored_.session = transcript.native_id();
    scored_.number = number;
    scored_.held_out = is_held_out(scored_.session);
    scored_.items = used_again(transcript, compaction.next_used, known_);
    scored_.weights = weights_of(scored_.items, weights_);
    if (!options.packs.empty()) write_around(transcript);
  }

  const Known& known() const { return known_; }
  const Items& items() const { return scored_.items; }

  void add(const std::string& method, std::size_t budget, const std::string& text) {
    std::vector<JudgedUnit> units;
    Score score{method,
                budget,
                memd::estimate_tokens(text),
                find_items(text, scored_.items, known_),
                worth_of(text, scored_.items, known_, weights_, said_after_, &units),
                0,
                {}};
    score.sections = sections_of(units);
    for (const std::string& name : future_)
      // The platform's summary comes from the agent itself, after the boundary, so its names are not leaks.
      if (names(text, name) && !names(compaction_.platform_summary, name)) ++score.leaks;
    scored_.scores.push_back(std::move(score));
    if (options_.packs.empty()) return;
    fs::create_directories(options_.packs);
    const std::string name = fmt::format("{}.{} {}@{}", scored_.session, scored_.number, method, budget);
    std::ofstream(options_.packs / (name + ".txt")) << text;
    std::ofstream judged(options_.packs / (name + ".judged.txt"));
    for (const JudgedUnit& u : units)
      judged << fmt::format("{:3.0f} {:5.2f}{} {}\n", u.tokens, u.weight, u.weight < 0 ? " -" : " +",
                            memd::ascii::one_line(u.unit.text));
  }

  Scored take() { return std::move(scored_); }

 private:
  // Writes the half and the context for a reader who judges lines: the last prompts and what came next.
  void write_around(const Transcript& transcript) const {
    constexpr std::size_t kBefore = 3;
    constexpr std::size_t kAfter = 4;
    constexpr std::size_t kBytes = 400;
    std::vector<std::string> before;
    for (std::size_t i = 0; i < compaction_.boundary; ++i)
      if (const TranscriptRecord& r = transcript.records[i]; r.human) before.push_back(r.texts.front());
    if (before.size() > kBefore) before.erase(before.begin(), before.end() - kBefore);
    std::vector<std::string> after;
    for (const std::size_t i : compaction_.next_used)
      for (const std::string& text : transcript.records[i].texts)
        if (after.size() < kAfter) after.push_back(text);
    fs::create_directories(options_.packs);
    std::ofstream out(options_.packs / fmt::format("{}.{}.around.txt", scored_.session, scored_.number));
    out << (scored_.held_out ? "held" : "dev") << '\n';
    for (const std::string& text : before)
      out << "before: " << memd::ascii::one_line(memd::utf8_prefix(text, kBytes)) << '\n';
    for (const std::string& text : after)
      out << "after: " << memd::ascii::one_line(memd::utf8_prefix(text, kBytes)) << '\n';
  }

  const Options& options_;
  const NameWeights& weights_;
  const Compaction& compaction_;
  Known known_;
  Terms future_;
  std::vector<std::set<std::string>> said_after_;
  Scored scored_;
};

// The state shared by all compactions; it grows with them.
struct Stage {
  const Options& options;
  const NameWeights& weights;
  ServedHome& served;
  CorpusPrefix& prefix;
};

Scored judge(Stage& stage, const Transcript& transcript, const Compaction& compaction, std::size_t number) {
  Judge judge(stage.options, stage.weights, transcript, compaction, number);
  const std::string& summary = compaction.platform_summary;
  if (!summary.empty()) judge.add("platform's summary", 0, summary);
  for (const std::size_t tokens : kBudgets) {
    judge.add("random items", tokens, item_pack(judge.known(), Order::random, tokens));
    judge.add("frequent items", tokens, item_pack(judge.known(), Order::frequent, tokens));
    judge.add("recent items", tokens, item_pack(judge.known(), Order::recent, tokens));
    judge.add("tail", tokens, tail_pack(transcript, compaction.boundary, tokens));
    judge.add("oracle", tokens, oracle_pack(judge.items(), judge.known(), tokens));
  }
  for (const Pack& pack : memory_packs(stage.served, stage.prefix, transcript, compaction, kBudgets, kComplements))
    judge.add(pack.beside_summary ? "summary + " + pack.method : pack.method, pack.budget,
              pack.beside_summary ? summary + "\n" + pack.text : pack.text);
  if (!summary.empty())
    for (const std::size_t tokens : kComplements)
      judge.add("summary + recent items", tokens, summary + "\n" + item_pack(judge.known(), Order::recent, tokens));
  return judge.take();
}

// A compaction of one of the transcripts.
struct Place {
  const Transcript* transcript = nullptr;
  Compaction compaction;
  std::size_t number = 0;
};

void run(const Options& options) {
  std::deque<Transcript> transcripts;
  std::vector<Place> places;
  for (const fs::path& file : options.cuts ? main_transcripts(options.corpus) : compacted_transcripts(options.corpus)) {
    const Transcript& transcript = transcripts.emplace_back(read_transcript(file));
    std::size_t number = 0;
    for (Compaction& compaction :
         options.cuts ? cuts(transcript, options.window) : compactions(transcript, options.window))
      places.push_back({&transcript, std::move(compaction), ++number});
  }
  // By time, so that the home grows as the real one did.
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.transcript->records[a.compaction.boundary].time < b.transcript->records[b.compaction.boundary].time;
  });
  if (options.limit > 0 && places.size() > options.limit) places.resize(options.limit);
  const NameWeights weights = weigh_names(options.corpus);
  ServedHome served(options.memd, [](const fs::path&) {});
  CorpusPrefix prefix(options.corpus, served.home());
  Stage stage{options, weights, served, prefix};
  std::vector<Scored> scored;
  for (const Place& place : places) {
    scored.push_back(judge(stage, *place.transcript, place.compaction, place.number));
    fmt::print(stderr, "\r{} compactions ", scored.size());
  }
  std::fputs("\n", stderr);
  std::fputs(tables(scored).c_str(), stdout);
  if (!options.json.empty()) write_figures(scored, options.json);
  if (!options.dump.empty()) write_items(scored, options.dump);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What an agent gets back after a compaction");
  app.add_option("--memd", options.memd, "The memd binary that makes the packs")->required()->check(CLI::ExistingFile);
  app.add_option("--corpus", options.corpus, "A home with real histories")->required()->check(CLI::ExistingDirectory);
  app.add_option("--window", options.window, "So many user and assistant records after a compaction count");
  app.add_option("--limit", options.limit, "Only the first compactions");
  app.add_flag("--cuts", options.cuts, "Cut sessions where a person speaks, instead of at their compactions");
  app.add_option("--json", options.json, "Write the figures here, too");
  app.add_option("--dump", options.dump, "Write every item, found or not: JSON lines");
  app.add_option("--packs", options.packs,
                 "Write every pack, and how each of its units was judged, into this directory");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "continuity_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
