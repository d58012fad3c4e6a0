#pragma once

#include "store/text/event_summary.hpp"
#include "store/write/session_state.hpp"

#include <string>
#include <string_view>

// How the texts of an exchange grow. Pure functions on a draft.
namespace memd::assembly {

// Appends `piece` to a column, separated by an empty line, up to kMaxColumnBytes. What does not fit is cut at a
// character border and marked. Returns the offset where the piece starts.
std::size_t append_paragraph(std::string& column, std::string_view piece);

// Adds a line to tool_text unless the same line is there already.
void add_tool_line(ExchangeDraft& draft, std::string_view line);
void remember_tool_lines(ExchangeDraft& draft);  // after loading

// Takes queued words out of `interventions` that came again as a prompt. False if they are not there.
bool remove_paragraph(std::string& column, std::string_view piece);

// Keeps interrupted / answered / api_failed up to date.
void note_progress(ExchangeDraft& draft, EventKind kind, std::string_view lifecycle, std::uint32_t flags);

}  // namespace memd::assembly
