#include "daemon/admin/grpc/messages.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"

#include <google/protobuf/util/json_util.h>

namespace memd::admin::rpc {

std::string arguments_of(const google::protobuf::Message& request) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string out;
  const auto written = google::protobuf::util::MessageToJsonString(request, &out, options);
  return written.ok() ? out : "{}";
}

grpc::Status status_of(const Error& error) {
  const auto code = [&] {
    using enum grpc::StatusCode;
    if (error.is(Errc::invalid_argument)) return INVALID_ARGUMENT;
    if (error.is(Errc::not_found)) return NOT_FOUND;
    if (error.is(Errc::bad_config) || error.is(Errc::store_version)) return FAILED_PRECONDITION;
    if (error.is(Errc::store_corrupt)) return DATA_LOSS;
    if (error.is(Errc::store_busy) || error.is(Errc::unavailable) || error.is(Errc::busy)) return UNAVAILABLE;
    if (error.is(Errc::permission)) return PERMISSION_DENIED;
    if (error.is(Errc::cancelled)) return CANCELLED;
    if (error.is(Errc::unsupported)) return UNIMPLEMENTED;
    if (error.is(Errc::exhausted)) return RESOURCE_EXHAUSTED;
    return INTERNAL;
  }();
  return {code, harmless(error.message())};
}

grpc::Status read_report(google::protobuf::Message& out, const std::string& json) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto read = google::protobuf::util::JsonStringToMessage(json, &out, options);
  return read.ok() ? grpc::Status::OK : grpc::Status(grpc::StatusCode::INTERNAL, harmless(read.ToString()));
}

}  // namespace memd::admin::rpc
