#include "daemon/admin/memory_tool.hpp"

#include "store/catalog/catalog_state.hpp"

#include <fmt/format.h>

#include <chrono>

namespace memd::admin {

std::string render_text(const MemoryCatalogReport& r) {
  std::string out = fmt::format("The index of memories is {}: {} files.\n", r.state, r.files);
  if (!r.built_at.empty()) out += fmt::format("Made anew {} in {} ms: {}.\n", r.built_at, r.built_ms, r.reason);
  if (!r.trouble.empty()) out += fmt::format("It is not what the files are: {}\n", r.trouble);
  return out;
}

Result<MemoryCatalogReport> memory_catalog(MemoryHost& host, const MemoryCatalogParams& params) {
  memories::IndexerThread* const indexer = host.memory_indexer();
  if (params.rebuild) {
    if (indexer == nullptr) return Error(Errc::unavailable, "this process does not write");
    MEMD_TRY(indexer->rebuild("asked for"));
  }
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(std::chrono::seconds(5)));
  MEMD_TRY_ASSIGN(const auto status, reader->ask(catalog::CatalogStatusQuery{}));
  MemoryCatalogReport out;
  out.state = to_string(status.state);
  out.files = status.docs;
  out.reason = status.reason;
  if (status.built_at != 0) out.built_at = format_rfc3339(status.built_at);
  out.built_ms = status.built_ms;
  if (indexer != nullptr) out.trouble = indexer->trouble();
  return out;
}

}  // namespace memd::admin
