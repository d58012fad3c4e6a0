#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/regex.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace memd::test {

// A validator for JSON Schema 2020-12 that supports the keywords below. Throws std::logic_error for any other keyword,
// so that no check is skipped silently.
class JsonSchema {
 public:
  explicit JsonSchema(boost::json::value schema) : root_(std::move(schema)) {}

  // Returns the violations, one per line; empty if there are none.
  std::string problems(const boost::json::value& value) const { return check(root_.as_object(), value, "$"); }

 private:
  using Object = boost::json::object;
  using Value = boost::json::value;

  static bool has_type(const Value& v, std::string_view type) {
    if (type == "object") return v.is_object();
    if (type == "array") return v.is_array();
    if (type == "string") return v.is_string();
    if (type == "null") return v.is_null();
    if (type == "boolean") return v.is_bool();
    if (type == "integer") return v.is_int64() || v.is_uint64();
    if (type == "number") return v.is_number();
    throw std::logic_error("type: " + std::string(type));
  }

  std::string check(const Object& schema, const Value& v, const std::string& at) const {
    std::string out;
    const auto wrong = [&](std::string_view what) { out += at + ": " + std::string(what) + "\n"; };
    for (const auto& [keyword, rule] : schema) {
      if (keyword == "type") {
        if (rule.is_array()) {
          const auto& types = rule.as_array();
          if (std::none_of(types.begin(), types.end(), [&](const Value& t) { return has_type(v, t.as_string()); }))
            wrong("is none of its types");
        } else if (!has_type(v, rule.as_string())) {
          wrong("is no " + std::string(rule.as_string()));
        }
      } else if (keyword == "const") {
        if (v != rule) wrong("is not " + boost::json::serialize(rule));
      } else if (keyword == "enum") {
        const auto& all = rule.as_array();
        if (std::find(all.begin(), all.end(), v) == all.end()) wrong("is not one of the choices");
      } else if (keyword == "$ref") {
        const std::string name(rule.as_string().subview(std::string_view("#/$defs/").size()));
        out += check(root_.at("$defs").at(name).as_object(), v, at);
      } else if (keyword == "minLength") {
        if (v.is_string() && v.as_string().size() < static_cast<std::size_t>(rule.as_int64())) wrong("is too short");
      } else if (keyword == "maxLength") {
        if (v.is_string() && v.as_string().size() > static_cast<std::size_t>(rule.as_int64())) wrong("is too long");
      } else if (keyword == "minimum") {
        if (v.is_int64() && v.as_int64() < rule.as_int64()) wrong("is too small");
      } else if (keyword == "pattern") {
        if (v.is_string() &&
            !boost::regex_search(std::string(v.as_string()), boost::regex(std::string(rule.as_string()))))
          wrong("does not match");
      } else if (keyword == "minItems") {
        if (v.is_array() && v.as_array().size() < static_cast<std::size_t>(rule.as_int64())) wrong("has too few items");
      } else if (keyword == "additionalProperties") {
        if (!v.is_object()) continue;
        const auto* declared = schema.if_contains("properties");
        for (const auto& [name, member] : v.as_object())
          if (declared == nullptr || !declared->as_object().contains(name))
            out += check(rule.as_object(), member, at + "." + std::string(name));
      } else if (keyword == "items") {
        if (!v.is_array()) continue;
        std::size_t i = 0;
        for (const auto& item : v.as_array())
          out += check(rule.as_object(), item, at + "[" + std::to_string(i++) + "]");
      } else if (keyword == "required") {
        for (const auto& name : rule.as_array())
          if (v.is_object() && !v.as_object().contains(name.as_string()))
            wrong("lacks " + std::string(name.as_string()));
      } else if (keyword == "properties") {
        for (const auto& [name, inner] : rule.as_object())
          if (const auto* member = v.is_object() ? v.as_object().if_contains(name) : nullptr)
            out += check(inner.as_object(), *member, at + "." + std::string(name));
      } else if (keyword != "$schema" && keyword != "$id" && keyword != "$defs" && keyword != "title" &&
                 keyword != "description" && keyword != "format") {
        throw std::logic_error("keyword: " + std::string(keyword));
      }
    }
    return out;
  }

  Value root_;
};

}  // namespace memd::test
