// Requests to the model: what came back from the tools, what it cost, how it ended.
#include "adapters/cline/item_handlers.hpp"
#include "adapters/cline/tool_names.hpp"
#include "adapters/cline/wrappers.hpp"

#include <algorithm>

namespace memd::cline {
namespace {

enum : std::size_t { kRequest, kIn, kOut, kRequestWrites, kRequestReads, kCancel, kFailure, kRequestKeys };
constexpr KeyTable<kRequestKeys> kRequestTable{
    {"request", "tokensIn", "tokensOut", "cacheWrites", "cacheReads", "cancelReason", "streamingFailedMessage"}};

enum : std::size_t { kRequestType, kRequestText, kRequestToolUseId, kRequestIsError, kRequestBlockKeys };
constexpr KeyTable<kRequestBlockKeys> kRequestBlockTable{{"type", "text", "tool_use_id", "is_error"}};

// The calls of the request, each answered once.
class OpenCalls {
 public:
  explicit OpenCalls(const std::vector<ToolCall>& calls) : calls_(calls), answered_(calls.size()) {}

  const ToolCall* by_id(std::string_view id) {
    return take([&](const ToolCall& c) { return c.id == id; });
  }
  const ToolCall* by_tool(std::string_view tool) {
    return take([&](const ToolCall& c) { return may_show(c.tool, tool); });
  }

 private:
  template <class Fits>
  const ToolCall* take(Fits&& fits) {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (!answered_[i] && fits(calls_[i])) {
        answered_[i] = true;
        return &calls_[i];
      }
    return nullptr;
  }
  const std::vector<ToolCall>& calls_;
  std::vector<bool> answered_;
};

void read_text_results(ItemContext& c, std::string_view text, OpenCalls& calls) {
  TextResult result;
  for (std::size_t at = 0; next_text_result(text, at, result);)
    if (const ToolCall* call = calls.by_tool(result.tool))
      emit_result(c, *call, result.text, tells_failure(result.text));
}

bool read_block_results(ItemContext& c, od::object& item, OpenCalls& calls) {
  od::value value;
  od::array blocks;
  if (!seek(item, "results", value) || value.get_array().get(blocks)) return true;
  return for_each_element(blocks, [&](od::value& element, std::size_t) {
    od::object block;
    Tokens<kRequestBlockKeys> tokens;
    if (element.get_object().get(block)) return true;
    if (!collect(block, kRequestBlockTable, tokens)) return false;
    if (is_string(tokens[kRequestText])) {
      read_text_results(c, c.text(tokens[kRequestText]), calls);
      return true;
    }
    const ToolCall* call = calls.by_id(c.text(tokens[kRequestToolUseId]));
    if (call == nullptr) return true;  // of a call that is shown as words
    std::string text;
    std::string marker;
    od::value content;
    if (seek(block, "content", content) && !read_content(c, content, text, marker)) return false;
    std::size_t at = 0;
    TextResult headed;
    const auto words = next_text_result(text, at, headed) ? std::string(headed.text) : text;
    emit_result(c, *call, words, is_true(tokens[kRequestIsError]) || tells_failure(words));
    c.out().events.back().summary = marker;
    return true;
  });
}

TokenUsage usage_of(const Tokens<kRequestKeys>& tokens, bool cache_in_input) {
  TokenUsage usage{integer(tokens[kIn]), integer(tokens[kOut]), integer(tokens[kRequestReads]),
                   integer(tokens[kRequestWrites])};
  // Roo Code counted cached tokens apart for some providers, at first: what is in cannot be more than the whole.
  const auto cached = usage.cache_read + usage.cache_creation;
  if (cache_in_input && usage.input >= cached) usage.input -= cached;
  return usage;
}

}  // namespace

Fate read_request(ItemContext& c, od::object& item, const ItemFields& fields, std::string_view text) {
  InnerJson inner;
  Tokens<kRequestKeys> tokens{};
  const bool open = inner.open(text) && collect(inner.root, kRequestTable, tokens);
  if (!open && !trimmed(text).empty()) c.diagnose(DiagnosticType::wrong_field_type, {"text"});

  OpenCalls calls(fields.calls);
  if (!fields[ItemKey::results].empty()) {
    if (!read_block_results(c, item, calls)) return Fate::damaged();
  } else if (!fields.calls.empty()) {
    read_text_results(c, c.text(tokens[kRequest]), calls);
  }
  const auto reason = string_body(tokens[kCancel]);
  if (reason == "user_cancelled") {
    c.add_lifecycle("interrupt", "cancelled by the user");
  } else if (!reason.empty() || is_string(tokens[kFailure])) {
    Event& e = c.add(EventKind::error, Role::system);
    e.lifecycle = "api_error";
    e.is_error = true;
    e.text = c.text(tokens[kFailure]);
    if (e.text.empty()) e.text = is_identifier(reason) ? std::string(reason) : "request failed";
  }
  c.add_usage(usage_of(tokens, fields.is(ItemKey::cache_in_input)), c.key());
  if (c.emitted()) return Fate::indexed();
  return open ? Fate::skipped("request") : Fate::skipped("no_content");
}

}  // namespace memd::cline
