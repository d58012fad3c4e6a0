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

}  // namespace memd
