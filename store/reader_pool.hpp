#pragma once

#include "store/reader.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace memd {

// At most `capacity` readers of one store, made when first needed and kept. Thread-safe. Must outlive its leases.
class ReaderPool {
 public:
  // A reader for as long as it lives; goes back unwatched. Belongs to one thread at a time.
  class Lease {
   public:
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();
    Reader& operator*() const { return *reader_; }
    Reader* operator->() const { return reader_.get(); }

   private:
    friend class ReaderPool;
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader) : pool_(&pool), reader_(std::move(reader)) {}
    void give_back() noexcept;

    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  ReaderPool(std::filesystem::path database, std::size_t capacity, std::shared_ptr<search::SemanticIndex> semantic = {},
             std::shared_ptr<search::DocumentLengths> lengths = {});

  // Waits for a free reader until `deadline`; then Errc::unavailable.
  Result<Lease> acquire(std::chrono::steady_clock::time_point deadline);
  Result<Lease> acquire(std::chrono::milliseconds patience) {
    return acquire(std::chrono::steady_clock::now() + patience);
  }

 private:
  const std::filesystem::path database_;
  const std::shared_ptr<search::SemanticIndex> semantic_;
  const std::shared_ptr<search::DocumentLengths> lengths_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Reader>> idle_;  // guarded by mutex_; the last one is the warmest
  std::size_t made_ = 0;                       // guarded by mutex_
};

}  // namespace memd
