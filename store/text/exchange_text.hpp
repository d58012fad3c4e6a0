#pragma once

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

// First line of a text, whitespace collapsed, at most `limit` bytes cut at a character border.
std::string one_line(std::string_view text, std::size_t limit);

// Lifecycle events store "<name>" or "<name>: <detail>" as their summary; this gives the name.
std::string_view lifecycle_of(EventKind kind, std::string_view summary);

// Lifecycle events made when the directory or the branch changes: "cwd_change: <new>", "branch_change: <old> -> <new>".
// Not shortened: what held at an earlier point is read back from them.
inline constexpr std::string_view kCwdChange = "cwd_change: ";
inline constexpr std::string_view kBranchChange = "branch_change: ";
inline constexpr std::string_view kBranchArrow = " -> ";

// Keeps interrupted / answered / api_failed up to date.
void note_progress(ExchangeDraft& draft, EventKind kind, std::string_view lifecycle, std::uint32_t flags);

}  // namespace memd::assembly
