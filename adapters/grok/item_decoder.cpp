#include "adapters/grok/item_decoder.hpp"

#include "adapters/grok/item_handlers.hpp"
#include "adapters/grok/update_line.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/ids.hpp"

namespace memd::grok {
namespace {

// Names of items are ours, so that this needs no care for what stands in a log.
Fate dispatch(ItemContext& c, const dom::object& item, std::string& type) {
  if (flag_of(item, "head")) {
    type = "(head)";
    return read_head(c, item);
  }
  dom::object chat;
  if (!item["chat"].get(chat)) return read_chat(c, chat, type);
  const auto what = text_of(item, "what");
  type = what;
  if (what == "user" || what == "interjection" || what == "agent" || what == "thought") return read_text(c, item, what);
  dom::array updates;
  dom::object first;
  if (item["updates"].get(updates) || updates.at(0).get(first)) return Fate::skipped("no_content");
  if (what == "call") return read_call(c, updates);
  if (what == "result") return read_result(c, first);
  if (what == "turn") return read_turn(c, item, first);
  return read_notice(c, first, type);
}

}  // namespace

struct ItemDecoder::Parser {
  dom::parser parser;
};

ItemDecoder::ItemDecoder(const Source& source, json::Detail detail)
    : session_uid_(source.session_uid), detail_(detail), parser_(std::make_unique<Parser>()) {}

ItemDecoder::~ItemDecoder() = default;

void ItemDecoder::decode(const RawRecord& record, EventBatch& out) {
  if (decode_open(record.bytes, record, out)) return;
  bool replaced = false;
  std::string cleaned = json::cleaned_json(record.bytes, replaced);
  const auto size = cleaned.size();
  cleaned.resize(size + kRecordPadding, ' ');
  const auto tell = [&](DiagnosticType type) {
    out.diagnostics.push_back({Platform::grok, type, Severity::warning, {}, 0, record.offset});
  };
  if (decode_open({cleaned.data(), size}, record, out)) {
    if (replaced) tell(DiagnosticType::invalid_encoding);
    return;
  }
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  if (bytes > 0) out.cover("(damaged)", Disposition::skipped, "damaged", bytes);
  tell(DiagnosticType::damaged_record);
}

bool ItemDecoder::decode_open(std::string_view bytes, const RawRecord& record, EventBatch& out) {
  dom::object item;
  if (parser_->parser.parse(bytes.data(), bytes.size(), false).get(item) || flag_of(item, "damaged")) return false;
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  ItemContext c(Platform::grok, session_uid_, raw, detail_, out);
  c.identify(text_of(item, "record"));
  c.time = number_of(item, "time");
  c.time_estimated = flag_of(item, "estimated");
  c.model = text_of(item, "model");
  c.cwd = text_of(item, "cwd");
  std::string type = "(unknown)";
  const Fate verdict = dispatch(c, item, type);
  out.cover(json::is_identifier(type) || type.starts_with('(') ? type : "(unreadable type)", verdict.disposition,
            verdict.reason, record.bytes.size() + (record.newline_follows ? 1 : 0));
  return true;
}

}  // namespace memd::grok
