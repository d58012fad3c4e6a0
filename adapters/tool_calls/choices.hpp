#pragma once

#include "adapters/json/record_builder.hpp"
#include "schemas/base/timestamp.hpp"

#include <string>
#include <string_view>

// What a person chose when the agent asked with a tool: AskUserQuestion, request_user_input, question, … The answers of
// all agents have one of a few forms, so one reader serves them.
namespace memd::tool_calls {

// Returns whether a tool asks the person.
bool asks_person(std::string_view tool);

// Returns the answers as the text of a `decision` event, "question: answer" one per line; empty if there are none, as
// when the person declined.
// `tool`: which one returned `result`; empty if its record does not name it, then the result's form alone decides.
// `input`: JSON of what it was asked; empty if another record has it, then the answers are named as `result` names
// them. `result`: the whole text that it returned.
std::string choices_in(std::string_view tool, std::string_view input, std::string_view result);

// Returns the same of a form that the person filled in (an elicitation of MCP). `content`: JSON of the answers by
// field. `schema`: JSON Schema of the fields. `message`: what stood above them, the question of a form with one field.
std::string choices_of_form(std::string_view message, std::string_view schema, std::string_view content);

// Returns one line of such a text; empty if either part is blank.
std::string choice_line(std::string_view question, std::string_view answer);

// Adds the event for such a text, unless it is empty. `time`: when the person answered; 0: the record's time.
void add_choices(json::RecordBuilder& record, std::string_view call_id, std::string choices, TimeMs time = 0);

}  // namespace memd::tool_calls
