#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memd::jsonrpc {

// A message whose strings hold what is no Unicode, with U+FFFD in its place: bytes that are no UTF-8, and halves of
// surrogate pairs, which JavaScript writes ("\ud83d") where a text was cut inside of an emoji. nullopt: there is none.
std::optional<std::string> mended_text(std::string_view json);

}  // namespace memd::jsonrpc
