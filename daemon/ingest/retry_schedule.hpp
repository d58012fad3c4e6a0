#pragma once

#include "schemas/time.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memd {

// Sources to look at again at a time, without a hint. Not thread-safe.
class RetrySchedule {
 public:
  void set(const std::string& path, TimeMs due) {
    cancel(path);
    by_path_[path] = due;
    by_time_.emplace(due, path);
  }
  void cancel(const std::string& path) {
    const auto it = by_path_.find(path);
    if (it == by_path_.end()) return;
    by_time_.erase({it->second, path});
    by_path_.erase(it);
  }
  std::optional<TimeMs> next() const {
    return by_time_.empty() ? std::nullopt : std::optional(by_time_.begin()->first);
  }
  std::vector<std::string> take_due(TimeMs now) {
    std::vector<std::string> due;
    while (!by_time_.empty() && by_time_.begin()->first <= now) {
      due.push_back(by_time_.begin()->second);
      by_path_.erase(due.back());
      by_time_.erase(by_time_.begin());
    }
    return due;
  }
  void clear() { by_path_.clear(), by_time_.clear(); }

 private:
  std::map<std::string, TimeMs> by_path_;
  std::set<std::pair<TimeMs, std::string>> by_time_;
};

// How long to leave a source alone that could not be read, and when it is no accident any more.
struct BackOff {
  TimeMs first = 1000;
  TimeMs longest = 3'600'000;
  std::uint32_t quarantine_after = 5;  // failures in a row

  TimeMs delay(std::uint32_t failures) const {  // after that many failures, 1 or more
    TimeMs out = first;
    for (std::uint32_t i = 1; i < failures && out < longest; ++i)
      out *= 2;
    return std::min(out, longest);
  }
};

}  // namespace memd
