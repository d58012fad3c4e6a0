#include "daemon/ingest/record_finder.hpp"

#include "adapters/adapter.hpp"
#include "daemon/ingest/item_reader.hpp"
#include "daemon/ingest/raw_reader.hpp"

#include <string>

namespace memd {
namespace {

Result<std::string> read_from_source(const EventSource& where) {
  if (!where.item_key.empty()) {
    const Adapter* adapter = find_adapter(where.platform);
    if (adapter == nullptr) return Error(Errc::unsupported, "no adapter for " + std::string(to_string(where.platform)));
    return read_item(*adapter, where);
  }
  Source source;
  source.platform = where.platform;
  source.path = where.path;
  return read_record(source, where.raw);
}

}  // namespace

Result<void> RecordFinder::find(const EventSource& where, const Accept& accept) {
  const auto bytes = read_from_source(where);
  if (bytes && accept(std::string_view(*bytes).substr(0, bytes->size() - kRecordPadding))) return {};
  return archive_.find(where, accept);
}

}  // namespace memd
