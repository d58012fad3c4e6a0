#pragma once

#include "schemas/observation.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

// What was settled in a conversation: by an agent in what it wrote, by a person in a message, in an answer to a
// question with options, or by accepting a plan. Pure; every thread may call these.
namespace memd {

inline constexpr std::size_t kDecisionBytes = 300;    // of one sentence; a longer one is cut at a word and marked
inline constexpr std::size_t kDecisionsPerText = 16;  // the first ones

// Sentences of an agent's text that state a decision ("Going with SQLite because …", "I'll use X instead of Y", "out of
// scope"), and the items of a list under a heading that speaks of decisions. Prefers missing one to inventing one:
// questions, offers, conditions and plans to look at something are left out. So is what stands in a code block, in a
// table or on a line too long for prose, and a sentence that tells its decision only behind kDecisionBytes. Each
// sentence once, on one line. Made for ingest: most text costs one fast pass.
std::vector<Decision> find_decisions(std::string_view text);

// What a person settles with a message: an accepted plan, handed over or offered before; answers to what the agent
// offered ("yes", "option 2", a numbered list of answers) or to its question which way to go; directions ("let's use X
// instead", "no, keep the flag"). `offered`: what the agent said before. Of long messages, which are pastes, only an
// accepted plan is told.
std::vector<Decision> find_decisions_of_person(std::string_view message, std::string_view offered);

// What a person chose in a dialog of the client: the text of a `decision` event of an adapter. An answer that asks back
// settles nothing.
std::vector<Decision> read_choices(std::string_view text);

// The title of a plan that a client handed over once it was accepted.
Decision accepted_plan(std::string_view plan);

// Whether `later` takes `earlier` of the same session back: it turns down what was chosen, or it is a reversal and
// speaks of the same.
bool reverses(const Decision& later, const Decision& earlier);

}  // namespace memd
