#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_set>

namespace memd {

// The sources to look at, each once, served in turn: a source with more to read goes to the back, so that a huge one
// delays nobody. Not thread-safe.
class DirtyRing {
 public:
  void add(const std::string& path) {
    if (members_.insert(path).second) order_.push_back(path);
  }
  std::optional<std::string> take() {
    if (order_.empty()) return std::nullopt;
    std::string path = std::move(order_.front());
    order_.pop_front();
    members_.erase(path);
    return path;
  }
  bool empty() const { return order_.empty(); }
  std::size_t size() const { return order_.size(); }
  void clear() { order_.clear(), members_.clear(); }

 private:
  std::deque<std::string> order_;
  std::unordered_set<std::string> members_;
};

}  // namespace memd
