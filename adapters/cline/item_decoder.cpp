#include "adapters/cline/item_decoder.hpp"

#include "adapters/cline/item_handlers.hpp"
#include "schemas/ids.hpp"

namespace memd::cline {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

constexpr KeyTable<kItemNames.size()> kItemTable{kItemNames};

enum : std::size_t { kItemDecoderId, kTool, kPath, kAdded, kRemoved, kCallKeys };
constexpr KeyTable<kCallKeys> kCallTable{{"id", "tool", "path", "added", "removed"}};

bool read_calls(ItemContext& c, od::object& item, std::vector<ToolCall>& out) {
  od::value value;
  od::array calls;
  if (!seek(item, "calls", value) || value.get_array().get(calls)) return true;
  return for_each_element(calls, [&](od::value& element, std::size_t) {
    od::object call;
    Tokens<kCallKeys> tokens;
    if (element.get_object().get(call)) return true;
    if (!collect(call, kCallTable, tokens)) return false;
    out.push_back({c.text(tokens[kItemDecoderId]), c.text(tokens[kTool]), c.text(tokens[kPath]),
                   static_cast<std::int32_t>(integer(tokens[kAdded])),
                   static_cast<std::int32_t>(integer(tokens[kRemoved]))});
    return true;
  });
}

}  // namespace

bool InnerJson::open(std::string_view text) {
  padded_ = text;
  padded_.resize(text.size() + kRecordPadding, ' ');
  return trimmed(text).starts_with('{') &&
         !parser_.iterate(padded_.data(), text.size(), padded_.size()).get(document_) &&
         !document_.get_object().get(root);
}

struct ItemDecoder::Parsers {
  od::parser items;
  od::document document;
};

ItemDecoder::ItemDecoder(const Source& source, Detail detail)
    : session_uid_(source.session_uid), detail_(detail), parsers_(std::make_unique<Parsers>()) {
  if (const auto parts = split_session_uid(session_uid_)) native_id_ = parts->native_id;
}

ItemDecoder::~ItemDecoder() = default;

void ItemDecoder::decode(const RawRecord& record, EventBatch& out) {
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  std::string type;
  if (decode_open(record.bytes, record, out, type)) return;
  bool replaced = false;
  std::string cleaned = cleaned_json(record.bytes, replaced);
  const auto size = cleaned.size();
  cleaned.resize(size + kRecordPadding, ' ');
  if (decode_open({cleaned.data(), size}, record, out, type)) {
    if (replaced)
      out.diagnostics.push_back(
          {Platform::cline, DiagnosticType::invalid_encoding, Severity::warning, {}, 0, record.offset});
    return;
  }
  if (bytes > 0) out.cover("(damaged)", Disposition::skipped, "damaged", bytes);
  out.diagnostics.push_back({Platform::cline, DiagnosticType::damaged_record, Severity::warning, {}, 0, record.offset});
}

bool ItemDecoder::decode_open(std::string_view bytes, const RawRecord& record, EventBatch& out, std::string& type) {
  auto& document = parsers_->document;
  od::object item;
  ItemFields fields;
  if (parsers_->items.iterate(bytes.data(), bytes.size(), bytes.size() + kRecordPadding).get(document) ||
      document.get_object().get(item) || !collect(item, kItemTable, fields.tokens) ||
      document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return false;
  if (fields.is(ItemKey::damaged)) return false;

  const auto events = out.events.size();
  const auto sessions = out.sessions.size();
  const auto diagnostics = out.diagnostics.size();
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  ItemContext c(Platform::cline, session_uid_, raw, detail_, out);
  fields.key = c.text(fields[ItemKey::key]);
  c.identify(is_string(fields[ItemKey::record]) ? c.text(fields[ItemKey::record]) : native_id_ + "/" + fields.key);
  c.cwd = c.text(fields[ItemKey::cwd]);
  c.time = integer(fields[ItemKey::time]);
  c.time_estimated = fields.is(ItemKey::estimated);

  Fate verdict = Fate::unknown("unknown_type");
  type = "(unknown)";
  if (!read_calls(c, item, fields.calls)) {
    verdict = Fate::damaged();
  } else if (fields.is(ItemKey::head)) {
    type = "(head)";
    verdict = read_head(c, item);
  } else if (!fields[ItemKey::ui].empty()) {
    verdict = read_ui(c, item, fields, type);
  } else if (!fields[ItemKey::compaction].empty()) {
    type = "compaction";
    verdict = read_compaction(c, item);
  } else if (!fields[ItemKey::message].empty()) {
    verdict = read_message(c, item, fields, type);
  }
  if (verdict.broken) {
    out.events.resize(events);
    out.sessions.resize(sessions);
    out.diagnostics.erase(out.diagnostics.begin() + static_cast<std::ptrdiff_t>(diagnostics), out.diagnostics.end());
    return false;
  }
  if (c.lossy()) c.diagnose(DiagnosticType::invalid_encoding);
  out.cover(type, verdict.disposition, verdict.reason, record.bytes.size() + (record.newline_follows ? 1 : 0));
  return true;
}

}  // namespace memd::cline
