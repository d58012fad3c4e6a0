#pragma once

#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/input_rounds.hpp"
#include "schemas/language_model.hpp"

#include <boost/json/fwd.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The client's own model, in both eras: a LanguageModel whose complete() asks the client.
namespace memd::mcp {

inline constexpr std::string_view kClientModelName = "client";
inline constexpr std::string_view kCreateMessage = "sampling/createMessage";

// The params of sampling/createMessage, as JSON text.
std::string sampling_params(const CompletionRequest& request);
// Errc::protocol for what is no answer, or one without text.
Result<Completion> read_sampling_result(const boost::json::value& result);

// Legacy: the client is asked while the call runs, and the worker waits.
class SamplingModel final : public LanguageModel {
 public:
  // At most `max_waits` calls that share `waits` may wait at once.
  SamplingModel(ClientRequests& client, std::atomic<std::size_t>& waits, std::size_t max_waits,
                std::chrono::milliseconds patience)
      : client_(client), waits_(waits), max_waits_(max_waits), patience_(patience) {}

  std::string name() const override { return std::string(kClientModelName); }
  // Besides: Errc::busy when too many calls wait for their clients already.
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token stop) override;

 private:
  ClientRequests& client_;
  std::atomic<std::size_t>& waits_;
  const std::size_t max_waits_;
  const std::chrono::milliseconds patience_;
};

// Stateless era: what is not answered yet is noted, and the call ends with Errc::input_required. A request is known by
// its content, so the answers fit when the handler runs again.
class InputRoundModel final : public LanguageModel {
 public:
  explicit InputRoundModel(InputRound earlier) : round_(std::move(earlier)) {}

  // The answers that came with the call, an object by key. What was not asked is left out.
  void take(const boost::json::value& responses);

  std::string name() const override { return std::string(kClientModelName); }
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token stop) override;

  // What is to be asked, as the members of `inputRequests`: key and request as JSON text. After the handler.
  const std::vector<std::pair<std::string, std::string>>& open() const { return open_; }
  // To be kept for the next round. After the handler.
  InputRound next_round() &&;

 private:
  std::mutex mutex_;
  InputRound round_;
  std::map<std::string, Error> failures_;                  // by key
  std::vector<std::pair<std::string, std::string>> open_;  // in the order they were asked
};

}  // namespace memd::mcp
