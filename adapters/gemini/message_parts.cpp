#include "adapters/gemini/message_parts.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"

#include <simdjson.h>

#include <algorithm>

namespace memd::gemini {
namespace {

namespace dom = simdjson::dom;
using json::text_of;
using Call = MessageParts::Call;

constexpr std::string_view kAcknowledgement = "Got it. Thanks for the additional context!";

Call call_of(const dom::object& object, std::string_view input) {
  Call call{std::string(text_of(object, "id")), std::string(text_of(object, "name")), {}, 0};
  dom::element value;
  if (!input.empty() && !object[input].get(value)) call.input = simdjson::minify(value);
  return call;
}

void read_content(const dom::element& content, MessageParts& out) {
  std::string joined;
  std::size_t index = 0;
  const auto add_text = [&](std::string_view text) {
    if (!out.of_user)
      joined.append(text);
    else if (text = json::trimmed(text); !text.empty())
      out.texts.emplace_back(text);
  };
  const auto part = [&](const dom::element& value) {
    std::string_view text;
    dom::object object;
    dom::object inner;
    if (!value.get(text)) {
      add_text(text);
    } else if (!value.get(object)) {
      if (!object["functionCall"].get(inner)) {
        out.calls.push_back(call_of(inner, "args"));
        out.calls.back().part = index;
      } else if (!object["functionResponse"].get(inner)) {
        out.responses.push_back(call_of(inner, {}));
        out.responses.back().part = index;
      } else if (!object["text"].get(text) && !json::flag_of(object, "thought")) {
        add_text(text);
      }
    }
    ++index;
  };
  dom::array parts;
  if (content.get(parts))
    part(content);
  else
    for (const dom::element value : parts)
      part(value);
  if (const auto text = json::trimmed(joined); !text.empty()) out.texts.emplace_back(text);
}

bool has_items(const dom::object& object, std::string_view key) {
  dom::array list;
  return !object[key].get(list) && list.size() > 0;
}

// One thing that a message says, and where it is told before.
class Search {
 public:
  explicit Search(std::span<const MessageParts> before) : before_(before) {}

  // Looks for each part of `message` before index `end`, which then moves to the earliest place.
  bool find(const MessageParts& message, std::size_t& end) const {
    std::size_t place = end;
    bool told = message.of_user || message.of_model;
    bool any = false;
    const auto look = [&](auto&& tells) {
      any = true;
      std::size_t at = end;
      while (at > 0 && !tells(before_[at - 1]))
        --at;
      told = told && at > 0;
      if (at > 0) place = std::min(place, at - 1);
    };
    for (const auto& text : message.texts)
      look([&](const MessageParts& m) {
        return m.of_user == message.of_user && std::find(m.texts.begin(), m.texts.end(), text) != m.texts.end();
      });
    for (const auto& call : message.calls)
      look([&](const MessageParts& m) { return has(m.recorded_calls, call) || has(m.calls, call); });
    std::size_t answered = end;  // results may be told by the message of their call, which has a turn of its own
    for (const auto& response : message.responses) {
      any = true;
      std::size_t at = end;
      while (at > 0 && !has(before_[at - 1].responses, response) && !has(before_[at - 1].recorded_results, response))
        --at;
      told = told && at > 0;
      if (at > 0) answered = std::min(answered, before_[at - 1].of_model ? at : at - 1);
    }
    if (!told || !any) return false;
    end = std::min(place, answered);
    return true;
  }

 private:
  static bool has(const std::vector<Call>& calls, const Call& call) {
    return std::any_of(calls.begin(), calls.end(), [&](const Call& c) { return c.fits(call); });
  }

  std::span<const MessageParts> before_;
};

}  // namespace

bool MessageParts::Call::fits(const Call& other) const {
  if (!id.empty() && !other.id.empty()) return id == other.id;
  return name == other.name && !input.empty() && input == other.input;
}

MessageParts read_parts(std::string_view message) {
  MessageParts out;
  json::DomParser parser;
  dom::object object;
  if (!parser.parse(message, object)) return out;
  const auto type = text_of(object, "type");
  out.of_user = type == "user";
  out.of_model = type == "gemini";
  out.answered =
      json::object_of(object, "tokens") || !text_of(object, "model").empty() || has_items(object, "thoughts");
  dom::element content;
  if (!object["content"].get(content)) read_content(content, out);
  json::for_each_object(object, "toolCalls", [&](const dom::object& call) {
    dom::element result;
    out.recorded_calls.push_back(call_of(call, "args"));
    if (!call["result"].get(result) && !result.is_null()) out.recorded_results.push_back(out.recorded_calls.back());
  });
  return out;
}

bool is_acknowledgement(const MessageParts& message) {
  return message.of_model && !message.answered && message.calls.empty() && message.recorded_calls.empty() &&
         message.texts.size() == 1 && message.texts.front() == kAcknowledgement;
}

bool is_acknowledgement(std::string_view message) {
  return message.find(kAcknowledgement) != std::string_view::npos && is_acknowledgement(read_parts(message));
}

std::vector<bool> find_repeats(std::span<const MessageParts> kept, std::span<const std::size_t> known,
                               std::span<const MessageParts> before) {
  std::vector<bool> repeats(kept.size());
  const Search search(before);
  std::size_t end = before.size();
  for (std::size_t i = kept.size(); i-- > 0;) {
    if (known[i] < end)
      end = known[i];
    else
      repeats[i] = search.find(kept[i], end);
  }
  return repeats;
}

}  // namespace memd::gemini
