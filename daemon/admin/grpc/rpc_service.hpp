#pragma once

#include "daemon/admin/admin_service.hpp"
#include "daemon/admin/grpc/event_stream.hpp"
#include "daemon/admin/grpc/unary_call.hpp"

#include <memd/admin/v1/admin.grpc.pb.h>

namespace memd::admin::rpc {

// The service of schemas/proto. Each call is a method of AdminService and runs on a worker. Called on gRPC's threads.
class RpcService final : public v1::Admin::CallbackService {
 public:
  explicit RpcService(LiveCalls& calls) : calls_(calls) {}

  using Context = grpc::CallbackServerContext;
  using Unary = grpc::ServerUnaryReactor;

#define MEMD_RPC(Rpc, method, Params, Report)                                                                      \
  Unary* Rpc(Context*, const v1::Params* request, v1::Report* response) override {                                 \
    return UnaryCall<decltype(AdminService::method)>::begin(calls_, calls_.service().method, *request, *response); \
  }
  MEMD_RPC(Rescan, ingest, IngestParams, IngestReport)
  MEMD_RPC(Status, status, NoParams, StatusReport)
  MEMD_RPC(ListSources, sources, SourceListParams, SourceListReport)
  MEMD_RPC(GetMetrics, metrics, NoParams, MetricsReport)
  MEMD_RPC(GetConfiguration, configuration, NoParams, ConfigurationReport)
  MEMD_RPC(ListLog, log, LogParams, LogReport)
  MEMD_RPC(ListDiagnostics, diagnostics, DiagnosticsParams, DiagnosticsReport)
  MEMD_RPC(Doctor, doctor, DoctorParams, DoctorReport)
  MEMD_RPC(Retention, retention, RetentionParams, RetentionReport)
  MEMD_RPC(Forget, forget, ForgetParams, ForgetReport)
  MEMD_RPC(Project, project, ProjectParams, ProjectReport)
  MEMD_RPC(MemoryCatalog, memory_catalog, MemoryCatalogParams, MemoryCatalogReport)
  MEMD_RPC(Capture, capture, CaptureParams, CaptureAnswer)
  MEMD_RPC(Compact, compact, CompactParams, CompactReport)
  MEMD_RPC(Rebuild, rebuild, RebuildParams, RebuildResponse)
  MEMD_RPC(Recall, recall, RecallParams, RecallReport)
  MEMD_RPC(GetCoverage, coverage, CoverageParams, CoverageReport)
  MEMD_RPC(Import, import, ImportParams, ImportReport)
  MEMD_RPC(Share, share, ShareParams, ShareReport)
#undef MEMD_RPC

  grpc::ServerWriteReactor<v1::EventsReport>* WatchEvents(Context*, const v1::EventsParams* request) override {
    return EventStream::begin(calls_, *request);
  }

 private:
  LiveCalls& calls_;
};

}  // namespace memd::admin::rpc
