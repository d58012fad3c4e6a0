#include "adapters/cline/session_messages.hpp"

#include "adapters/adapter.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/hash.hpp"

#include <simdjson.h>

#include <cstdio>
#include <map>
#include <string_view>

namespace memd::cline {
namespace {

namespace dom = simdjson::dom;

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string result_id(const dom::object& message) {
  dom::array content;
  std::string_view id;
  if (message["content"].get(content)) return {};
  for (const auto block : content)
    if (!block["tool_use_id"].get(id)) return std::string(id);
  return {};
}

}  // namespace

std::vector<SessionMessage> read_session_messages(const snapshot::Document& document, TimeMs started) {
  std::vector<SessionMessage> messages;
  std::vector<std::string> prompts;  // hashes of the words, of those without a time
  dom::parser parser;
  std::string mended;
  for (const auto& element : document.elements) {
    SessionMessage& m = messages.emplace_back();
    prompts.emplace_back();
    m.element = element;
    m.key = "damaged";
    dom::object object;
    if (element.damaged) continue;
    const auto slice = document.bytes(element);
    if (parser.parse(slice.data(), slice.size(), false).get(object)) {
      bool replaced = false;
      mended = json::cleaned_json(slice, replaced);
      const auto size = mended.size();
      mended.resize(size + kRecordPadding, ' ');
      if (parser.parse(mended.data(), size, false).get(object)) {
        m.element.damaged = true;
        continue;
      }
    }
    std::int64_t ts = 0;
    std::string_view role;
    dom::element content;
    if (!object["ts"].get(ts)) m.time = ts;
    const bool assistant = !object["role"].get(role) && role == "assistant";
    const std::string result = result_id(object);
    const auto words = object["content"].get(content) ? std::uint64_t{0} : hash64(simdjson::minify(content));
    if (!result.empty()) {
      m.key = "result." + result;
      m.record = m.key;
    } else if (assistant && m.time != 0) {
      m.key = "answer." + std::to_string(m.time);
      m.record = m.key + "." + hex(words);
    } else {
      m.key = (assistant ? "answer." : "prompt.") + hex(words);
      prompts.back() = m.key;
    }
  }
  std::vector<TimeMs> next(messages.size() + 1, 0);  // the first known time from here on
  for (std::size_t i = messages.size(); i-- > 0;)
    next[i] = messages[i].time != 0 ? messages[i].time : next[i + 1];
  std::map<std::string, int> ordinals;
  TimeMs before = started;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    SessionMessage& m = messages[i];
    if (const int n = ordinals[m.key]++; n > 0) m.key += "." + std::to_string(n);
    const TimeMs after = next[i];
    if (!prompts[i].empty() && after != 0) m.record = prompts[i] + "." + std::to_string(after);
    if (m.time == 0) {
      m.time = after != 0 ? after - 1 : before + 1;
      m.estimated = true;
    }
    before = m.time;
  }
  return messages;
}

}  // namespace memd::cline
