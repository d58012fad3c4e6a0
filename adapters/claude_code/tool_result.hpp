#pragma once

#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/json_access.hpp"

#include <string>
#include <string_view>

namespace memd::claude_code {

// Text and markers of a content value: a string, or blocks of text, images, documents.
struct ContentText {
  std::string text;    // text blocks joined with newlines
  std::string marker;  // "[image: image/png]" for what is not text; never data
};

// Reads at most about `limit` bytes of text. False only for broken JSON.
bool read_content(RecordContext& context, od::value& content, std::size_t limit, ContentText& out);

// Appends "[image: image/png]" for an image or document block. `block` is walked from its start.
bool append_marker(RecordContext& context, od::object& block, std::string_view type, std::string& marker);

// Emits the tool_result event of one block, and the words of a person who rejected the call, if they stand in it.
// Works for server tool results too. False only for broken JSON.
bool read_tool_result(RecordContext& context, od::object& block, std::size_t index);

// What the structured form of a result (`toolUseResult`) adds: lines changed, the agent that ran, what a person chose
// when asked (a decision event). Most of its bytes repeat file contents and are skipped. `result` is the index of the
// tool_result event in the batch.
bool read_structured_result(RecordContext& context, od::value& structured, std::size_t result);

}  // namespace memd::claude_code
