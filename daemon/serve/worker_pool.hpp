#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace memd {

// A pool of threads that run posted tasks. Asio's own pool waits forever if the system grants only some of its threads;
// this one ends those that it has. Every thread may post; one thread constructs, stops and destroys.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads);  // throws std::system_error if a thread cannot be created
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void post(std::function<void()> work);

  // Adds a thread in place of one whose task does not end, as long as there are fewer than twice as many as at first.
  // Does nothing if none can be created.
  void add();

  // Waits for running tasks. Tasks that have not begun never run.
  void stop();

 private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  const std::size_t most_;
  std::vector<std::jthread> threads_;
};

}  // namespace memd
