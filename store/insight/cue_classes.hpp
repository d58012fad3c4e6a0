#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memd {

// What a sentence can tell. Each class is drawn by the rules that serve it in the product.
enum class CueClass : std::uint8_t {
  decision,      // something was settled (summaries, resume packs)
  problem,       // something is wrong (resume packs)
  solved,        // nothing is wrong any more (resume packs)
  constraint,    // a person forbids or demands (resume packs)
  next_step,     // work that is left, as the last message of an agent tells it (resume packs)
  test_outcome,  // how the tests went (observations)
  discovery,     // what was found out (observations)
  warning,       // what to beware of (observations)
};
inline constexpr std::array kCueClasses{CueClass::decision,   CueClass::problem,   CueClass::solved,
                                        CueClass::constraint, CueClass::next_step, CueClass::test_outcome,
                                        CueClass::discovery,  CueClass::warning};

std::string_view to_string(CueClass cue_class);
std::optional<CueClass> parse_cue_class(std::string_view name);

// Whether `sentence` tells that. One sentence without its list mark, in any language that has cues. Pure; every thread
// may call it.
bool says(CueClass cue_class, std::string_view sentence);

}  // namespace memd
