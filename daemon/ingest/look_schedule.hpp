#pragma once

#include "schemas/base/timestamp.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memd {

// A queue of the sources to look at, without duplicates, in the order they were added. A source with more to read is
// added again at the back, so a huge one delays no other. One thread.
class DirtyQueue {
 public:
  void add(const std::string& path) {
    const auto [it, is_new] = members_.insert(path);
    if (is_new) order_.push_back(&*it);
  }
  std::optional<std::string> take() {
    if (order_.empty()) return std::nullopt;
    auto node = members_.extract(*order_.front());
    order_.pop_front();
    return std::move(node.value());
  }
  bool contains(const std::string& path) const { return members_.contains(path); }
  bool empty() const { return order_.empty(); }
  std::size_t size() const { return order_.size(); }
  void clear() { order_.clear(), members_.clear(); }

 private:
  std::unordered_set<std::string> members_;
  std::deque<const std::string*> order_;  // points into members_
};

// Sources to look at again at a given time, without a hint. When the clock was set back, all are due, so that no wait
// exceeds its intended length. One thread.
class RetrySchedule {
 public:
  void set(const std::string& path, TimeMs due, TimeMs now) {
    cancel(path);
    by_path_[path] = due;
    by_time_.emplace(due, path);
    latest_ = std::max(latest_, now);
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
    const bool went_back = now < latest_;
    latest_ = now;
    while (!by_time_.empty() && (went_back || by_time_.begin()->first <= now)) {
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
  TimeMs latest_ = 0;  // time seen on the clock
};

// The wait before a failed source is read again, and the number of failures that quarantines it.
struct BackOff {
  TimeMs first = 1000;
  TimeMs longest = 3'600'000;
  std::uint32_t quarantine_after = 5;  // failures in a row

  TimeMs delay(std::uint32_t failures) const {  // after `failures` failures, 1 or more
    TimeMs out = first;
    for (std::uint32_t i = 1; i < failures && out < longest; ++i)
      out *= 2;
    return std::min(out, longest);
  }
  // Returns the end of the wait that ends at `retry_at` without a hint; a hint cuts it to the first delay. A wait that
  // begins in the future was set by a wrong clock and counts as over.
  TimeMs end_of_wait(TimeMs retry_at, std::uint32_t failures, bool is_hinted, TimeMs now) const {
    const TimeMs length = delay(failures);
    const TimeMs began = retry_at - length;
    return now < began ? now : began + (is_hinted ? std::min(first, length) : length);
  }
};

// Decides when a pass over a source that is changed in place may begin. After a rest it begins at once. While the
// source keeps changing, passes use a fifth of a core at most. A busy source is retried after a pause that doubles. A
// delayed pass stays scheduled until it is due.
// A check is a pass over everything, requested by an earlier pass. Checks use a fiftieth of a core at most. One thread.
class PassSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;

  // The pause after a pass: `times` the duration of the pass, within these limits.
  struct Pause {
    Duration least{5};
    Duration most{200};
    int times = 4;
  };

  PassSchedule(Pause pause, Pause check_pause, Duration first_retry, Duration longest_retry)
      : pause_(pause), check_pause_(check_pause), first_retry_(first_retry), longest_retry_(longest_retry) {}

  // Whether a pass may begin now. If not, it is scheduled.
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
    Last& last = last_[path];
    last.rested = after(pause_, now, took);
    last.retry = Duration(0);
  }
  void check_ended(const std::string& path, Time now, std::chrono::nanoseconds took) {
    last_[path].checked = after(check_pause_, now, took);
    checks_.erase(path);
  }
  // Requests a check. True: the next pass may be one. False: it is scheduled.
  bool may_check(const std::string& path, Time now) {
    const Time checked = last_[path].checked;
    if (checked > now) checks_.try_emplace(path, checked);
    return checked <= now;
  }
  void again(const std::string& path) { due_.try_emplace(path, last_[path].rested); }
  void busy(const std::string& path, Time now) {
    Last& last = last_[path];
    last.retry = std::clamp(last.retry * 2, first_retry_, longest_retry_);
    due_[path] = now + last.retry;
  }

  std::vector<std::string> take_due(Time now) {
    std::vector<std::string> out;
    const auto take = [&](const auto& entry) {
      if (entry.second > now) return false;
      out.push_back(entry.first);
      return true;
    };
    std::erase_if(due_, take);
    std::erase_if(checks_, take);
    return out;
  }
  std::optional<Time> next() const {
    std::optional<Time> first;
    for (const auto* waiting : {&due_, &checks_})
      for (const auto& [path, time] : *waiting)
        if (!first || time < *first) first = time;
    return first;
  }
  // Whether a hinted change waits for its pass. A waiting check does not count: no change was hinted for it.
  bool has_put_off() const { return !due_.empty(); }
  void clear() { last_.clear(), due_.clear(), checks_.clear(); }

 private:
  struct Last {
    Time rested{};      // no pass before this time
    Time checked{};     // no check before this time
    Duration retry{0};  // the pause before the latest retry, while it is busy
  };
  static Time after(const Pause& pause, Time now, std::chrono::nanoseconds took) {
    return now + std::chrono::ceil<Duration>(
                     std::clamp<std::chrono::nanoseconds>(pause.times * took, pause.least, pause.most));
  }
  const Pause pause_;
  const Pause check_pause_;
  const Duration first_retry_;
  const Duration longest_retry_;
  std::map<std::string, Last> last_;
  std::map<std::string, Time> due_;
  std::map<std::string, Time> checks_;
};

}  // namespace memd
