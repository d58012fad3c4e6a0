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

#define MEMD_RPC(RPC, method, Params, Report)                                                                      \
  RPC(Context*, const v1::Params* request, v1::Report* response) override {                                        \
    return UnaryCall<decltype(AdminService::method)>::begin(calls_, calls_.service().method, *request, *response); \
  }
  MEMD_RPC(Unary* Rescan, ingest, IngestParams, IngestReport)
  MEMD_RPC(Unary* Status, status, NoParams, StatusReport)
  MEMD_RPC(Unary* ListSources, sources, SourceListParams, SourceListReport)
  MEMD_RPC(Unary* GetMetrics, metrics, NoParams, MetricsReport)
  MEMD_RPC(Unary* GetConfiguration, configuration, NoParams, ConfigurationReport)
  MEMD_RPC(Unary* ListLog, log, LogParams, LogReport)
  MEMD_RPC(Unary* ListDiagnostics, diagnostics, DiagnosticsParams, DiagnosticsReport)
  MEMD_RPC(Unary* Doctor, doctor, DoctorParams, DoctorReport)
  MEMD_RPC(Unary* Retention, retention, RetentionParams, RetentionReport)
  MEMD_RPC(Unary* Forget, forget, ForgetParams, ForgetReport)
  MEMD_RPC(Unary* Project, project, ProjectParams, ProjectReport)
  MEMD_RPC(Unary* MemoryCatalog, memory_catalog, MemoryCatalogParams, MemoryCatalogReport)
  MEMD_RPC(Unary* Capture, capture, CaptureParams, CaptureAnswer)
  MEMD_RPC(Unary* Compact, compact, CompactParams, CompactReport)
  MEMD_RPC(Unary* Rebuild, rebuild, RebuildParams, RebuildResponse)
  MEMD_RPC(Unary* Recall, recall, RecallParams, RecallReport)
  MEMD_RPC(Unary* GetCoverage, coverage, CoverageParams, CoverageReport)
  MEMD_RPC(Unary* Import, import, ImportParams, ImportReport)
  MEMD_RPC(Unary* Share, share, ShareParams, ShareReport)
#undef MEMD_RPC

  grpc::ServerWriteReactor<v1::EventsReport>* WatchEvents(Context*, const v1::EventsParams* request) override {
    return EventStream::begin(calls_, *request);
  }

 private:
  LiveCalls& calls_;
};

}  // namespace memd::admin::rpc
