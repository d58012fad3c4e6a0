#pragma once

#include "test/support/line_adapter.hpp"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace memd::test {

// A LineAdapter that throws on sources named "bad…" while `broken` is set. Records the order in which sources were
// opened.
class FaultyAdapter final : public LineAdapter {
 public:
  using LineAdapter::LineAdapter;

  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    const std::string name = std::filesystem::path(source.path).filename().string();
    {
      const std::lock_guard lock(mutex_);
      opened_.push_back(name);
    }
    if (broken.load() && name.starts_with("bad")) throw std::runtime_error("nobody thought of this");
    return LineAdapter::open(source);
  }
  std::vector<std::string> opened() const {
    const std::lock_guard lock(mutex_);
    return opened_;
  }

  std::atomic<bool> broken{false};

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::string> opened_;
};

}  // namespace memd::test
