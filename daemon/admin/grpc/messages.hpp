#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/error.hpp"

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Between the described structs of the administration and the messages of schemas/proto, whose fields have the same
// names and types: a test compares the two. Pure; any thread.
namespace memd::admin::rpc {

// The fields that are set, as the JSON of an object. Requests have no messages in them.
std::string arguments_of(const google::protobuf::Message& request);

// How a failure is told to a client: a code of gRPC, and the sentence that the main socket would tell.
grpc::Status status_of(const Error& error);

// A string of a message has to be UTF-8, and a path need not be: other bytes become U+FFFD.
std::string well_formed(std::string_view text);

namespace detail {

// Where the value of one field goes.
struct Place {
  google::protobuf::Message& message;
  const google::protobuf::FieldDescriptor* field;
};

void set(Place place, bool value);
void set(Place place, std::int64_t value);
void set(Place place, std::uint64_t value);
void set(Place place, double value);
void set(Place place, std::string_view value);
// A message of the field: a new one of a repeated one.
google::protobuf::Message& open(Place place);
// nullptr: there is none.
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
  mcp::Describe<T>::fields.each([&](const auto& field) {
    put(Place{out, field_named(out, field.name)}, value.*(field.member));
  });
}

}  // namespace detail

// Writes a report into its message, which is empty.
template <mcp::Described T>
void write_report(google::protobuf::Message& out, const T& report) {
  detail::fill(out, report);
}

}  // namespace memd::admin::rpc
