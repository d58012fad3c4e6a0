#pragma once

#include "schemas/observation.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

// Finds decisions in a conversation: in an agent's text, in a user's message, in an answer to a question with options,
// or in an accepted plan. Pure; thread-safe.
namespace memd {

inline constexpr std::size_t kDecisionBytes = 300;    // of one sentence; a longer one is cut at a word and marked
inline constexpr std::size_t kDecisionsPerText = 16;  // the first ones are kept

// Returns the sentences of an agent's text that state a decision ("Going with SQLite because …", "I'll use X instead of
// Y", "out of scope"), and the items of a list under a heading about decisions. Prefers a miss to a false hit: skips
// questions, offers, conditions and plans to look at something. Also skips code blocks, tables, lines too long for
// prose, and sentences that state their decision only after kDecisionBytes. Returns each sentence once, on one line.
// Made for ingest: most text costs one fast pass.
std::vector<Decision> find_decisions(std::string_view text);

// Returns the decisions in a user's message: an accepted plan, sent with the message or offered before; answers to an
// offer of the agent ("yes", "option 2", a numbered list of answers) or to its question which way to go; directions
// ("let's use X instead", "no, keep the flag"). `offered` is the agent's preceding text. Long messages are pastes; only
// an accepted plan is taken from them.
std::vector<Decision> find_decisions_of_person(std::string_view message, std::string_view offered);

// Returns the user's choices in a dialog of the client; `text` is that of an adapter's `decision` event. Skips an
// answer that is a question.
std::vector<Decision> read_choices(std::string_view text);

// Returns a decision with the title of a plan that a client sent after its acceptance.
Decision accepted_plan(std::string_view plan);

// Whether it is listed as a decision: a person's own choice whose sentence says what was chosen and holds beyond the
// agent's next work, or what a language model calls a decision. About half of what agents say, of answers and of plans
// is none (docs/benchmarks.md#decisions).
bool is_shown(const Decision& d);

// Returns whether `later` reverses `earlier` of the same session: it rejects the earlier choice, or it is a reversal on
// the same subject.
bool reverses(const Decision& later, const Decision& earlier);

}  // namespace memd
