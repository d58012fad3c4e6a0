#include "daemon/admin/memory_tool.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/memories/indexer_thread.hpp"
#include "schemas/base/time.hpp"
#include "store/catalog/catalog_state.hpp"
#include "store/reader_pool.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>

namespace memd::admin {
namespace {

// Maximum number of files named in a check.
constexpr std::size_t kMostTold = 5;

}  // namespace

Result<MemoryCatalogReport> memory_catalog(MemoryHost& host, const MemoryCatalogParams& params) {
  memories::IndexerThread* const indexer = host.memory_indexer();
  if (params.rebuild) {
    if (indexer == nullptr) return host.does_not_write();
    MEMD_TRY(indexer->rebuild("asked for"));
  }
  constexpr std::chrono::milliseconds kPatience{1000};
  if (indexer != nullptr) indexer->await_look({}, kPatience);
  MemoryCatalogReport out;
  std::error_code ec;
  if (!std::filesystem::exists(host.settings().layout.database(), ec)) {  // nothing that could be damaged
    out.state = to_string(catalog::CatalogState::valid);
    return out;
  }
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(std::chrono::seconds(5)));
  MEMD_TRY_ASSIGN(const auto status, reader->ask(catalog::CatalogStatusQuery{}));
  MEMD_TRY_ASSIGN(auto figures, reader->ask(catalog::CatalogFiguresQuery{}));
  const bool is_damaged = !figures.damage.empty() && status.state == catalog::CatalogState::valid;
  out.state = to_string(is_damaged ? catalog::CatalogState::corrupted : status.state);
  out.memories = figures.memories;
  out.agent_files = figures.agent_files;
  out.invalid = figures.invalid;
  out.invalid_files = std::move(figures.invalid_files);
  out.files = status.docs;
  out.read_at = format_rfc3339(figures.read_at);
  out.reason = is_damaged ? figures.damage : status.reason;
  out.built_at = format_rfc3339(status.built_at);
  out.built_ms = status.built_ms;
  if (indexer == nullptr) return out;
  out.trouble = indexer->trouble();
  const auto looked = indexer->looked();
  out.looked_at = format_rfc3339(looked.at);
  for (const auto& [path, why] : looked.unread)
    out.unread.push_back(why.find(path.native()) == std::string::npos ? path.native() + ": " + why : why);
  for (const auto& file : looked.stale_indexes)
    out.stale_indexes.push_back(file.native());
  return out;
}

DoctorCheck check_memories(MemoryHost& host) {
  const auto report = memory_catalog(host, {});
  if (!report) return {"memories", "problem", report.error().message(), "See what is said about the store."};
  if (report->state != "valid")
    return {"memories", "problem",
            fmt::format("the index of memories is {}{}{}", report->state, report->reason.empty() ? "" : ": ",
                        report->reason),
            "The daemon rebuilds it when it starts; `memd memory rebuild` does it now. The files are not touched."};
  if (!report->trouble.empty())
    return {"memories", "problem", "the index of memories does not match the files: " + report->trouble,
            "It is retried automatically."};
  std::string detail = what_it_holds(*report);
  if (!report->unread.empty()) {
    for (std::size_t i = 0; i < report->unread.size() && i < kMostTold; ++i)
      detail += (i == 0 ? "; not read: " : ", ") + report->unread[i];
    return {"memories", "note", std::move(detail), "Make them readable to you; they are not found until then."};
  }
  if (!report->stale_indexes.empty()) {
    for (std::size_t i = 0; i < report->stale_indexes.size() && i < kMostTold; ++i)
      detail += (i == 0 ? "; does not fit the memories beside it: " : ", ") + report->stale_indexes[i];
    return {"memories", "note", std::move(detail),
            "It is not memd's to change. `memd memory health` in the project says what differs; `memd memory garden "
            "--apply` rebuilds it where memd may write (`memory: {opt_in: true}`)."};
  }
  if (report->invalid > 0) {
    detail += fmt::format("; {} break a rule and are not found", report->invalid);
    for (std::size_t i = 0; i < report->invalid_files.size(); ++i)
      detail += (i == 0 ? ": " : ", ") + report->invalid_files[i];
    return {"memories", "note", std::move(detail), "`memd memory health` in the project names rule, line and key."};
  }
  return {"memories", "ok", std::move(detail), ""};
}

}  // namespace memd::admin
