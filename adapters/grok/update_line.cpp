#include "adapters/grok/update_line.hpp"

#include "adapters/adapter.hpp"
#include "adapters/json/json_text.hpp"

namespace memd::grok {

namespace dom = simdjson::dom;

std::string_view text_of(const dom::object& object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) ? std::string_view{} : text;
}

std::int64_t number_of(const dom::object& object, std::string_view key) {
  std::int64_t number = 0;
  double fraction = 0;
  if (!object[key].get(number)) return number;
  return object[key].get(fraction) ? 0 : static_cast<std::int64_t>(fraction);
}

bool flag_of(const dom::object& object, std::string_view key) {
  bool flag = false;
  return !object[key].get(flag) && flag;
}

bool UpdateLineReader::open(std::string_view line, dom::object& envelope, dom::object& params, dom::object& update) {
  if (parser_.parse(line.data(), line.size(), false).get(envelope)) {
    bool replaced = false;
    mended_ = json::cleaned_json(line, replaced);
    const auto size = mended_.size();
    mended_.resize(size + kRecordPadding, ' ');
    if (parser_.parse(mended_.data(), size, false).get(envelope)) return false;
  }
  if (envelope["params"].get(params)) params = envelope;
  return !params["update"].get(update);
}

bool UpdateLineReader::read(std::string_view line, UpdateLine& out) {
  dom::object envelope;
  dom::object params;
  dom::object update;
  if (!open(line, envelope, params, update)) return false;
  out.kind = text_of(update, "sessionUpdate");
  if (out.kind.empty()) return false;
  out.call_id = text_of(update, "toolCallId");
  out.status = text_of(update, "status");
  out.prompt_id = text_of(update, "prompt_id");
  dom::object meta;
  if (out.prompt_id.empty() && !params["_meta"].get(meta)) out.prompt_id = text_of(meta, "promptId");
  if (update["_meta"].get(meta)) return true;
  std::int64_t index = 0;
  if (!meta["promptIndex"].get(index)) out.prompt_index = index;
  out.host_turn = flag_of(meta, "hostTurn");
  out.interjection = flag_of(meta, "interjection");
  return true;
}

}  // namespace memd::grok
