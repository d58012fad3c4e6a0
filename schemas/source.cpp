#include "schemas/source.hpp"

namespace memd {

std::string_view to_string(SourceFormat f) {
  switch (f) {
    case SourceFormat::jsonl: return "jsonl";
    case SourceFormat::json: return "json";
    case SourceFormat::sqlite: return "sqlite";
  }
  return "unknown";
}

std::string_view to_string(SourceState s) {
  switch (s) {
    case SourceState::active: return "active";
    case SourceState::gone: return "gone";
    case SourceState::unreachable: return "unreachable";
    case SourceState::quarantined: return "quarantined";
  }
  return "unknown";
}

std::string_view to_string(IngestionStep step) {
  switch (step) {
    case IngestionStep::found: return "found";
    case IngestionStep::read: return "read";
    case IngestionStep::appended: return "appended";
    case IngestionStep::restarted: return "restarted";
    case IngestionStep::gone: return "gone";
    case IngestionStep::unreachable: return "unreachable";
    case IngestionStep::back: return "back";
    case IngestionStep::quarantined: return "quarantined";
    case IngestionStep::released: return "released";
    case IngestionStep::unsupported: return "unsupported";
    case IngestionStep::drift: return "drift";
  }
  return "unknown";
}

std::string_view to_string(RawMode mode) {
  switch (mode) {
    case RawMode::off: return "off";
    case RawMode::as_is: return "as_is";
    case RawMode::masked: return "masked";
  }
  return "off";
}

std::optional<RawMode> parse_raw_mode(std::string_view text) {
  for (const RawMode mode : {RawMode::off, RawMode::as_is, RawMode::masked})
    if (to_string(mode) == text) return mode;
  return std::nullopt;
}

}  // namespace memd
