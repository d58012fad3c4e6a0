#pragma once

#include <cstddef>

namespace memd::vectors {

// Memory straight from the system and back to it: zeroed, aligned to a page, resident only where it was written.
class PageBuffer {
 public:
  explicit PageBuffer(std::size_t size);  // throws std::bad_alloc
  ~PageBuffer();
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
  std::size_t size_;
};

}  // namespace memd::vectors
