#include "daemon/ingest/slice_queue.hpp"

#include <utility>

namespace memd {

bool SliceQueue::push(Item item, const std::stop_token& stop) {
  std::vector<Item> done;  // freed without the lock
  std::unique_lock lock(mutex_);
  if (!room_.wait(lock, stop, [this] { return items_.size() < capacity_; })) return false;
  items_.push_back(std::move(item));
  done.swap(given_back_);
  lock.unlock();
  filled_.notify_one();
  return true;
}

std::optional<SliceQueue::Item> SliceQueue::pop(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!filled_.wait(lock, stop, [this] { return !items_.empty(); })) return std::nullopt;
  Item item = std::move(items_.front());
  items_.pop_front();
  room_.notify_one();
  return item;
}

void SliceQueue::give_back(Item item) {
  const std::lock_guard lock(mutex_);
  given_back_.push_back(std::move(item));
}

void SliceQueue::drop_given_back() {
  std::vector<Item> done;
  const std::lock_guard lock(mutex_);
  done.swap(given_back_);
}

bool SliceQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return items_.empty();
}

void SliceQueue::clear() {
  const std::lock_guard lock(mutex_);
  items_.clear();
  room_.notify_all();
}

}  // namespace memd
