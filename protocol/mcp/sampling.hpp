#pragma once

#include "protocol/mcp/client_requests.hpp"
#include "schemas/error.hpp"
#include "schemas/language_model.hpp"
#include "schemas/time.hpp"

#include <boost/json/fwd.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The client's own model, in both eras: a LanguageModel whose complete() asks the client.
namespace memd::mcp {

// The state of a call that ended with resultType input_required.
struct InputRound {
  std::string question;                       // whose round it is: question_digest()
  std::map<std::string, Completion> answers;  // of this round and those before, by key
  std::set<std::string> asked;                // keys that were sent and not answered yet
};

// Digest of a tool and its arguments, whatever their order.
std::string question_digest(std::string_view tool, const boost::json::object& arguments);

// Keeps the rounds whose clients were given a `requestState`. The state is a random number, so a client cannot forge
// one. Belongs to the process, not to a connection: the stateless era has none. Thread-safe. Borrows the clock.
class InputRounds {
 public:
  struct Limits {
    std::size_t rounds = 64;
    std::size_t bytes = 16U << 20;  // of the answers
    TimeMs age_ms = 3'600'000;
  };
  explicit InputRounds(const Clock& clock) : InputRounds(clock, Limits()) {}
  InputRounds(const Clock& clock, Limits limits) : clock_(clock), limits_(limits) {}

  // Errc::invalid_argument: there is no such round, it is too old, or it belongs to another question.
  Result<InputRound> find(std::string_view state, std::string_view question) const;
  // Returns the state. Drops the oldest rounds when there is no room.
  std::string keep(InputRound round);
  void forget(std::string_view state);

 private:
  struct Kept {
    std::string state;
    InputRound round;
    TimeMs since = 0;
    std::size_t bytes = 0;
  };
  void drop_oldest();

  const Clock& clock_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // oldest first
  std::size_t bytes_ = 0;
};

inline constexpr std::string_view kClientModelName = "client";
inline constexpr std::string_view kCreateMessage = "sampling/createMessage";

// The params of sampling/createMessage, as JSON text.
std::string sampling_params(const CompletionRequest& request);
// Errc::protocol for what is no answer, or one without text.
Result<Completion> read_sampling_result(const boost::json::value& result);

// Legacy era: asks the client while the call runs; the worker waits. Borrows everything.
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

// Stateless era: notes the requests that are not answered yet and ends the call with Errc::input_required. A request is
// known by a digest of its content, so its answer is found when the handler runs again. complete() is thread-safe.
class InputRoundModel final : public LanguageModel {
 public:
  explicit InputRoundModel(InputRound earlier) : round_(std::move(earlier)) {}

  // Takes the answers that came with the call: an object by key. Ignores answers to what was not asked.
  void take(const boost::json::value& responses);

  std::string name() const override { return std::string(kClientModelName); }
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token stop) override;

  // What the client is to be asked: the members of `inputRequests`, key and JSON text. Call it after the handler.
  const std::vector<std::pair<std::string, std::string>>& open() const { return open_; }
  // What to keep for the next round. Call it after the handler.
  InputRound next_round() &&;

 private:
  std::mutex mutex_;
  InputRound round_;
  std::map<std::string, Error> failures_;                  // by key
  std::vector<std::pair<std::string, std::string>> open_;  // in the order they were asked
};

}  // namespace memd::mcp
