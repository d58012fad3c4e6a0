#pragma once

#include "daemon/tools/scope.hpp"
#include "schemas/base/result.hpp"
#include "schemas/session_row.hpp"
#include "store/reader_pool.hpp"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

// Readers of the store for a tool call, and what several tools ask them. Free functions without shared state; each may
// be called on any thread.
namespace memd::tools {

// Leases a reader whose queries end when the call is cancelled. Waits for one up to 5 s.
Result<ReaderPool::Lease> lease_reader(const ToolServices& services, std::stop_token stop);

// Runs SessionQuery. A not_found error also says how many sources are still to be read.
Result<SessionRow> find_session(const ToolServices& services, Reader& reader, std::string_view reference,
                                std::string_view project = {});

// Returns the session that a call names, else the newest one of `projects`: of one project, as FindProjectQuery finds
// it by what the call says.
Result<SessionRow> session_asked_for(const ToolServices& services, Reader& reader, const ProjectsAsked& projects,
                                     const std::optional<std::string>& session_id);

// Computes Answer::outside of a list: how many more items `query` counts without the project that narrowed the scope.
// nullopt if the scope was not narrowed.
template <class Query>
Result<std::optional<std::int64_t>> count_outside(Reader& reader, const Scope& scope, Query query,
                                                  std::int64_t Query::Answer::*total, std::int64_t inside) {
  if (!scope.narrowed) return std::optional<std::int64_t>();
  query.filter.project.clear();
  query.limit = 0;
  MEMD_TRY_ASSIGN(const auto everywhere, reader.ask(query));
  return std::optional(everywhere.*total - inside);
}

}  // namespace memd::tools
