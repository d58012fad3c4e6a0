#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace memd {

// Rings when one of the files or directories that it hears changes, so that a watcher that looks at intervals looks
// earlier. May miss changes. Loop thread only. After stop() the loop has to run out of work before it is destroyed.
class ChangeBell {
 public:
  virtual ~ChangeBell() = default;
  virtual void start(std::function<void()> rang) = 0;
  // Replaces what it hears. Where the system allows fewer, the last ones are left out.
  virtual void hear(const std::vector<std::filesystem::path>& paths) = 0;
  virtual void stop() = 0;
};

}  // namespace memd
