#pragma once

#include "schemas/base/result.hpp"
#include "store/reader.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace memd::search {
class DocumentLengths;
class SemanticIndex;
}  // namespace memd::search

namespace memd {

// A pool of at most `capacity` readers of one store, created on demand and kept. Thread-safe. Must outlive its leases.
class ReaderPool {
 public:
  // Lends a reader until it is destroyed; the reader returns to the pool without a watch. Used by one thread at a time.
  class Lease {
   public:
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();
    Reader& operator*() const { return *reader_; }
    Reader* operator->() const { return reader_.get(); }

   private:
    friend class ReaderPool;
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader);
    void give_back() noexcept;

    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  ReaderPool(std::filesystem::path database, std::size_t capacity, std::shared_ptr<search::SemanticIndex> semantic = {},
             std::shared_ptr<search::DocumentLengths> lengths = {});
  ~ReaderPool();

  // Waits for a free reader until `deadline`; returns Errc::unavailable after it.
  Result<Lease> acquire(std::chrono::steady_clock::time_point deadline);
  // Closes idle connections except the most recently used one. Each holds pages of the store and its memory mapping.
  void close_idle();
  Result<Lease> acquire(std::chrono::milliseconds patience) {
    return acquire(std::chrono::steady_clock::now() + patience);
  }
  // Asks one question.
  template <class Query>
  Result<typename Query::Answer> ask(const Query& query) {
    MEMD_TRY_ASSIGN(const auto reader, acquire(std::chrono::seconds(5)));
    return reader->ask(query);
  }

 private:
  const std::filesystem::path database_;
  const std::shared_ptr<search::SemanticIndex> semantic_;
  const std::shared_ptr<search::DocumentLengths> lengths_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Reader>> idle_;  // guarded by mutex_; the last one was used most recently
  std::size_t made_ = 0;                       // guarded by mutex_
};

}  // namespace memd
