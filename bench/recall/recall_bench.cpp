// Measures what hooks would have said while agents worked, and how much of it was worth saying: at every edit, every
// command and every failed command in the last third of each Claude Code session of a home, based only on earlier
// history. docs/benchmarks.md states the rules.
//
//   recall_bench --store DIRECTORY --corpus HOME
#include "bench/continuity/name_weights.hpp"
#include "bench/continuity/pack_units.hpp"
#include "bench/continuity/report.hpp"
#include "bench/continuity/used_again.hpp"
#include "daemon/admin/recall_tool.hpp"
#include "store/reader.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace memd::bench;
namespace fs = std::filesystem;
using memd::Recalled;
using memd::RecalledKind;

constexpr std::size_t kWindow = 20;  // number of next records in which use counts

constexpr std::array<std::string_view, 7> kKinds{"decision", "failed attempt", "tests", "failed command",
                                                 "worked",   "met error",      "solved"};
constexpr std::array<std::string_view, 3> kMoments{"before an edit", "before a command", "on an error"};

struct KindStats {
  std::size_t times = 0;
  std::size_t used = 0;
  double tokens = 0;
};

struct Moment {
  std::size_t all = 0;
  std::size_t spoke = 0;
  std::size_t used = 0;  // times that some of the output was used
  std::vector<double> ms;
};

struct Side {
  std::array<Moment, kMoments.size()> moments;
  std::array<KindStats, kKinds.size()> kinds;
};

class Replay {
 public:
  Replay(const fs::path& store, bool show) : reader_(store), show_(show) {}

  void add(const Transcript& transcript) {
    const auto& records = transcript.records;
    Side& side = sides_[is_held_out(transcript.native_id())];
    for (std::size_t i = records.size() * 2 / 3; i < records.size(); ++i) {
      const TranscriptRecord& r = records[i];
      if (r.sidechain) continue;
      for (const ToolUse& use : r.uses) {
        memd::admin::RecallParams params{cwd_of(transcript, i), transcript.native_id(), {}, {}, {}};
        const std::string* path = use.input("file_path");
        const bool edits = use.tool == "Edit" || use.tool == "Write" || use.tool == "MultiEdit";
        if (edits && path != nullptr) params.path = *path;
        const std::string* command = use.tool == "Bash" ? use.input("command") : nullptr;
        if (command != nullptr) params.command = *command;
        if (!params.path.empty()) ask(side, 0, params, transcript, i);
        if (!params.command.empty()) ask(side, 1, params, transcript, i);
      }
      for (const std::string& error : r.errors) {
        memd::admin::RecallParams params{cwd_of(transcript, i), transcript.native_id(), {}, {}, error};
        ask(side, 2, params, transcript, i);
      }
    }
  }

  std::string tables() const {
    std::string out;
    for (const bool held_out : {false, true}) {
      const auto at = sides_.find(held_out);
      if (at == sides_.end()) continue;
      out += fmt::format("\n{}\n{:<18}{:>8}{:>8}{:>8}{:>10}{:>10}\n", held_out ? "held out" : "fit", "", "moments",
                         "speaks", "share", "used", "ms p95");
      for (std::size_t m = 0; m < kMoments.size(); ++m) {
        const Moment& moment = at->second.moments[m];
        out += fmt::format("{:<18}{:>8}{:>8}{:>8.3f}{:>10.2f}{:>10.1f}\n", kMoments[m], moment.all, moment.spoke,
                           share(moment.spoke, moment.all), share(moment.used, moment.spoke), p95(moment.ms));
      }
      out += fmt::format("{:<18}{:>8}{:>8}{:>8}\n", "what it says", "times", "used", "tokens");
      for (std::size_t k = 0; k < kKinds.size(); ++k) {
        const KindStats& stats = at->second.kinds[k];
        out += fmt::format("{:<18}{:>8}{:>8.2f}{:>8.0f}\n", kKinds[k], stats.times, share(stats.used, stats.times),
                           stats.times == 0 ? 0 : stats.tokens / static_cast<double>(stats.times));
      }
    }
    return out;
  }

 private:
  static double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
  static double p95(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 95 / 100);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  std::string cwd_of(const Transcript& transcript, std::size_t record) {
    for (std::size_t i = record + 1; i-- > 0;)
      if (!transcript.records[i].cwd.empty()) return transcript.records[i].cwd;
    return {};
  }

  void ask(Side& side, std::size_t moment, const memd::admin::RecallParams& params, const Transcript& transcript,
           std::size_t record) {
    Moment& m = side.moments[moment];
    ++m.all;
    const auto started = std::chrono::steady_clock::now();
    const auto found = memd::admin::recall_from(reader_, params, transcript.records[record].time);
    m.ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count());
    if (!found) throw std::runtime_error(found.error().message());
    if (found->empty()) return;
    ++m.spoke;
    std::vector<std::size_t> next;
    for (std::size_t i = record + 1; i < transcript.records.size() && next.size() < kWindow; ++i)
      if (!transcript.records[i].sidechain &&
          (transcript.records[i].kind == RecordKind::user || transcript.records[i].kind == RecordKind::assistant))
        next.push_back(i);
    bool any = false;
    for (const Recalled& one : *found) {
      const bool used = is_used(one, transcript, next);
      any = any || used;
      KindStats& stats = side.kinds[static_cast<std::size_t>(one.kind)];
      ++stats.times;
      stats.used += used ? 1 : 0;
      stats.tokens += static_cast<double>(memd::estimate_tokens(one.text));
      if (show_) fmt::print("{} {:<16} {}\n", used ? "+" : "-", kKinds[static_cast<std::size_t>(one.kind)], one.text);
    }
    m.used += any ? 1 : 0;
  }

  // True if the agent runs the command, repeats the sentence, or uses a name or file of it.
  bool is_used(const Recalled& one, const Transcript& transcript, const std::vector<std::size_t>& next) {
    const std::string command = normal_command(one.text);
    Terms names_told;
    add_identifiers(one.text, names_told);
    const auto said = said_in(transcript, next);
    const auto words = subject_words(one.text);
    const bool of_command = one.kind == RecalledKind::worked || one.kind == RecalledKind::test_command ||
                            one.kind == RecalledKind::failed_attempt;
    for (const std::size_t i : next)
      for (const ToolUse& use : transcript.records[i].uses)
        for (const ToolInput& input : use.inputs) {
          const bool is_command = use.tool == "Bash" && input.name == "command";
          if (of_command && is_command &&
              normal_command(input.value).starts_with(command.substr(0, command.find(" 2>"))))
            return true;
          if (of_command) continue;
          for (const std::string& name : names_told)
            if (names(input.value, name)) return true;
          if (one.kind == RecalledKind::solved && input.name == "file_path" &&
              one.text.find(fs::path(input.value).filename().string()) != std::string::npos)
            return true;
        }
    return !of_command && std::any_of(said.begin(), said.end(),
                                      [&](const std::set<std::string>& sentence) { return covers(sentence, words); });
  }

  memd::Reader reader_;
  bool show_;
  std::map<bool, Side> sides_;
};

}  // namespace

int main(int argc, char** argv) {
  fs::path store;
  fs::path corpus;
  bool show = false;
  CLI::App app("What hooks would have said, and what of it was used");
  app.add_option("--store", store, "Data directory of a memd that has read the home")->required();
  app.add_option("--corpus", corpus, "A home with real histories")->required()->check(CLI::ExistingDirectory);
  app.add_flag("--show", show, "Print what is said, + where it was used");
  CLI11_PARSE(app, argc, argv);
  try {
    Replay replay(store / "memd.db", show);
    for (const fs::path& file : main_transcripts(corpus))
      replay.add(read_transcript(file));
    std::fputs(replay.tables().c_str(), stdout);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "recall_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
