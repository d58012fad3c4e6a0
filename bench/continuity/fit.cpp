#include "bench/continuity/fit.hpp"

#include "bench/continuity/report.hpp"
#include "bench/continuity/weight_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace memd::bench {
namespace {

using continuity::Weights;

constexpr double kLeastGain = 0.004;  // some 0.2 of one kind of items at one compaction
constexpr int kPasses = 3;

constexpr std::array<ItemKind, 4> kOfWhole{ItemKind::file, ItemKind::identifier, ItemKind::command_head,
                                           ItemKind::command};
constexpr std::array<ItemKind, 2> kOfComplement{ItemKind::identifier, ItemKind::command_head};
constexpr std::size_t kGoals = kOfWhole.size() + kOfComplement.size();

// Of each goal the share found; negative: the compaction has no such items.
using Shares = std::array<double, kGoals>;

double share(const std::vector<bool>& found) {
  if (found.empty()) return -1;
  return static_cast<double>(std::count(found.begin(), found.end(), true)) / static_cast<double>(found.size());
}

Shares shares_of(const std::vector<Score>& scores) {
  Shares out;
  out.fill(-1);
  for (std::size_t i = 0; i < kOfWhole.size(); ++i)
    out[i] = share(scores.front().found[static_cast<std::size_t>(kOfWhole[i])]);
  if (scores.size() < 2) return out;
  for (std::size_t i = 0; i < kOfComplement.size(); ++i)
    out[kOfWhole.size() + i] = share(scores[1].found[static_cast<std::size_t>(kOfComplement[i])]);
  return out;
}

std::vector<double> values_of(Weights weights) {
  std::vector<double> out;
  for (const Coordinate& c : coordinates())
    out.push_back(c.of(weights));
  return out;
}

// Packs of the same weights are made once.
class Objective {
 public:
  explicit Objective(const std::vector<FitCase>& cases) : cases_(cases) {}

  // The mean over the compactions that count and the kinds of items each of them has.
  double operator()(const Weights& weights, const std::function<bool(const FitCase&)>& counts) {
    std::vector<std::size_t> counted;
    for (std::size_t i = 0; i < cases_.size(); ++i)
      if (counts(cases_[i])) counted.push_back(i);
    return mean_share(weights, counted);
  }
  double mean_share(const Weights& weights, const std::vector<std::size_t>& of) {
    auto& known = known_[values_of(weights)];
    known.resize(cases_.size());
    double sum = 0;
    std::size_t shares = 0;
    for (const std::size_t i : of) {
      if (!known[i]) known[i] = shares_of(score_case(cases_[i], weights, "")), ++packs_;
      for (const double one : *known[i]) {
        if (one < 0) continue;
        sum += one;
        ++shares;
      }
    }
    return shares > 0 ? sum / static_cast<double>(shares) : 1;
  }
  std::size_t packs() const { return packs_; }

  // How much `a` gains over `b`: what lies between of nine in ten draws of as many of the compactions that count.
  std::pair<double, double> gain(const Weights& a, const Weights& b,
                                 const std::function<bool(const FitCase&)>& counts) {
    constexpr std::size_t kDraws = 2000;
    std::vector<std::size_t> counted;
    for (std::size_t i = 0; i < cases_.size(); ++i)
      if (counts(cases_[i])) counted.push_back(i);
    std::mt19937_64 random(1);
    std::vector<double> gains;
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      std::vector<std::size_t> drawn;
      for (std::size_t i = 0; i < counted.size(); ++i)
        drawn.push_back(counted[random() % counted.size()]);
      gains.push_back(mean_share(a, drawn) - mean_share(b, drawn));
    }
    std::sort(gains.begin(), gains.end());
    return {gains[kDraws / 20], gains[kDraws - 1 - kDraws / 20]};
  }

 private:
  const std::vector<FitCase>& cases_;
  std::map<std::vector<double>, std::vector<std::optional<Shares>>> known_;
  std::size_t packs_ = 0;
};

FoundWeights fit(Objective& objective, const std::function<bool(const FitCase&)>& counts) {
  return search_weights(neutral_weights(), coordinates(), kLeastGain, kPasses,
                        [&](const Weights& w) { return objective(w, counts); });
}

std::string in_words(Weights weights) {
  std::string out;
  for (const Coordinate& c : coordinates())
    out += fmt::format("  {} {:.4g}\n", c.name, c.of(weights));
  return out;
}

std::string in_words(const std::vector<Step>& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("  {} {:.4g}: {:.4f}{}\n", step.coordinate, step.value, step.score, step.taken ? "  taken" : "");
  return out;
}

}  // namespace

std::string fit_report(const std::vector<FitCase>& cases, const FitOptions& options) {
  Objective objective(cases);
  const auto on_fit = [](const FitCase& c) { return !c.held_out; };
  const auto on_held_out = [](const FitCase& c) { return c.held_out; };
  const FoundWeights found = fit(objective, on_fit);
  std::string out = "tried, on the half to fit on:\n" + in_words(found.steps) + "found:\n" + in_words(found.weights);

  const std::vector<std::pair<std::string, Weights>> sets{
      {"neutral", neutral_weights()}, {"fitted", found.weights}, {"compiled", Weights{}}};
  std::vector<Scored> scored;
  for (const FitCase& c : cases)
    scored.push_back({c.session, c.number, c.held_out, c.items, {}});
  for (const auto& [name, weights] : sets) {
    out += fmt::format("{}: {:.4f} on the half to fit on, {:.4f} held out\n", name, objective(weights, on_fit),
                       objective(weights, on_held_out));
    const auto [least, most] = objective.gain(weights, Weights{}, on_held_out);
    out += fmt::format("  gain over the compiled ones, held out: {:+.4f} to {:+.4f}\n", least, most);
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (Score& s : score_case(cases[i], weights, name))
        scored[i].scores.push_back(std::move(s));
  }
  std::set<std::string> sessions;
  if (options.leave_one_out)
    for (const FitCase& c : cases)
      sessions.insert(c.session);
  for (const std::string& session : sessions) {
    const FoundWeights without = fit(objective, [&](const FitCase& c) { return c.session != session; });
    out += fmt::format("without {}: {:.4f}\n{}", session, without.score, in_words(without.weights));
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (cases[i].session == session)
        for (Score& s : score_case(cases[i], without.weights, "left out"))
          scored[i].scores.push_back(std::move(s));
    std::fprintf(stderr, "\r%zu packs ", objective.packs());
  }
  return out + tables(scored);
}

}  // namespace memd::bench
