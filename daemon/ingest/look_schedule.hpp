#pragma once

#include "schemas/time.hpp"

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

// The sources to look at, each once, in the order they were added. A source with more to read is added again at the
// back, so that a huge one delays nobody. One thread.
class DirtyRing {
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
  std::deque<const std::string*> order_;  // of these
};

// Sources to look at again at a given time, without a hint. When the clock was set back, all of them are due: no wait
// takes longer than it was meant to. One thread.
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
  TimeMs latest_ = 0;  // that the clock has shown
};

// How long a source that could not be read is left alone, and after how many failures it is quarantined.
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
  // The end of the wait that began when `retry_at` was set, and that a hint cuts to the first delay. One whose
  // beginning is yet to come was set by a clock that was wrong: it has ended.
  TimeMs end_of_wait(TimeMs retry_at, std::uint32_t failures, bool is_hinted, TimeMs now) const {
    const TimeMs length = delay(failures);
    const TimeMs began = retry_at - length;
    return now < began ? now : began + (is_hinted ? std::min(first, length) : length);
  }
};

// When a pass over a source that is changed in place may begin. After a rest it begins at once. While the source keeps
// changing, passes take a fifth of a core at most. A busy source is tried again after a pause that doubles. A pass that
// is put off is kept until it is due.
// A check is a pass that looks at everything; some other pass asked for it. Checks take a fiftieth of a core at most.
// One thread.
class PassSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;

  // The pause after a pass is so many times what the pass took, within these limits.
  struct Pause {
    Duration least{5};
    Duration most{200};
    int times = 4;
  };

  PassSchedule(Pause pause, Pause check_pause, Duration first_retry, Duration longest_retry)
      : pause_(pause), check_pause_(check_pause), first_retry_(first_retry), longest_retry_(longest_retry) {}

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
    Last& last = last_[path];
    last.rested = after(pause_, now, took);
    last.retry = Duration(0);
  }
  void check_ended(const std::string& path, Time now, std::chrono::nanoseconds took) {
    last_[path].checked = after(check_pause_, now, took);
    checks_.erase(path);
  }
  // A check is needed. True: it may be the next pass. Else it is due later.
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
  // A change that was hinted waits. A check waits for none.
  bool has_put_off() const { return !due_.empty(); }
  void clear() { last_.clear(), due_.clear(), checks_.clear(); }

 private:
  struct Last {
    Time rested{};      // not to be passed over before
    Time checked{};     // not to be checked before
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
