#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace memd {

// Threads that run what is posted. Asio's own pool waits for ever when the system gives it some of its
// threads and then no more; this one ends those that it has. Every thread may post; one constructs, stops and destroys.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads);  // throws std::system_error if the system gives no thread
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void post(std::function<void()> work);

  // Waits for what runs; what has not begun does not run.
  void stop();

 private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::jthread> threads_;
};

}  // namespace memd
