#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <string>

// Conversions between the described structs of the administration and the messages of schemas/proto, through their
// JSON: fields have the same names and types in both, which a test compares. Pure; any thread.
namespace memd::admin::rpc {

// Returns the fields that are set as a JSON object.
std::string arguments_of(const google::protobuf::Message& request);

// Returns the status for a failure: a gRPC code, and the sentence that the main socket would send.
grpc::Status status_of(const Error& error);

// Reads a message, which must be empty, from the JSON of its report. Not OK: the JSON is none.
grpc::Status read_report(google::protobuf::Message& out, const std::string& json);

// Writes a report into its message, which must be empty.
template <mcp::Described T>
grpc::Status write_report(google::protobuf::Message& out, const T& report) {
  return read_report(out, mcp::to_json(report, mcp::Texts::as_they_are));
}

}  // namespace memd::admin::rpc
