#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

// Conversions between the described structs of the administration and the messages of schemas/proto. Fields have the
// same names and types in both; a test compares them. Pure; any thread.
namespace memd::admin::rpc {

// Returns the fields that are set as a JSON object. Requests contain no nested messages.
std::string arguments_of(const google::protobuf::Message& request);

// Returns the status for a failure: a gRPC code, and the sentence that the main socket would send.
grpc::Status status_of(const Error& error);

// Replaces invalid UTF-8 by U+FFFD. Strings of messages must be UTF-8, and paths need not be.
std::string well_formed(std::string_view text);

namespace detail {

// The destination of one field's value.
struct Place {
  google::protobuf::Message& message;
  const google::protobuf::FieldDescriptor* field;
};

void set(Place place, bool value);
void set(Place place, std::int64_t value);
void set(Place place, std::uint64_t value);
void set(Place place, double value);
void set(Place place, std::string_view value);
// Returns the message of the field; for a repeated field, a new one.
google::protobuf::Message& open(Place place);
// Returns the field of that name; nullptr: none.
const google::protobuf::FieldDescriptor* field_named(const google::protobuf::Message& message, std::string_view name);

template <mcp::Described T>
void fill(google::protobuf::Message& out, const T& value);

template <class T>
void put(Place place, const T& value) {
  if constexpr (std::same_as<T, bool> || std::floating_point<T>)
    set(place, value);
  else if constexpr (std::unsigned_integral<T>)
    set(place, static_cast<std::uint64_t>(value));
  else if constexpr (std::integral<T>)
    set(place, static_cast<std::int64_t>(value));
  else if constexpr (mcp::detail::is_optional<T>) {
    if (value) put(place, *value);
  } else if constexpr (mcp::detail::is_vector<T>) {
    for (const auto& item : value)
      put<typename T::value_type>(place, item);
  } else if constexpr (std::convertible_to<const T&, std::string_view>)
    set(place, std::string_view(value));
  else
    fill(open(place), value);
}

template <mcp::Described T>
void fill(google::protobuf::Message& out, const T& value) {
  mcp::kFieldsOf<T>.each([&](const auto& field) {
    put(Place{out, field_named(out, field.name)}, value.*(field.member));
  });
}

}  // namespace detail

// Writes a report into its message, which must be empty.
template <mcp::Described T>
void write_report(google::protobuf::Message& out, const T& report) {
  detail::fill(out, report);
}

}  // namespace memd::admin::rpc
