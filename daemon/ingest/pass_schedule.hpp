#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memd {

// When sources that are changed in place are passed over: at once after a rest; while one keeps changing, so seldom
// that reading it takes a fifth of a core at most; and again a little later each time it turned out busy. What is put
// off is never forgotten. Not thread-safe.
class PassSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;

  // The pause after a pass is four times what the pass took, within these limits.
  struct Pause {
    Duration least{5};
    Duration most{200};
  };

  PassSchedule(Pause pause, Duration first_retry, Duration longest_retry)
      : pause_(pause), first_retry_(first_retry), longest_retry_(longest_retry) {}

  // Whether a pass may begin now; if not, it is due later.
  bool may_begin(const std::string& path, Time now) {
    const auto it = last_.find(path);
    if (it == last_.end() || it->second.rested <= now) {
      due_.erase(path);
      return true;
    }
    due_.try_emplace(path, it->second.rested);
    return false;
  }
  void ended(const std::string& path, Time now, std::chrono::nanoseconds took) {
    const auto pause = std::clamp<std::chrono::nanoseconds>(4 * took, pause_.least, pause_.most);
    last_[path] = {now + std::chrono::ceil<Duration>(pause), Duration(0)};
  }
  void again(const std::string& path) { due_.try_emplace(path, last_[path].rested); }
  void busy(const std::string& path, Time now) {
    Last& last = last_[path];
    last.retry = std::clamp(last.retry * 2, first_retry_, longest_retry_);
    due_[path] = now + last.retry;
  }

  std::vector<std::string> take_due(Time now) {
    std::vector<std::string> out;
    std::erase_if(due_, [&](const auto& entry) {
      if (entry.second > now) return false;
      out.push_back(entry.first);
      return true;
    });
    return out;
  }
  std::optional<Time> next() const {
    if (due_.empty()) return std::nullopt;
    return std::min_element(due_.begin(), due_.end(), [](auto& a, auto& b) { return a.second < b.second; })->second;
  }
  void forget(const std::string& path) { last_.erase(path), due_.erase(path); }
  void clear() { last_.clear(), due_.clear(); }

 private:
  struct Last {
    Time rested{};      // not to be passed over before
    Duration retry{0};  // the pause before the latest retry, while it is busy
  };
  const Pause pause_;
  const Duration first_retry_;
  const Duration longest_retry_;
  std::map<std::string, Last> last_;
  std::map<std::string, Time> due_;
};

}  // namespace memd
