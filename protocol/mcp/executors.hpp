#pragma once

#include <functional>

namespace memd::mcp {

using Task = std::function<void()>;

// Where work runs. `to_loop` may be called from any thread and runs tasks of one thread in their order.
struct Executors {
  std::function<void(Task)> to_worker;
  std::function<void(Task)> to_loop;
};

}  // namespace memd::mcp
