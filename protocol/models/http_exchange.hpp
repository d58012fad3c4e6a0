#pragma once

#include "protocol/models/http_client.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>

namespace memd::http {

// One request and its answer, on the loop's thread; keeps itself alive until it has told the outcome.
class Exchange {
 public:
  using Done = std::function<void(Result<Response>)>;
  virtual ~Exchange() = default;

  // From any thread. `done` is called once, on the loop's thread.
  static std::shared_ptr<Exchange> begin(boost::asio::io_context& loop, const Request& request, Done done);
  virtual void abort() = 0;  // on the loop's thread; the outcome is an error soon after
};

}  // namespace memd::http
