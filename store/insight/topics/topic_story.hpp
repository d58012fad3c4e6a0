#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::topics {

// An exchange about a topic. The views must outlive the call.
struct StoryExchange {
  std::size_t session = 0;  // exchanges of a session are adjacent, in order of time
  std::string_view user_message;
  std::string_view assistant_response;
};

enum class TurnKind : std::uint8_t {
  mention,    // it was mentioned
  question,   // it was asked about
  problem,    // something about it did not work
  change,     // something about it was made or changed
  fix,        // a cause was found, or a problem went away
  direction,  // a person said how it is to be
  reversal,   // an earlier change was reversed
};
std::string_view to_string(TurnKind kind);

// The new contribution of a session to a topic.
struct StoryTurn {
  std::size_t session = 0;
  std::size_t exchange = 0;  // index of its input
  TurnKind kind = TurnKind::mention;
  std::string text;  // a sentence on one line, at most kTurnBytes; empty when there is no text
};
inline constexpr std::size_t kTurnBytes = 240;

// Returns one turn per session, in the order of the input. `topic` is its words; sentences that contain them are
// preferred. Uses the wording only, so the kind is an estimate. Deterministic; linear in the text.
std::vector<StoryTurn> story_of(std::span<const StoryExchange> exchanges, std::string_view topic);

}  // namespace memd::topics
