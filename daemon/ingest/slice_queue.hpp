#pragma once

#include "schemas/source.hpp"
#include "store/write/batch_notes.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace memd {

class Writer;

// Between the reading and the writing thread: bounded, so that reading cannot run ahead of writing. Thread-safe.
class SliceQueue {
 public:
  struct Item {
    std::optional<SourceSlice> slice;        // absent: nothing to write, but commit what is there
    assembly::BatchNotes notes = {};         // of the slice's batch
    std::uint64_t bytes = 0;                 // of the source that the slice accounts for
    bool more_coming = false;                // another item follows at once: a commit can wait for it
    std::uint64_t epoch = 0;                 // of the reader's knowledge; stale items are dropped
    std::function<void(Writer&)> task = {};  // something else that only the writer may do
  };

  explicit SliceQueue(std::size_t capacity) : capacity_(capacity) {}

  bool push(Item item, const std::stop_token& stop);  // waits for room; false when stopped
  std::optional<Item> pop(const std::stop_token& stop);
  // What is done with. The thread that made it frees it when it pushes the next: it has time, and the memory is its
  // own.
  void give_back(Item item);
  void drop_given_back();
  bool empty() const;
  void clear();

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable_any room_;
  std::condition_variable_any filled_;
  std::deque<Item> items_;
  std::vector<Item> given_back_;
};

}  // namespace memd
