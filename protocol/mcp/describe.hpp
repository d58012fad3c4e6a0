#pragma once

#include "protocol/mcp/argument_reader.hpp"
#include "schemas/error.hpp"
#include "schemas/json_writer.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// One description of a struct gives its JSON Schema, its parser and its serialiser:
//
//   struct SearchParams {
//     std::string query;
//     std::int64_t n_results = 10;                // a value given here is the `default` of the schema
//     std::optional<std::string> platform;        // absent is left out of the JSON
//   };
//   template <>
//   struct memd::mcp::Describe<SearchParams> {
//     static constexpr auto fields = std::make_tuple(
//         field("query", &SearchParams::query, "What to look for.", required, length(1, 1000)),
//         field("n_results", &SearchParams::n_results, "How many hits.", range(1, 50)),
//         field("platform", &SearchParams::platform, "Only this agent.", one_of("claude_code", "cursor")));
//   };
//
// Parameters may hold bool, integers, floating point, std::string, std::optional of those and std::vector of those.
// Results may hold, besides: described structs, enums with an ADL to_string, vectors of anything, and objects with
// free keys (std::map<std::string, T>, or std::vector<std::pair<std::string, T>> where order matters).
// A struct that derives from another described one joins the fields: std::tuple_cat(Describe<Base>::fields, …).
namespace memd::mcp {

template <class T>
struct Describe;

template <class T>
concept Described = requires {
  Describe<T>::fields;
};

template <class Class, class Member>
struct Field {
  std::string_view name;
  Member Class::*member;
  std::string_view description;
  Rules rules;
};

template <class Class, class Member, class... Rule>
constexpr Field<Class, Member> field(std::string_view name, Member Class::*member, std::string_view description,
                                     Rule... rule) {
  Field<Class, Member> f{name, member, description, {}};
  (rule.apply(f.rules), ...);
  return f;
}

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_keyed = false;  // a JSON object with free keys
template <class T>
inline constexpr bool is_keyed<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool is_keyed<std::vector<std::pair<std::string, T>>> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = !is_keyed<std::vector<T>>;

template <class T>
struct KeyedValue;
template <class T>
struct KeyedValue<std::map<std::string, T>> : std::type_identity<T> {};
template <class T>
struct KeyedValue<std::vector<std::pair<std::string, T>>> : std::type_identity<T> {};

template <class T>
concept Scalar = std::same_as<T, bool> || std::integral<T> || std::floating_point<T> || std::same_as<T, std::string>;

template <class Struct, class F>
constexpr void for_each_field(F&& f) {
  std::apply([&](const auto&... one) { (f(one), ...); }, Describe<Struct>::fields);
}

}  // namespace detail

// --- values ---------------------------------------------------------------------------------------------------------

template <class T>
void write_value(json::Writer& w, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    w.boolean(value);
  } else if constexpr (std::unsigned_integral<T>) {
    w.number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::integral<T>) {
    w.number(static_cast<std::int64_t>(value));
  } else if constexpr (std::floating_point<T>) {
    w.number(static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    w.string(to_string(value));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    w.string(value);
  } else if constexpr (detail::is_optional<T>) {
    write_value(w, *value);  // the caller has left out an empty one
  } else if constexpr (detail::is_keyed<T>) {
    w.begin_object();
    for (const auto& [key, item] : value) {
      w.key(key);
      write_value(w, item);
    }
    w.end_object();
  } else if constexpr (detail::is_vector<T>) {
    w.begin_array();
    for (const auto& item : value)
      write_value<typename T::value_type>(w, item);
    w.end_array();
  } else {
    static_assert(Described<T>, "specialise memd::mcp::Describe for this type");
    w.begin_object();
    detail::for_each_field<T>([&](const auto& f) {
      const auto& member = value.*(f.member);
      if constexpr (detail::is_optional<std::remove_cvref_t<decltype(member)>>)
        if (!member.has_value()) return;
      w.key(f.name);
      write_value(w, member);
    });
    w.end_object();
  }
}

template <Described T>
std::string to_json(const T& value) {
  std::string out;
  json::Writer w(out);
  write_value(w, value);
  return out;
}

// --- schemas --------------------------------------------------------------------------------------------------------

enum class SchemaUse { input, output };

namespace detail {

template <class T>
void write_struct_schema(json::Writer& w, SchemaUse use, std::string_view description);

template <class T>
void write_type_schema(json::Writer& w, SchemaUse use, std::string_view description, const Rules& rules,
                       const T* default_value);

template <class T>
void write_default(json::Writer& w, const T* value) {
  if (value == nullptr) return;
  // Nothing, none and false say nothing that a reader does not know; the description tells a word that is meant.
  if constexpr (std::same_as<T, std::string> || is_vector<T>)
    return;
  else if (*value == T{})
    return;
  w.key("default");
  write_value(w, *value);
}

// The members of the schema object of a property; no $ref, no unions: nested structs are written in place.
template <class T>
void write_type_schema(json::Writer& w, SchemaUse use, std::string_view description, const Rules& rules,
                       const T* default_value) {
  if constexpr (is_optional<T>) {
    write_type_schema<typename T::value_type>(w, use, description, rules, nullptr);
    return;
  } else if constexpr (Described<T>) {
    write_struct_schema<T>(w, use, description);
    return;
  } else {
    w.begin_object();
    if constexpr (std::same_as<T, bool>) {
      w.member("type", "boolean");
    } else if constexpr (std::integral<T>) {
      w.member("type", "integer");
      write_number_rules(w, rules);
    } else if constexpr (std::floating_point<T>) {
      w.member("type", "number");
      write_number_rules(w, rules);
    } else if constexpr (is_keyed<T>) {
      w.member("type", "object");
      w.key("additionalProperties");
      write_type_schema<typename KeyedValue<T>::type>(w, use, {}, rules, nullptr);
    } else if constexpr (is_vector<T>) {
      w.member("type", "array");
      w.key("items");
      write_type_schema<typename T::value_type>(w, use, {}, rules, nullptr);
    } else {
      w.member("type", "string");
      write_string_rules(w, rules);
    }
    if (!description.empty()) w.member("description", description);
    if constexpr (Scalar<T> || is_vector<T>) write_default(w, default_value);
    w.end_object();
  }
}

template <class T>
void write_struct_schema(json::Writer& w, SchemaUse use, std::string_view description) {
  w.begin_object();
  w.member("type", "object");
  if (!description.empty()) w.member("description", description);
  w.key("properties");
  w.begin_object();
  const T defaults{};
  for_each_field<T>([&](const auto& f) {
    using Member = std::remove_cvref_t<decltype(defaults.*(f.member))>;
    if (f.rules.unlisted) return;
    w.key(f.name);
    const bool shows_default = use == SchemaUse::input && !f.rules.required;
    write_type_schema<Member>(w, use, f.description, f.rules, shows_default ? &(defaults.*(f.member)) : nullptr);
  });
  w.end_object();
  // A parameter is required when it says so; a result field is always there unless it is optional.
  std::vector<std::string_view> names;
  for_each_field<T>([&](const auto& f) {
    using Member = std::remove_cvref_t<decltype(defaults.*(f.member))>;
    if (use == SchemaUse::input ? f.rules.required : !is_optional<Member>) names.push_back(f.name);
  });
  if (!names.empty()) {
    w.key("required");
    w.begin_array();
    for (const std::string_view name : names)
      w.string(name);
    w.end_array();
  }
  w.end_object();
}

template <class T>
inline constexpr bool is_parameter_type = [] {
  if constexpr (is_optional<T> || is_vector<T>)
    return Scalar<typename T::value_type>;
  else
    return Scalar<T>;
}();

}  // namespace detail

template <Described T>
std::string json_schema(SchemaUse use) {
  std::string out;
  json::Writer w(out);
  detail::write_struct_schema<T>(w, use, {});
  return out;
}

// --- arguments ------------------------------------------------------------------------------------------------------

// The struct, or an invalid_argument error that names every wrong argument, what was sent and what to send instead.
template <Described T>
Result<T> read_arguments(const boost::json::object& arguments) {
  T out{};
  ArgumentReader reader(arguments);
  detail::for_each_field<T>([&](const auto& f) {
    using Member = std::remove_cvref_t<decltype(out.*(f.member))>;
    static_assert(detail::is_parameter_type<Member>, "parameters are scalars, optionals and vectors of scalars");
    reader.read(f.name, f.rules, out.*(f.member));
  });
  MEMD_TRY(reader.finish());
  return out;
}

}  // namespace memd::mcp
