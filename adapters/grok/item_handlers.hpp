#pragma once

#include "adapters/snapshot/item_context.hpp"

#include <simdjson.h>

#include <string>
#include <string_view>

// Private to the decoder: who reads which item.
namespace memd::grok {

namespace dom = simdjson::dom;
using snapshot::ItemContext;

Fate read_head(ItemContext& c, const dom::object& item);
Fate read_text(ItemContext& c, const dom::object& item, std::string_view what);
Fate read_call(ItemContext& c, const dom::array& updates);
Fate read_result(ItemContext& c, const dom::object& update);
Fate read_turn(ItemContext& c, const dom::object& item, const dom::object& update);
// `type` becomes the name for the ledger.
Fate read_notice(ItemContext& c, const dom::object& update, std::string& type);
Fate read_chat(ItemContext& c, const dom::object& chat, std::string& type);

void emit_call(ItemContext& c, std::string_view tool, std::string_view call_id, std::string_view input);

// The words of a person without the wrappers the client puts around them.
std::string human_words(std::string_view text);

// The text of content: a string, a block, or blocks.
std::string content_text(const dom::element& content);

}  // namespace memd::grok
