#include "protocol/mcp/describe.hpp"

#include "schemas/base/envelopes.hpp"

namespace memd::mcp::detail {

void write_struct(json::Writer& w, std::span<const WrittenField> fields, const void* object, Texts texts) {
  w.begin_object();
  for (const WrittenField& field : fields) {
    const void* const member = field.member(object);
    if (field.is_absent != nullptr && field.is_absent(member)) continue;
    w.key(field.name);
    field.write(w, member, texts);
  }
  w.end_object();
}

void write_recorded(json::Writer& w, std::string_view text, Texts texts) {
  if (texts == Texts::as_they_are)
    w.string(text);
  else
    w.string(without_envelopes(text));
}

void write_recorded_key(json::Writer& w, std::string_view text, Texts texts) {
  if (texts == Texts::as_they_are)
    w.key(text);
  else
    w.key(without_envelopes(text));
}

bool is_described(SchemaUse use, std::string_view description) {
  constexpr std::size_t kSaysMoreThanAName = 45;
  return !description.empty() && (use != SchemaUse::tool_result || description.size() >= kSaysMoreThanAName);
}

void write_struct_schema(json::Writer& w, SchemaUse use, std::string_view description,
                         std::span<const SchemaField> fields, const void* defaults) {
  w.begin_object();
  w.member("type", "object");
  if (is_described(use, description)) w.member("description", description);
  bool has_more = false;  // members that are not listed
  const auto is_listed = [use](const SchemaField& field) {
    return !field.rules->unlisted && !(use == SchemaUse::tool_result && field.rules->recurs);
  };
  w.key("properties");
  w.begin_object();
  for (const SchemaField& field : fields) {
    has_more = has_more || field.rules->recurs;
    if (!is_listed(field)) continue;
    w.key(field.name);
    const bool shows_default = use == SchemaUse::input && !field.rules->required;
    field.write(w, use, field, shows_default ? field.member(defaults) : nullptr);
  }
  w.end_object();
  // A parameter is required if it is declared so. A result field is always present unless it is optional.
  std::vector<std::string_view> names;
  for (const SchemaField& field : fields)
    if (is_listed(field) && (use == SchemaUse::input ? field.rules->required : !field.may_be_absent))
      names.push_back(field.name);
  if (!names.empty()) w.member_texts("required", names);
  if (use == SchemaUse::tool_result && has_more) w.member_bool("additionalProperties", true);
  w.end_object();
}

Result<void> read_arguments(const boost::json::object& arguments, std::span<const ArgumentField> fields, void* object) {
  ArgumentReader reader(arguments);
  for (const ArgumentField& field : fields)
    field.read(reader, field, const_cast<void*>(field.member(object)));
  return reader.finish();
}

}  // namespace memd::mcp::detail
