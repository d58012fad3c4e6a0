#include "store/search/vectors/page_buffer.hpp"

#include <sys/mman.h>

#include <new>

namespace memd::vectors {

PageBuffer::PageBuffer(std::size_t size)
    : memory_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), size_(size) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
}

PageBuffer::~PageBuffer() { munmap(memory_, size_); }

}  // namespace memd::vectors
