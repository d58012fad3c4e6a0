#pragma once

#include "daemon/admin/configuration_report.hpp"
#include "daemon/admin/event_report.hpp"
#include "daemon/admin/forget_tool.hpp"
#include "daemon/admin/memory_tool.hpp"
#include "daemon/admin/metrics.hpp"
#include "daemon/admin/process_facts.hpp"
#include "daemon/admin/project_tool.hpp"
#include "daemon/admin/recall_tool.hpp"
#include "daemon/admin/reports.hpp"
#include "daemon/admin/share_tool.hpp"
#include "daemon/admin/source_list.hpp"
#include "daemon/admin/upkeep.hpp"
#include "daemon/tools/capture.hpp"
#include "daemon/tools/diagnostics.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/result.hpp"

#include <functional>
#include <string_view>

namespace memd {
class MemoryHost;
}

namespace memd::admin {

// An administrative method: its parameters, its report and its implementation. Runs on a worker thread.
template <class Params_, class Report_>
struct AdminMethod {
  using Params = Params_;
  using Report = Report_;

  mcp::ToolInfo info;    // "memd/<name>" of the main socket
  std::string_view rpc;  // its name in the gRPC service
  std::function<Result<Report>(const Params&, mcp::ToolContext&)> run;
};

// The administration of a memd. It implements both interfaces: the methods "memd/…" of the main socket and the service
// of the gRPC door. Constant after construction; any thread. The host must outlive it and its copies.
struct AdminService {
  AdminService(MemoryHost& host, ProcessFacts facts);

  AdminMethod<IngestParams, IngestReport> ingest;
  AdminMethod<NoParams, StatusReport> status;
  AdminMethod<SourceListParams, SourceListReport> sources;
  AdminMethod<NoParams, MetricsReport> metrics;
  AdminMethod<NoParams, ConfigurationReport> configuration;
  AdminMethod<EventsParams, EventsReport> events;
  AdminMethod<LogParams, LogReport> log;
  AdminMethod<tools::DiagnosticsParams, tools::DiagnosticsReport> diagnostics;
  AdminMethod<DoctorParams, DoctorReport> doctor;
  AdminMethod<RetentionParams, RetentionReport> retention;
  AdminMethod<ForgetParams, ForgetReport> forget;
  AdminMethod<ProjectParams, ProjectReport> project;
  AdminMethod<MemoryCatalogParams, MemoryCatalogReport> memory_catalog;
  AdminMethod<tools::CaptureParams, tools::CaptureAnswer> capture;
  AdminMethod<CompactParams, CompactReport> compact;
  AdminMethod<RebuildParams, RebuildResponse> rebuild;
  AdminMethod<RecallParams, RecallReport> recall;
  AdminMethod<CoverageParams, CoverageReport> coverage;
  AdminMethod<ImportParams, ImportReport> import;
  AdminMethod<ShareParams, ShareReport> share;

  // Calls `f` with each method.
  template <class F>
  void each(F&& f) const {
    f(ingest), f(status), f(sources), f(metrics), f(configuration), f(events), f(log), f(diagnostics), f(doctor);
    f(retention), f(forget), f(project), f(memory_catalog), f(capture), f(compact), f(rebuild), f(recall), f(coverage);
    f(import), f(share);
  }
};

}  // namespace memd::admin
