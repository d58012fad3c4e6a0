#pragma once

#include "daemon/admin/grpc/live_calls.hpp"

#include <memd/admin/v1/admin.grpc.pb.h>

namespace memd::admin::rpc {

// The service of schemas/proto. Each call is a method of AdminService and runs on a worker. Called on gRPC's threads.
class RpcService final : public v1::Admin::CallbackService {
 public:
  explicit RpcService(LiveCalls& calls) : calls_(calls) {}

  using Context = grpc::CallbackServerContext;
  using Unary = grpc::ServerUnaryReactor;

  Unary* Rescan(Context*, const v1::IngestParams* request, v1::IngestReport* response) override;
  Unary* Status(Context*, const v1::NoParams* request, v1::StatusReport* response) override;
  Unary* ListSources(Context*, const v1::SourceListParams* request, v1::SourceListReport* response) override;
  Unary* GetMetrics(Context*, const v1::NoParams* request, v1::MetricsReport* response) override;
  Unary* GetConfiguration(Context*, const v1::NoParams* request, v1::ConfigurationReport* response) override;
  grpc::ServerWriteReactor<v1::EventsReport>* WatchEvents(Context*, const v1::EventsParams* request) override;
  Unary* ListLog(Context*, const v1::LogParams* request, v1::LogReport* response) override;
  Unary* ListDiagnostics(Context*, const v1::DiagnosticsParams* request, v1::DiagnosticsReport* response) override;
  Unary* Doctor(Context*, const v1::DoctorParams* request, v1::DoctorReport* response) override;
  Unary* Retention(Context*, const v1::RetentionParams* request, v1::RetentionReport* response) override;
  Unary* Forget(Context*, const v1::ForgetParams* request, v1::ForgetReport* response) override;
  Unary* Project(Context*, const v1::ProjectParams* request, v1::ProjectReport* response) override;
  Unary* MemoryCatalog(Context*, const v1::MemoryCatalogParams* request, v1::MemoryCatalogReport* response) override;
  Unary* Capture(Context*, const v1::CaptureParams* request, v1::CaptureAnswer* response) override;
  Unary* Compact(Context*, const v1::CompactParams* request, v1::CompactReport* response) override;
  Unary* Rebuild(Context*, const v1::RebuildParams* request, v1::RebuildResponse* response) override;
  Unary* Recall(Context*, const v1::RecallParams* request, v1::RecallReport* response) override;
  Unary* GetCoverage(Context*, const v1::CoverageParams* request, v1::CoverageReport* response) override;
  Unary* Import(Context*, const v1::ImportParams* request, v1::ImportReport* response) override;
  Unary* Share(Context*, const v1::ShareParams* request, v1::ShareReport* response) override;

 private:
  LiveCalls& calls_;
};

}  // namespace memd::admin::rpc
