#pragma once

#include "store/enrich/embedding/embedder.hpp"

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace memd::embedding {

// The vectors of the last questions: pages of one search, and agents that ask again, cost a provider nothing.
// One thread at a time.
class QuestionCache {
 public:
  explicit QuestionCache(std::size_t capacity) : capacity_(capacity) {}

  std::optional<Vector> find(const std::string& model, const std::string& question) {
    const auto it = places_.find(key(model, question));
    if (it == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, it->second);
    return it->second->second;
  }

  void put(const std::string& model, const std::string& question, Vector vector) {
    std::string k = key(model, question);
    if (const auto it = places_.find(k); it != places_.end()) {
      it->second->second = std::move(vector);
      return;
    }
    entries_.emplace_front(k, std::move(vector));
    places_.emplace(std::move(k), entries_.begin());
    if (entries_.size() <= capacity_) return;
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }

 private:
  static std::string key(const std::string& model, const std::string& question) { return model + '\n' + question; }

  const std::size_t capacity_;
  std::list<std::pair<std::string, Vector>> entries_;  // the last used first
  std::unordered_map<std::string, std::list<std::pair<std::string, Vector>>::iterator> places_;
};

}  // namespace memd::embedding
