#pragma once

#include <string_view>

// What stands for a forgotten session in a source that it shares with others: its bytes are counted under an alias, a
// keyed hash, so that it is neither named nor read again.
namespace memd {

// The ledger line of these bytes.
inline constexpr std::string_view kForgottenType = "(forgotten)";
inline constexpr std::string_view kForgottenReason = "forgotten";

// The native ids of aliases begin with this. An adapter meets one where its mark had the session's id.
inline constexpr std::string_view kForgottenAlias = "forgotten-";

}  // namespace memd
