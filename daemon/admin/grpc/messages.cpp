#include "daemon/admin/grpc/messages.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/utf8.hpp"

#include <google/protobuf/descriptor.h>

namespace memd::admin::rpc {

namespace pb = google::protobuf;

namespace {

// Writes the value of a field, or of its `index`th item.
void write_json(json::Writer& w, const pb::Message& message, const pb::FieldDescriptor& field, int index) {
  const pb::Reflection& of = *message.GetReflection();
  const bool is_item = field.is_repeated();
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      w.boolean(is_item ? of.GetRepeatedBool(message, &field, index) : of.GetBool(message, &field));
      break;
    case pb::FieldDescriptor::CPPTYPE_INT64:
      w.number(static_cast<std::int64_t>(is_item ? of.GetRepeatedInt64(message, &field, index)
                                                 : of.GetInt64(message, &field)));
      break;
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      w.number(static_cast<std::uint64_t>(is_item ? of.GetRepeatedUInt64(message, &field, index)
                                                  : of.GetUInt64(message, &field)));
      break;
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      w.number(is_item ? of.GetRepeatedDouble(message, &field, index) : of.GetDouble(message, &field));
      break;
    default: w.string(is_item ? of.GetRepeatedString(message, &field, index) : of.GetString(message, &field)); break;
  }
}

}  // namespace

std::string arguments_of(const pb::Message& request) {
  std::vector<const pb::FieldDescriptor*> present;
  request.GetReflection()->ListFields(request, &present);
  std::string out;
  json::Writer w(out);
  w.begin_object();
  for (const pb::FieldDescriptor* field : present) {
    w.key(field->name());
    if (!field->is_repeated()) {
      write_json(w, request, *field, 0);
      continue;
    }
    w.begin_array();
    for (int i = 0; i < request.GetReflection()->FieldSize(request, field); ++i)
      write_json(w, request, *field, i);
    w.end_array();
  }
  w.end_object();
  return out;
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

std::string well_formed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const bool is_ascii = static_cast<unsigned char>(text[i]) < 0x80;
    const std::size_t length = is_ascii ? 1 : utf8_length(text.substr(i));
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else
      out.append(text, i, length);
    i += length == 0 ? 1 : length;
  }
  return out;
}

namespace detail {

void set(Place place, bool value) {
  if (place.field == nullptr) return;
  const pb::Reflection& of = *place.message.GetReflection();
  if (place.field->is_repeated())
    of.AddBool(&place.message, place.field, value);
  else
    of.SetBool(&place.message, place.field, value);
}

void set(Place place, std::int64_t value) {
  if (place.field == nullptr) return;
  const pb::Reflection& of = *place.message.GetReflection();
  if (place.field->is_repeated())
    of.AddInt64(&place.message, place.field, value);
  else
    of.SetInt64(&place.message, place.field, value);
}

void set(Place place, std::uint64_t value) {
  if (place.field == nullptr) return;
  const pb::Reflection& of = *place.message.GetReflection();
  if (place.field->is_repeated())
    of.AddUInt64(&place.message, place.field, value);
  else
    of.SetUInt64(&place.message, place.field, value);
}

void set(Place place, double value) {
  if (place.field == nullptr) return;
  const pb::Reflection& of = *place.message.GetReflection();
  if (place.field->is_repeated())
    of.AddDouble(&place.message, place.field, value);
  else
    of.SetDouble(&place.message, place.field, value);
}

void set(Place place, std::string_view value) {
  if (place.field == nullptr) return;
  const pb::Reflection& of = *place.message.GetReflection();
  if (place.field->is_repeated())
    of.AddString(&place.message, place.field, well_formed(value));
  else
    of.SetString(&place.message, place.field, well_formed(value));
}

pb::Message& open(Place place) {
  const pb::Reflection& of = *place.message.GetReflection();
  return place.field->is_repeated() ? *of.AddMessage(&place.message, place.field)
                                    : *of.MutableMessage(&place.message, place.field);
}

const pb::FieldDescriptor* field_named(const pb::Message& message, std::string_view name) {
  return message.GetDescriptor()->FindFieldByName(std::string(name));
}

}  // namespace detail
}  // namespace memd::admin::rpc
