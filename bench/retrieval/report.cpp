#include "bench/retrieval/report.hpp"

#include "bench/statistics.hpp"
#include "schemas/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace memd::bench {
namespace {

constexpr std::size_t kShownDifferences = 2;  // of the first measures; the JSON has all

std::vector<double> of_group(const std::vector<double>& values, const std::vector<std::size_t>& members) {
  std::vector<double> out;
  out.reserve(members.size());
  for (const std::size_t i : members)
    out.push_back(values[i]);
  return out;
}

std::string shown(const Estimate& e) { return fmt::format("{:.3f} [{:.3f} {:.3f}]", e.mean, e.low, e.high); }
std::string shown_difference(const Estimate& e) {
  return fmt::format("{:+.3f} [{:+.3f} {:+.3f}]{}", e.mean, e.low, e.high, e.low > 0 || e.high < 0 ? " *" : "");
}

void write(json::Writer& w, const std::string& name, const Estimate& e) {
  w.key(name);
  w.begin_object();
  w.key("mean");
  w.number(e.mean);
  w.key("low");
  w.number(e.low);
  w.key("high");
  w.number(e.high);
  w.end_object();
}

}  // namespace

void Report::add(const Experiment& experiment) {
  for (const std::string& group : experiment.plan().groups)
    std::fputs(add_group(experiment, group).c_str(), stdout);
  for (const std::string& group : experiment.plan().details)
    add_group(experiment, group);
  std::fflush(stdout);
}

std::string Report::add_group(const Experiment& experiment, const std::string& group) {
  const auto members = experiment.members(group);
  if (members.empty()) return {};
  const auto& plan = experiment.plan();
  const auto& runs = experiment.runs();
  const std::string anchor = runs.contains("lexical") ? "lexical" : "fts5";
  const bool compares = runs.contains(anchor);

  std::string text = fmt::format("\n{}: {} – {} questions\n{:<10}", plan.name, group, members.size(), "");
  for (const Measure& m : plan.measures)
    text += fmt::format("{:<22}", m.name);
  for (std::size_t m = 0; compares && m < std::min(kShownDifferences, plan.measures.size()); ++m)
    text += fmt::format("{:<27}", plan.measures[m].name + " − " + anchor);
  text += "  p50    p95 ms\n";
  if (!experiments_.empty()) experiments_ += ",\n";
  json::Writer w(experiments_);
  w.begin_object();
  w.member("part", plan.name);
  w.member("title", plan.title);
  w.member("group", group);
  w.key("questions");
  w.number(static_cast<std::int64_t>(members.size()));
  if (compares) w.member("differences_to", anchor);
  w.key("methods");
  w.begin_object();
  std::string absent;
  for (const char* method : kMethods) {
    const auto at = runs.find(method);
    // One that did not answer every question cannot be put beside the others.
    if (at == runs.end() || at->second.milliseconds.size() != experiment.questions().size()) {
      absent += (absent.empty() ? "" : ", ") + std::string(method);
      continue;
    }
    const MethodRun& run = at->second;
    std::string differences;
    text += fmt::format("{:<10}", method);
    w.key(method);
    w.begin_object();
    for (std::size_t m = 0; m < plan.measures.size(); ++m) {
      const auto values = of_group(run.values[m], members);
      const Estimate mean = bootstrap_mean(values);
      text += fmt::format("{:<22}", shown(mean));
      write(w, plan.measures[m].name, mean);
      if (!compares) continue;
      if (method == anchor) {
        if (m < kShownDifferences) differences += fmt::format("{:<27}", "");
        continue;
      }
      const Estimate difference = bootstrap_difference(values, of_group(runs.at(anchor).values[m], members));
      if (m < kShownDifferences) differences += fmt::format("{:<27}", shown_difference(difference));
      write(w, plan.measures[m].name + " difference", difference);
    }
    const auto taken = of_group(run.milliseconds, members);
    text += differences + fmt::format("{:>6.2f} {:>6.2f}\n", percentile(taken, 0.5), percentile(taken, 0.95));
    w.key("p50_ms");
    w.number(percentile(taken, 0.5));
    w.key("p95_ms");
    w.number(percentile(taken, 0.95));
    w.end_object();
  }
  w.end_object();
  w.end_object();
  if (!absent.empty() && !plan.memd_only) text += "–         " + absent + "\n";
  return text;
}

void Report::write_json(const std::filesystem::path& file) const {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << "[\n" << experiments_ << "\n]\n";
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace memd::bench
