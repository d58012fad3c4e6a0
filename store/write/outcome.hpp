#pragma once

#include "store/write/session_state.hpp"

namespace memd::assembly {

// How a session went, as far as its end tells:
//   abandoned  interrupted and not taken up again, or a prompt that was never answered
//   fail       the last request failed, or the last test run failed
//   success    ended with an answer
//   unknown    everything else
Outcome judge_outcome(const SessionWork& session);

}  // namespace memd::assembly
