#pragma once

#include "schemas/error.hpp"
#include "schemas/language_model.hpp"
#include "schemas/time.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace memd::mcp {

// Where a call stands that ended with resultType input_required.
struct InputRound {
  std::string question;                       // digest of the tool and its arguments: whose round it is
  std::map<std::string, Completion> answers;  // of this round and those before, by key
  std::set<std::string> asked;                // keys that were sent and not answered yet
};

// The rounds that clients have been given a `requestState` for. The state is a random number and no more, so there is
// nothing in it to forge. Belongs to the process, not to a connection, as the stateless era wants it. Thread-safe.
class InputRounds {
 public:
  struct Limits {
    std::size_t rounds = 64;
    std::size_t bytes = 16U << 20;  // of the answers
    TimeMs age_ms = 3'600'000;
  };
  explicit InputRounds(const Clock& clock) : InputRounds(clock, Limits()) {}
  InputRounds(const Clock& clock, Limits limits) : clock_(clock), limits_(limits) {}

  // invalid_argument when there is none, it is too old, or it belongs to another question.
  Result<InputRound> find(std::string_view state, std::string_view question) const;
  // Returns the state. What is kept longest goes when there is no room.
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

}  // namespace memd::mcp
