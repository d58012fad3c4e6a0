#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

// Measures of one ranking, between 0 and 1, and what can be said about the mean of many.
namespace memd::bench {

using Keys = std::vector<std::string>;

double recall(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
// Binary gains, discount log2(rank + 1), ideal list cut at k.
double ndcg(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
double hit(const Keys& ranking, const std::set<std::string>& relevant, std::size_t k);
double reciprocal_rank(const Keys& ranking, const std::set<std::string>& relevant);

struct Estimate {
  double mean = 0;
  double low = 0;  // 95% percentile bootstrap over questions, 2,000 resamples, always the same ones
  double high = 0;
};
Estimate bootstrap_mean(const std::vector<double>& values);
// Of the difference a − b, question by question.
Estimate bootstrap_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace memd::bench
