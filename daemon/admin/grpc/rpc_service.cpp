#include "daemon/admin/grpc/rpc_service.hpp"

#include "daemon/admin/admin_service.hpp"
#include "daemon/admin/grpc/event_stream.hpp"
#include "daemon/admin/grpc/unary_call.hpp"

namespace memd::admin::rpc {
namespace {

template <class Method>
grpc::ServerUnaryReactor* answer(LiveCalls& calls, const Method& method, const google::protobuf::Message* request,
                                 google::protobuf::Message* response) {
  return UnaryCall<Method>::begin(calls, method, *request, *response);
}

}  // namespace

using Unary = RpcService::Unary;

Unary* RpcService::Rescan(Context*, const v1::IngestParams* request, v1::IngestReport* response) {
  return answer(calls_, calls_.service().ingest, request, response);
}
Unary* RpcService::Status(Context*, const v1::NoParams* request, v1::StatusReport* response) {
  return answer(calls_, calls_.service().status, request, response);
}
Unary* RpcService::ListSources(Context*, const v1::SourceListParams* request, v1::SourceListReport* response) {
  return answer(calls_, calls_.service().sources, request, response);
}
Unary* RpcService::GetMetrics(Context*, const v1::NoParams* request, v1::MetricsReport* response) {
  return answer(calls_, calls_.service().metrics, request, response);
}
Unary* RpcService::GetConfiguration(Context*, const v1::NoParams* request, v1::ConfigurationReport* response) {
  return answer(calls_, calls_.service().configuration, request, response);
}
Unary* RpcService::ListLog(Context*, const v1::LogParams* request, v1::LogReport* response) {
  return answer(calls_, calls_.service().log, request, response);
}
Unary* RpcService::ListDiagnostics(Context*, const v1::DiagnosticsParams* request, v1::DiagnosticsReport* response) {
  return answer(calls_, calls_.service().diagnostics, request, response);
}
Unary* RpcService::Doctor(Context*, const v1::DoctorParams* request, v1::DoctorReport* response) {
  return answer(calls_, calls_.service().doctor, request, response);
}
Unary* RpcService::Retention(Context*, const v1::RetentionParams* request, v1::RetentionReport* response) {
  return answer(calls_, calls_.service().retention, request, response);
}
Unary* RpcService::Forget(Context*, const v1::ForgetParams* request, v1::ForgetReport* response) {
  return answer(calls_, calls_.service().forget, request, response);
}
Unary* RpcService::Project(Context*, const v1::ProjectParams* request, v1::ProjectReport* response) {
  return answer(calls_, calls_.service().project, request, response);
}
Unary* RpcService::MemoryCatalog(Context*, const v1::MemoryCatalogParams* request, v1::MemoryCatalogReport* response) {
  return answer(calls_, calls_.service().memory_catalog, request, response);
}
Unary* RpcService::Capture(Context*, const v1::CaptureParams* request, v1::CaptureAnswer* response) {
  return answer(calls_, calls_.service().capture, request, response);
}
Unary* RpcService::Compact(Context*, const v1::CompactParams* request, v1::CompactReport* response) {
  return answer(calls_, calls_.service().compact, request, response);
}
Unary* RpcService::Rebuild(Context*, const v1::RebuildParams* request, v1::RebuildResponse* response) {
  return answer(calls_, calls_.service().rebuild, request, response);
}
Unary* RpcService::Recall(Context*, const v1::RecallParams* request, v1::RecallReport* response) {
  return answer(calls_, calls_.service().recall, request, response);
}
Unary* RpcService::GetCoverage(Context*, const v1::CoverageParams* request, v1::CoverageReport* response) {
  return answer(calls_, calls_.service().coverage, request, response);
}
Unary* RpcService::Import(Context*, const v1::ImportParams* request, v1::ImportReport* response) {
  return answer(calls_, calls_.service().import, request, response);
}

Unary* RpcService::Share(Context*, const v1::ShareParams* request, v1::ShareReport* response) {
  return answer(calls_, calls_.service().share, request, response);
}

grpc::ServerWriteReactor<v1::EventsReport>* RpcService::WatchEvents(Context*, const v1::EventsParams* request) {
  return EventStream::begin(calls_, *request);
}

}  // namespace memd::admin::rpc
