#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace memd::test {

// Returns the violations of `value` against the subset of JSON Schema that mcp::Tool::whole_schema uses; empty if there
// are none. Stricter than the standard: an undeclared property and a keyword that is not checked here are errors.
inline std::string schema_problems(const boost::json::object& schema, const boost::json::value& value,
                                   const std::string& path = "$") {
  const auto* type = schema.if_contains("type");
  if (type == nullptr) return path + ": schema without type\n";
  const auto& t = type->as_string();
  std::string out;
  constexpr std::array<std::string_view, 7> kKeywords{"type",     "description", "properties", "additionalProperties",
                                                      "required", "items",       "enum"};
  for (const auto& keyword : schema)
    if (std::find(kKeywords.begin(), kKeywords.end(), keyword.key()) == kKeywords.end())
      out += path + ": keyword " + std::string(keyword.key()) + "\n";
  if (t == "object") {
    if (!value.is_object()) return path + ": no object\n";
    const auto* properties = schema.if_contains("properties");
    const auto* additional = schema.if_contains("additionalProperties");
    for (const auto& member : value.as_object()) {
      const std::string name(member.key());
      const auto* declared = properties != nullptr ? properties->as_object().if_contains(member.key()) : nullptr;
      if (declared != nullptr)
        out += schema_problems(declared->as_object(), member.value(), path + "." + name);
      else if (additional != nullptr)
        out += schema_problems(additional->as_object(), member.value(), path + "." + name);
      else
        out += path + "." + name + ": not declared\n";
    }
    if (const auto* required = schema.if_contains("required"))
      for (const auto& name : required->as_array())
        if (!value.as_object().contains(name.as_string()))
          out += path + ": lacks " + std::string(name.as_string()) + "\n";
  } else if (t == "array") {
    if (!value.is_array()) return path + ": no array\n";
    std::size_t i = 0;
    for (const auto& item : value.as_array())
      out += schema_problems(schema.at("items").as_object(), item, path + "[" + std::to_string(i++) + "]");
  } else if (t == "string") {
    if (!value.is_string()) return path + ": no string\n";
    if (const auto* choices = schema.if_contains("enum"))
      if (std::find(choices->as_array().begin(), choices->as_array().end(), value) == choices->as_array().end())
        out += path + ": not one of the choices\n";
  } else if (t == "integer") {
    if (!value.is_int64() && !value.is_uint64()) out += path + ": no integer\n";
  } else if (t == "number") {
    if (!value.is_number()) out += path + ": no number\n";
  } else if (t == "boolean") {
    if (!value.is_bool()) out += path + ": no boolean\n";
  } else {
    out += path + ": unknown type\n";
  }
  return out;
}

}  // namespace memd::test
