#pragma once

#include "store/enrich/embedding/embedder.hpp"

#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// An in-process embedder whose vectors count letters, so texts with the same letters are close. Thread-safe.
class LettersEmbedder final : public embedding::Embedder {
 public:
  explicit LettersEmbedder(std::string name, int dimension = 8) : name_(std::move(name)), dimension_(dimension) {}

  embedding::ModelId model() const override { return {name_, dimension_}; }
  Result<std::vector<embedding::Vector>> embed(std::span<const std::string_view> given, embedding::Purpose,
                                               std::stop_token) override {
    const std::lock_guard lock(mutex_);
    if (failure_) return *failure_;
    std::vector<embedding::Vector> out;
    for (const auto text : given) {
      texts_.emplace_back(text);
      out.push_back(vector_of(text));
    }
    return out;
  }

  embedding::Vector vector_of(std::string_view text) const {
    embedding::Vector v(static_cast<std::size_t>(dimension_), 0.01F);
    for (const char c : text)
      v[static_cast<unsigned char>(c) % v.size()] += 1;
    double squares = 0;
    for (const float x : v)
      squares += static_cast<double>(x) * static_cast<double>(x);
    for (float& x : v)
      x = static_cast<float>(static_cast<double>(x) / std::sqrt(squares));
    return v;
  }

  void fail(std::optional<Error> failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }
  std::vector<std::string> texts() const {  // embedded so far
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  const std::string name_;
  const int dimension_;
  mutable std::mutex mutex_;
  std::optional<Error> failure_;    // guarded by mutex_
  std::vector<std::string> texts_;  // guarded by mutex_
};

}  // namespace memd::test
