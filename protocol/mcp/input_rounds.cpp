#include "protocol/mcp/input_rounds.hpp"

#include "protocol/mcp/random_id.hpp"

#include <algorithm>
#include <utility>

namespace memd::mcp {

Result<InputRound> InputRounds::find(std::string_view state, std::string_view question) const {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.state == state; });
  if (it == kept_.end() || clock_.now() - it->since > limits_.age_ms)
    return Error(Errc::invalid_argument,
                 "requestState is unknown or has expired: send the call again without requestState and inputResponses");
  if (it->round.question != question)
    return Error(Errc::invalid_argument,
                 "requestState belongs to another call: send it with the same tool and arguments it was given for");
  return it->round;
}

std::string InputRounds::keep(InputRound round) {
  std::size_t bytes = 0;
  for (const auto& [key, answer] : round.answers)
    bytes += key.size() + answer.text.size() + answer.model.size();
  const std::lock_guard lock(mutex_);
  while (!kept_.empty() && (kept_.size() >= limits_.rounds || bytes_ + bytes > limits_.bytes ||
                            clock_.now() - kept_.front().since > limits_.age_ms))
    drop_oldest();
  bytes_ += bytes;
  kept_.push_back({random_id(), std::move(round), clock_.now(), bytes});
  return kept_.back().state;
}

void InputRounds::drop_oldest() {
  bytes_ -= kept_.front().bytes;
  kept_.pop_front();
}

void InputRounds::forget(std::string_view state) {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.state == state; });
  if (it == kept_.end()) return;
  bytes_ -= it->bytes;
  kept_.erase(it);
}

}  // namespace memd::mcp
