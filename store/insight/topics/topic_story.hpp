#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::topics {

// An exchange about a topic. The views must live as long as the call.
struct StoryExchange {
  std::size_t session = 0;  // exchanges of a session stand together, in order of time
  std::string_view user_message;
  std::string_view assistant_response;
};

enum class TurnKind : std::uint8_t {
  mention,   // it was talked about
  question,  // it was asked about
  problem,   // something about it did not work
  change,    // something about it was made or changed
  fix,       // a cause was found, or a problem went away
  decision,  // something about it was settled
  reversal,  // what was settled or made before was taken back
};
std::string_view to_string(TurnKind kind);

// What a session brought that those before it had not.
struct StoryTurn {
  std::size_t session = 0;
  std::size_t exchange = 0;  // index of the input it is from
  TurnKind kind = TurnKind::mention;
  std::string text;  // a sentence on one line, at most kTurnBytes; empty when nothing was said
};
inline constexpr std::size_t kTurnBytes = 240;

// One turn a session, in the order of the input. `topic`: its words; sentences that hold them are preferred. Looks at
// the wording alone, so a kind is a good guess. Deterministic; linear in the text.
std::vector<StoryTurn> story_of(std::span<const StoryExchange> exchanges, std::string_view topic);

}  // namespace memd::topics
