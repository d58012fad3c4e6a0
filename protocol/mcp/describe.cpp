#include "protocol/mcp/describe.hpp"

namespace memd::mcp::detail {

void write_struct(json::Writer& w, std::span<const WrittenField> fields, const void* object) {
  w.begin_object();
  for (const WrittenField& field : fields) {
    const void* const member = field.member(object);
    if (field.is_absent != nullptr && field.is_absent(member)) continue;
    w.key(field.name);
    field.write(w, member);
  }
  w.end_object();
}

void write_struct_schema(json::Writer& w, SchemaUse use, std::string_view description,
                         std::span<const SchemaField> fields, const void* defaults) {
  w.begin_object();
  w.member("type", "object");
  if (!description.empty()) w.member("description", description);
  w.key("properties");
  w.begin_object();
  for (const SchemaField& field : fields) {
    if (field.rules->unlisted) continue;
    w.key(field.name);
    const bool shows_default = use == SchemaUse::input && !field.rules->required;
    field.write(w, use, field, shows_default ? field.member(defaults) : nullptr);
  }
  w.end_object();
  // A parameter is required if it is declared so. A result field is always present unless it is optional.
  std::vector<std::string_view> names;
  for (const SchemaField& field : fields)
    if (use == SchemaUse::input ? field.rules->required : !field.may_be_absent) names.push_back(field.name);
  if (!names.empty()) {
    w.key("required");
    w.begin_array();
    for (const std::string_view name : names)
      w.string(name);
    w.end_array();
  }
  w.end_object();
}

Result<void> read_arguments(const boost::json::object& arguments, std::span<const ArgumentField> fields, void* object) {
  ArgumentReader reader(arguments);
  for (const ArgumentField& field : fields)
    field.read(reader, field, const_cast<void*>(field.member(object)));
  return reader.finish();
}

}  // namespace memd::mcp::detail
