#pragma once

#include "daemon/cli/browse/questions.hpp"
#include "schemas/base/unique_fd.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace memd::cli::browse {

// Sends the queries of `memd browse` to the daemon, or to the store, from a thread of its own, one at a time, so that
// the drawing thread never waits. A newer question replaces an older one and cancels it if it is in progress. The owner
// uses ask(), take(), the constructor and the destructor from one thread.
class Asker {
 public:
  // `caller` answers until its connection breaks; then another one is opened. `settings` must outlive this.
  Asker(const Settings& settings, std::unique_ptr<Caller> caller);
  ~Asker();  // cancels the query in progress
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  void ask(Asked question);
  std::optional<Reply> take();
  // Returns a file descriptor that becomes readable when take() may have a reply.
  int fd() const { return wake_.get(); }

 private:
  void work();
  Result<Answer> answer(const Question& question);
  Result<void> open_again();
  bool is_superseded();

  const Settings& settings_;
  UniqueFd wake_;   // read end of a pipe
  UniqueFd waker_;  // write end of that pipe
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex. Only the thread uses the caller, except for interrupt().
  std::shared_ptr<Caller> caller_;
  std::optional<Asked> waiting_;
  std::optional<Reply> reply_;
  bool asking_ = false;
  bool over_ = false;
  std::thread thread_;  // declared last: it uses the members above
};

}  // namespace memd::cli::browse
