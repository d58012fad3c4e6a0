#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Reads the label files of test/labels and counts how often memd agrees with the labels.
namespace memd::test {

inline std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Calls take(fields) for each line of a label file, except comments and the header line. Throws std::runtime_error if
// the file cannot be read or a line does not have `columns` fields.
template <class Take>
void for_each_label(const std::string& path, std::size_t columns, Take&& take) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  bool named = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = fields_of(line, '\t');
    if (fields.size() != columns) throw std::runtime_error("not a label: " + line);
    if (named) take(fields);
    named = true;
  }
}

struct Share {
  int of = 0;
  int all = 0;

  void count(bool hit) {
    ++all;
    of += hit ? 1 : 0;
  }
  friend Share operator+(const Share& a, const Share& b) { return {a.of + b.of, a.all + b.all}; }
};

// Formats a share with its 95% Wilson interval: "75% 3/4 (30–95)".
inline std::string shown(const Share& share) {
  if (share.all == 0) return "–";
  constexpr double kZ = 1.96;
  const double n = share.all;
  const double p = share.of / n;
  const double middle = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double reach = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n)) / (1 + kZ * kZ / n);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.0f%% %d/%d (%.0f–%.0f)", 100 * p, share.of, share.all,
                100 * std::max(0.0, middle - reach), 100 * std::min(1.0, middle + reach));
  return text.data();
}

}  // namespace memd::test
