#pragma once

#include "daemon/cli/browse/questions.hpp"
#include "schemas/unique_fd.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace memd::cli::browse {

// Asks the store, or the daemon, on a thread of its own, one question at a time: the one that draws the screen never
// waits. A newer question takes the place of an older one, which is ended if it is being asked. ask(), take() and the
// ends of its life are for one thread.
class Asker {
 public:
  // `caller` answers until it breaks; then another one is opened. `settings` must outlive this.
  Asker(const Settings& settings, std::unique_ptr<Caller> caller);
  ~Asker();  // cancels the query in progress
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  void ask(Asked question);
  std::optional<Reply> take();
  // Can be read from when there may be something to take.
  int fd() const { return wake_.get(); }

 private:
  void work();
  Result<Told> answer(const Question& question);
  Result<void> open_again();
  bool is_superseded();

  const Settings& settings_;
  UniqueFd wake_;  // ends of a pipe
  UniqueFd waker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex. The caller is used by the thread alone, but for interrupt().
  std::shared_ptr<Caller> caller_;
  std::optional<Asked> waiting_;
  std::optional<Reply> reply_;
  bool asking_ = false;
  bool over_ = false;
  std::thread thread_;  // last
};

}  // namespace memd::cli::browse
