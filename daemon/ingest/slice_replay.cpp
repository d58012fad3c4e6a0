#include "daemon/ingest/slice_replay.hpp"

#include "daemon/ingest/log_decoding.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <optional>

namespace memd {

void SliceReplay::learn(const std::vector<Source>& sources) {
  for (const auto& s : sources)
    sources_[{s.platform, s.path}] = s;
}

void SliceReplay::decode_items(const raw::Part& part, std::string_view content, const Adapter& adapter,
                               SourceSlice& slice) {
  if (!slice.items) return;
  Source of_session = slice.source;
  of_session.session_uid = slice.items->session_uid;
  const auto decoder = adapter.open(of_session);
  if (slice.items->has_head) decoder->decode({ascii::take_until(content, '\n'), 0, false}, slice.batch);
  std::uint64_t number = part.items->keep;
  for (const auto& item : slice.items->added) {
    const std::string_view line = ascii::take_until(content, '\n');
    ++number;
    if (item.ledger.record_type == "(oversized)")
      slice.batch.diagnostics.push_back(
          {slice.source.platform, DiagnosticType::oversized_record, Severity::warning, {}, 0, number});
    else if (line.find_first_not_of(' ') != std::string_view::npos)  // else it was withheld from capture, or forgotten
      decoder->decode({line, number, false}, slice.batch);
  }
  slice.batch.coverage.clear();  // the store derives it from the items
}

Result<SourceSlice> SliceReplay::slice(const raw::FrameHeader& h, const raw::Part& p, std::string_view content) {
  const Adapter* adapter = find_(h.platform);
  if (adapter == nullptr) return Error(Errc::unsupported, "no adapter for " + std::string(to_string(h.platform)));
  Source& source = sources_[{h.platform, h.path}];
  static_cast<SourceName&>(source) = h;
  source.generation = h.generation;
  source.identity = p.identity;
  source.size = p.size;
  source.mtime = p.mtime;
  source.state = SourceState::active;
  source.state_reason.clear();

  SourceSlice slice;
  slice.adapter_version = adapter->describe().adapter_version;
  slice.restart = p.restart;
  if (h.kind == raw::FrameKind::items) {
    source.cursor = p.first;
    source.mark = p.mark;
    slice.source = source;
    slice.items = p.items;
    slice.rest = p.rest;
    slice.size_is_estimate = p.size_is_estimate;
    decode_items(p, content, *adapter, slice);
  } else {
    if (p.restart) restart_source(source, p.restart_why, slice.batch);
    if (source.cursor != p.first && p.first == 0) {
      slice.restart = true;  // it was read again after the raw layer lost a part
      restart_source(source, std::nullopt, slice.batch);
    } else if (source.cursor < p.first) {
      slice.batch.cover("(lost)", Disposition::skipped, "the original records have lost it", p.first - source.cursor);
      source.cursor = p.first;
      source.open_tail.clear();
    }
    const auto decoder = adapter->open(source);
    if (h.kind == raw::FrameKind::document) {
      decoder->decode({content, 0, false}, slice.batch);
      source.cursor = content.size();
    } else if (!content.empty()) {
      decode_log(content, source, *decoder, slice.batch);
    }
    if (p.passed_over > 0) pass_over_oversized(p.passed_over, p.passed_over_ends, source, slice.batch);
    slice.source = source;
  }
  return slice;
}

}  // namespace memd
