#pragma once

#include "schemas/error.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace memd::tools {

// Where the next page of an answer begins. Opaque to clients; knows which question it belongs to.
struct PageCursor {
  std::int64_t offset = 0;  // items before it
  std::int64_t part = 0;    // what of the item at `offset` was given already; each tool's own unit

  bool operator==(const PageCursor&) const = default;
};

// Of the arguments that make it another question. max_tokens and the cursor itself do not.
std::uint64_t question_key(std::initializer_list<std::string_view> parts);

std::string encode_cursor(const PageCursor& cursor, std::uint64_t question);

// nullopt text: the beginning. invalid_argument for anything that encode_cursor did not make for this question.
Result<PageCursor> decode_cursor(const std::optional<std::string>& text, std::uint64_t question);

}  // namespace memd::tools
