#pragma once

#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/language_model.hpp"

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

// Requests to the client, in both eras: LanguageModels whose complete() asks the client's model, and ClientPersons
// whose confirm() asks its user.
namespace memd::mcp {

// The state of a call that ended with resultType input_required.
struct InputRound {
  std::string question;                       // question_digest() of the call
  std::map<std::string, Completion> answers;  // of this round and those before, by key
  std::map<std::string, Consent> consents;    // likewise
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

  // Fails with Errc::invalid_argument when the round does not exist, is too old or belongs to another question.
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

// Returns the params of sampling/createMessage as JSON text.
std::string sampling_params(const CompletionRequest& request);
// Fails with Errc::protocol when `result` is no completion or has no text.
Result<Completion> read_sampling_result(const boost::json::value& result);

inline constexpr std::string_view kCreateElicitation = "elicitation/create";
// Returns the params of elicitation/create for a yes-or-no question as JSON text.
std::string elicitation_params(std::string_view question);
// Fails with Errc::protocol when `result` is no elicitation result.
Result<Consent> read_elicitation_result(const boost::json::value& result);

// Blocking requests of a worker to its client in the legacy era. At most `max_waits` calls that share `waits` may wait
// at once. Borrows both.
struct ClientWait {
  ClientRequests& client;
  std::atomic<std::size_t>& waits;
  std::size_t max_waits;
  std::chrono::milliseconds patience;

  // Like ClientRequests::ask(), but fails with Errc::busy when too many calls already wait for their clients.
  Result<std::vector<boost::json::value>> ask(std::string_view method, std::vector<std::string> params,
                                              std::stop_token stop);
};

// The client's model in the legacy era. Sends requests while the call runs; the worker waits. Borrows `wait`.
class SamplingModel final : public LanguageModel {
 public:
  explicit SamplingModel(ClientWait& wait) : wait_(wait) {}

  std::string name() const override { return std::string(kClientModelName); }
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token stop) override;

 private:
  ClientWait& wait_;
};

// Elicitation in the legacy era. Waits and borrows like SamplingModel.
class LegacyElicitation final : public Elicitation {
 public:
  explicit LegacyElicitation(ClientWait& wait) : wait_(wait) {}
  Result<Consent> confirm(const std::string& question, std::stop_token stop) override;

 private:
  ClientWait& wait_;
};

// The client's model and user in the stateless era. Records a request that has no answer yet and fails with
// Errc::input_required, which the handler returns as its error. A request is identified by a digest of its content, so
// its answer is found when the handler runs again. An answer that cannot be read becomes the error of its request.
// complete() and confirm() are thread-safe.
class InputRoundClient final : public LanguageModel, public Elicitation {
 public:
  explicit InputRoundClient(InputRound earlier) : round_(std::move(earlier)) {}

  // Stores the answers that came with the call: an object by key. Ignores answers to requests that were not sent. Call
  // it before the handler.
  void take(const boost::json::value& responses);

  std::string name() const override { return std::string(kClientModelName); }
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token stop) override;
  Result<Consent> confirm(const std::string& question, std::stop_token stop) override;

  // Returns the members of `inputRequests` for the client: key and JSON text. Call it after the handler.
  const std::vector<std::pair<std::string, std::string>>& open() const { return open_; }
  // Returns the state to keep for the next round. Call it after the handler.
  InputRound next_round() &&;

 private:
  void note(const std::string& key, std::string_view method, const std::string& params);

  std::mutex mutex_;
  InputRound round_;
  std::map<std::string, Error> failures_;                  // by key
  std::vector<std::pair<std::string, std::string>> open_;  // in the order they were asked
};

}  // namespace memd::mcp
