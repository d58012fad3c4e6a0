#include "adapters/json/log_decoder.hpp"

#include "adapters/json/json_text.hpp"
#include "schemas/base/hash.hpp"

#include <algorithm>

namespace memd::json {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

bool blank(std::string_view text) { return text.find_first_not_of(kBlank) == std::string_view::npos; }

// Returns the next "{" that can start an object: a key or "}" follows.
std::size_t find_start(std::string_view line, std::size_t from) {
  for (auto at = line.find('{', from); at != std::string_view::npos; at = line.find('{', at + 1)) {
    const auto next = line.find_first_not_of(kBlank, at + 1);
    if (next != std::string_view::npos && (line[next] == '"' || line[next] == '}')) return at;
  }
  return std::string_view::npos;
}

// Returns the offset after the "}" that closes the object at `start`, or npos. Takes one unit of `budget` per byte.
std::size_t find_end(std::string_view line, std::size_t start, std::size_t& budget) {
  std::size_t depth = 0;
  bool in_string = false;
  std::size_t at = start;
  for (; at < line.size() && at - start < budget; ++at) {
    const char c = line[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      break;
    }
  }
  const bool closed = at < line.size() && depth == 0;
  budget -= std::min(budget, at - start + 1);
  return closed ? at + 1 : std::string_view::npos;
}

}  // namespace

void recover_line(std::string_view line, const std::function<Slice(std::string_view, bool)>& try_slice,
                  const std::function<void(const Piece&)>& emit) {
  std::size_t budget = 64 * line.size() + (std::size_t{1} << 16);
  std::size_t done = 0;  // pieces up to here are final
  std::size_t from = 0;
  bool nested = false;
  Piece last;
  bool have_last = false;
  const auto add = [&](Piece piece) {
    const bool only_blanks = !piece.record && blank(line.substr(piece.begin, piece.end - piece.begin));
    if (have_last && (only_blanks || (!piece.record && !last.record))) {
      last.end = piece.end;
    } else if (!only_blanks) {
      if (have_last) emit(last);
      if (!have_last) piece.begin = 0;  // blanks before the first piece
      last = piece;
      have_last = true;
    }
  };
  while (budget > 0) {
    const auto start = find_start(line, from);
    if (start == std::string_view::npos) break;
    const auto end = find_end(line, start, budget);
    // Parsing costs more than scanning.
    if (end != std::string_view::npos) budget -= std::min(budget, 4 * (end - start));
    const Slice slice =
        end == std::string_view::npos ? Slice::broken : try_slice(line.substr(start, end - start), nested);
    if (slice != Slice::record) {
      from = slice == Slice::broken ? start + 1 : end;
      nested = true;
      continue;
    }
    add({done, start, false});
    add({start, end, true});
    done = from = end;
    nested = false;
  }
  add({done, line.size(), false});
  emit(have_last ? last : Piece{0, line.size(), false});
}

namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

constexpr std::string_view kDamaged = "(damaged)";

// Reading a log.

bool is_lfs_line(std::string_view line) {
  return line.starts_with("version https://git-lfs") || line.starts_with("oid sha256:") ||
         (line.starts_with("size ") && line.size() < 32);
}

// Returns whether the text is a slash command without arguments: "/clear", "/model".
bool is_bare_command(std::string_view text) {
  return text == "exit" || text == "quit" ||
         (text.starts_with('/') && text.find_first_of(" \t\r\n") == std::string_view::npos &&
          text.find('/', 1) == std::string_view::npos);
}

// Returns the bytes with encoding errors replaced, followed by padding.
std::string padded_clean(std::string_view bytes, bool& replaced, std::size_t& size) {
  std::string cleaned = cleaned_json(bytes, replaced);
  size = cleaned.size();
  cleaned.resize(size + kRecordPadding, ' ');
  return cleaned;
}

}  // namespace

struct LogDecoder::Parsers {
  od::parser records;
  od::document document;
  simdjson::dom::parser strict;
};

LogDecoder::LogDecoder(Platform platform, Rules rules)
    : platform_(platform), rules_(rules), parsers_(std::make_unique<Parsers>()) {}

LogDecoder::~LogDecoder() = default;

bool LogDecoder::parse_strictly(std::string_view json) const {
  simdjson::dom::element whole;
  return !parsers_->strict.parse(json.data(), json.size(), false).get(whole);
}

bool LogDecoder::open_object(std::string_view json) const {
  if (rules_.strict && !parse_strictly(json)) return false;
  auto& document = parsers_->document;
  if (parsers_->records.iterate(json.data(), json.size(), json.size() + kRecordPadding).get(document)) return false;
  od::object root;
  if (document.get_object().get(root)) return false;
  if (!open(root)) return false;
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing follows the object
}

bool LogDecoder::is_complete(std::string_view bytes) const {
  const auto last = bytes.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos || bytes[last] != '}') return false;
  if (open_object(bytes)) return true;
  bool replaced = false;
  std::size_t size = 0;
  const std::string cleaned = padded_clean(bytes, replaced, size);
  return open_object({cleaned.data(), size});
}

void LogDecoder::decode(const RawRecord& record, EventBatch& out) {
  if (record.offset == 0) begin_source(out);
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  if (rules_.items) return decode_item(record, raw, out);
  const auto first = record.bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    if (bytes > 0) out.cover("(blank)", Disposition::skipped, "blank", bytes);
    return;
  }
  RecordOutcome outcome;
  if (record.bytes[first] == '{' && open_object(record.bytes) && read_open(raw, out, outcome)) {
    out.cover(outcome.type, outcome.disposition, outcome.reason, bytes);
    return;
  }
  if (rules_.knows_lfs && is_lfs_line(record.bytes)) {
    out.cover("(git-lfs pointer)", Disposition::skipped, "git_lfs_pointer", bytes);
    if (record.bytes.starts_with("version "))
      out.diagnostics.push_back({platform_, DiagnosticType::not_a_transcript, Severity::error, {}, 0, record.offset});
    return;
  }
  recover(record, out);
}

void LogDecoder::decode_item(const RawRecord& record, RawRef raw, EventBatch& out) {
  const auto diagnose = [&](DiagnosticType type) {
    out.diagnostics.push_back({platform_, type, Severity::warning, {}, 0, record.offset});
  };
  RecordOutcome outcome;
  if (record.bytes.empty() || !open_object(record.bytes) || !read_open(raw, out, outcome)) {
    bool replaced = false;
    std::size_t size = 0;
    const std::string cleaned = padded_clean(record.bytes, replaced, size);
    if (!open_object({cleaned.data(), size}) || !read_open(raw, out, outcome)) {
      outcome = RecordOutcome::damaged(kDamaged);
      diagnose(DiagnosticType::damaged_record);
    } else if (replaced) {
      diagnose(DiagnosticType::invalid_encoding);
    }
  }
  out.cover(outcome.type, outcome.disposition, outcome.reason, record.bytes.size() + (record.newline_follows ? 1 : 0));
}

bool LogDecoder::read_open(RawRef raw, EventBatch& out, RecordOutcome& outcome) {
  const auto before = out.length();
  parsers_->document.rewind();
  od::object root;
  if (parsers_->document.get_object().get(root)) return false;
  outcome = read(root, raw, out);
  if (!outcome.broken && parsers_->document.is_alive()) return true;  // otherwise invalid JSON was met on the way
  out.cut_back(before);
  return false;
}

void LogDecoder::recover(const RawRecord& record, EventBatch& out) {
  std::vector<RecordOutcome> found;
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
      const RecordOutcome& f = found[told++];
      out.cover(f.type, f.disposition, f.reason, bytes);
    } else {
      out.cover(kDamaged, Disposition::skipped, "damaged", bytes);
    }
    if (piece.record && piece.begin == 0 && last) return;  // only its encoding was wrong, which is already reported
    out.diagnostics.push_back({platform_,
                               piece.record ? DiagnosticType::recovered_record : DiagnosticType::damaged_record,
                               Severity::warning,
                               {},
                               0,
                               record.offset + piece.begin});
  });
}

Slice LogDecoder::take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out,
                             std::vector<RecordOutcome>& found) {
  bool replaced = false;
  std::size_t size = 0;
  const std::string cleaned = padded_clean(slice, replaced, size);
  const std::string_view json(cleaned.data(), size);
  if (!rules_.strict && !parse_strictly(json)) return Slice::broken;
  if (!open_object(json)) return Slice::broken;
  if (nested && !surely_a_record()) return Slice::not_record;
  RecordOutcome outcome;
  if (!read_open(raw, out, outcome)) return Slice::broken;
  if (replaced)
    out.diagnostics.push_back({platform_, DiagnosticType::invalid_encoding, Severity::warning, {}, 0, raw.offset});
  found.push_back(std::move(outcome));
  return Slice::record;
}

RecordOutcome add_history_prompt(const HistoryPrompt& prompt, RawRef raw, EventBatch& out, std::string_view type) {
  const auto text = trimmed(prompt.text);
  if (text.empty()) return RecordOutcome::skipped("blank_message", type);
  if (is_bare_command(text)) return RecordOutcome::skipped("command", type);
  Event& e = out.events.emplace_back();
  e.session_uid = prompt.session_uid;
  e.event_id = hash_combine(
      record_key(prompt.platform, "history/" + prompt.session_uid + "/" + std::to_string(prompt.time)), hash64(text));
  e.time = prompt.time;
  e.kind = EventKind::user_msg;
  e.role = Role::user;
  e.origin = Origin::history;
  e.raw = raw;
  e.text = text;
  e.cwd = prompt.cwd;
  e.starts_exchange = true;
  return RecordOutcome::indexed(type);
}

}  // namespace memd::json
