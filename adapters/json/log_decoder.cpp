#include "adapters/json/log_decoder.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/whole_record.hpp"

namespace memd::json {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

constexpr std::string_view kDamaged = "(damaged)";

bool is_lfs_line(std::string_view line) {
  return line.starts_with("version https://git-lfs") || line.starts_with("oid sha256:") ||
         (line.starts_with("size ") && line.size() < 32);
}

}  // namespace

struct LogDecoder::Parsers {
  od::parser records;
  od::document document;
  simdjson::dom::parser strict;  // for what is found in damaged lines: On-Demand does not look at what it skips
};

LogDecoder::LogDecoder(Platform platform) : platform_(platform), parsers_(std::make_unique<Parsers>()) {}

LogDecoder::~LogDecoder() = default;

bool LogDecoder::open_object(std::string_view json) const {
  auto& document = parsers_->document;
  if (parsers_->records.iterate(json.data(), json.size(), json.size() + kRecordPadding).get(document)) return false;
  od::object root;
  if (document.get_object().get(root)) return false;
  if (!open(root)) return false;
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing behind the object
}

bool LogDecoder::is_complete(std::string_view bytes) const {
  return is_whole_record(bytes, [this](std::string_view json) { return open_object(json); });
}

void LogDecoder::decode(const RawRecord& record, EventBatch& out) {
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  const auto first = record.bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    if (bytes > 0) out.cover("(blank)", Disposition::skipped, "blank", bytes);
    return;
  }
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  Fate fate;
  if (record.bytes[first] == '{' && open_object(record.bytes) && read_open(raw, out, fate)) {
    out.cover(fate.type, fate.disposition, fate.reason, bytes);
    return;
  }
  if (is_lfs_line(record.bytes)) {
    out.cover("(git-lfs pointer)", Disposition::skipped, "git_lfs_pointer", bytes);
    if (record.bytes.starts_with("version "))
      out.diagnostics.push_back({platform_, DiagnosticType::not_a_transcript, Severity::error, {}, 0, record.offset});
    return;
  }
  recover(record, out);
}

bool LogDecoder::read_open(RawRef raw, EventBatch& out, Fate& fate) {
  const auto events = out.events.size();
  const auto sessions = out.sessions.size();
  const auto diagnostics = out.diagnostics.size();
  parsers_->document.rewind();
  od::object root;
  if (parsers_->document.get_object().get(root)) return false;
  fate = read(root, raw, out);
  if (!fate.broken) return true;
  out.events.resize(events);
  out.sessions.resize(sessions);
  out.diagnostics.erase(out.diagnostics.begin() + static_cast<std::ptrdiff_t>(diagnostics), out.diagnostics.end());
  return false;
}

void LogDecoder::recover(const RawRecord& record, EventBatch& out) {
  std::vector<Fate> found;
  std::size_t told = 0;
  const auto take = [&](std::string_view slice, bool nested) {
    const auto begin = static_cast<std::size_t>(slice.data() - record.bytes.data());
    const RawRef raw{record.offset + begin, static_cast<std::uint32_t>(slice.size()), 0};
    return take_slice(slice, nested, raw, out, found);
  };
  recover_line(record.bytes, take, [&](const Piece& piece) {
    const bool last = piece.end == record.bytes.size();
    const std::uint64_t bytes = piece.end - piece.begin + (last && record.newline_follows ? 1 : 0);
    if (piece.record) {
      const Fate& f = found[told++];
      out.cover(f.type, f.disposition, f.reason, bytes);
    } else {
      out.cover(kDamaged, Disposition::skipped, "damaged", bytes);
    }
    if (piece.record && piece.begin == 0 && last) return;  // only its encoding was wrong, and that is told
    out.diagnostics.push_back({platform_,
                               piece.record ? DiagnosticType::recovered_record : DiagnosticType::damaged_record,
                               Severity::warning,
                               {},
                               0,
                               record.offset + piece.begin});
  });
}

Slice LogDecoder::take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out,
                             std::vector<Fate>& found) {
  bool replaced = false;
  std::string cleaned = cleaned_json(slice, replaced);
  const std::size_t size = cleaned.size();
  cleaned.resize(size + kRecordPadding, ' ');
  simdjson::dom::element strict;
  if (parsers_->strict.parse(cleaned.data(), size, false).get(strict)) return Slice::broken;
  if (!open_object({cleaned.data(), size})) return Slice::broken;
  if (nested && !surely_a_record()) return Slice::not_record;
  Fate fate;
  if (!read_open(raw, out, fate)) return Slice::broken;
  if (replaced)
    out.diagnostics.push_back({platform_, DiagnosticType::invalid_encoding, Severity::warning, {}, 0, raw.offset});
  found.push_back(std::move(fate));
  return Slice::record;
}

}  // namespace memd::json
