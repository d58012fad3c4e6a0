#pragma once

#include "protocol/mcp/argument_reader.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/reflected_name.hpp"
#include "schemas/base/result.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
//   MEMD_DESCRIBE(SearchParams, field<&T::query>("What to look for.", required, length(1, 1000)),
//                 field<&T::n_results>("How many hits.", range(1, 50)),
//                 field<&T::platform>("Only this agent.", one_of("claude_code", "cursor")));
//
// MEMD_DESCRIBE stands in the global namespace; in it T is the struct. plain<&T::a, &T::b>() are fields whose names say
// all. field("name", &T::member, …) gives a field another name than its member's. What includes a description and does
// not use it compiles none of it.
//
// Parameters may hold bool, integers, floating point, std::string, std::optional of those and std::vector of those.
// Results may hold, besides: described structs, enums with an ADL to_string, vectors of anything, and objects with
// free keys (std::map<std::string, T>, or std::vector<std::pair<std::string, T>> where order matters).
// A struct that derives from another described one takes its fields: kFieldsOf<Base> stands among its own.
namespace memd::mcp {

template <class T>
struct Describe;

template <class T>
concept Described = requires {
  sizeof(Describe<T>);
};

template <class T>
inline constexpr const auto& kFieldsOf = Describe<T>::template fields<T>;

// Rules as a field spells them. They are applied where a table needs them: what a field holds is copied while
// compiling, and Rules take half a kilobyte.
template <class... Rule>
struct RuleList : Rule... {
  static constexpr bool kIsAny = sizeof...(Rule) > 0;
  constexpr Rules applied() const {
    Rules out;
    (static_cast<const Rule&>(*this).apply(out), ...);
    return out;
  }
};
template <class Class, class Member, class... Rule>
struct Field {
  std::string_view name;
  Member Class::*member;
  std::string_view description;
  [[no_unique_address]] RuleList<Rule...> rules;
};

template <class Class, class Member, class... Rule>
constexpr Field<Class, Member, Rule...> field(std::string_view name, Member Class::*member,
                                              std::string_view description, Rule... rule) {
  return {name, member, description, {rule...}};
}

namespace detail {

template <std::size_t, class F>
struct FieldAt {
  F field;
};

template <std::size_t at, class F>
constexpr const F& field_in(const FieldAt<at, F>& one) {
  return one.field;
}

template <class Indices, class... F>
struct FieldSet;

template <std::size_t... at, class... F>
struct FieldSet<std::index_sequence<at...>, F...> : FieldAt<at, F>... {
  // Calls visit(field) for each.
  template <class Visit>
  constexpr void each(const Visit& visit) const {
    (visit(field_in<at>(*this)), ...);
  }
};

}  // namespace detail

// The fields of a struct, in order. Not a std::tuple, whose nested elements make compile time quadratic in their
// number.
template <class... F>
struct Fields : detail::FieldSet<std::index_sequence_for<F...>, F...> {
  static constexpr std::index_sequence_for<F...> places() { return {}; }
};

template <class... F>
constexpr Fields<F...> fields_of(F... field) {
  return {{{field}...}};
}

// A field that is called as its member: field<&T::a>("description", rules…); either may be left out.
template <auto member, class First = std::string_view, class... Rule>
constexpr auto field(First first = {}, Rule... rule) {
  if constexpr (std::convertible_to<First, std::string_view>)
    return field(reflect::kNameOf<member>, member, first, rule...);
  else
    return field(reflect::kNameOf<member>, member, "", first, rule...);
}

template <auto... member>
constexpr auto plain() {
  return fields_of(field<member>()...);
}

// Returns one field, for reuse in another description.
template <std::size_t at, class... F>
constexpr const auto& field_at(const Fields<F...>& fields) {
  return detail::field_in<at>(fields);
}

namespace detail {

// Where each of the joined fields stands: in which part, and at which place of it.
template <std::size_t count>
struct Places {
  std::array<std::size_t, count> part{}, at{};
};
template <std::size_t... sizes>
constexpr auto places_in() {
  Places<(sizes + ... + 0)> out;
  std::size_t part = 0, next = 0;
  [[maybe_unused]] const auto add = [&](std::size_t size) {
    for (std::size_t i = 0; i < size; ++i, ++next)
      out.part[next] = part, out.at[next] = i;
    ++part;
  };
  (add(sizes), ...);
  return out;
}

template <class Part>
inline constexpr std::size_t size_of = 1;
template <class... F>
inline constexpr std::size_t size_of<Fields<F...>> = sizeof...(F);

template <std::size_t at, class... F>
constexpr const auto& one_of_part(const Fields<F...>& part) {
  return field_at<at>(part);
}
template <std::size_t, class Class, class Member, class... Rule>
constexpr const auto& one_of_part(const Field<Class, Member, Rule...>& part) {
  return part;
}

}  // namespace detail

// Joins fields and lists of fields. Flat, as each level of a recursion would copy all fields.
template <class... Part>
constexpr auto join_fields(const Part&... part) {
  constexpr auto places = detail::places_in<detail::size_of<Part>...>();
  const Fields<const Part&...> parts{{{part}...}};
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return fields_of(detail::one_of_part<places.at[i]>(field_at<places.part[i]>(parts))...);
  }
  (std::make_index_sequence<places.part.size()>());
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

// The code below works on tables with one row per field. The functions of a row depend on the member's type only. A
// template over all fields of a struct would be compiled again for each struct and each use.

template <class T, std::size_t at>
const void* member_of(const void* object) {
  constexpr auto member = field_at<at>(kFieldsOf<T>).member;
  return &(static_cast<const T*>(object)->*member);
}

// The rules of a field. Few fields have any. Code that runs must not refer to kFieldsOf<T> itself, which would be
// relocated at each start of the program.
template <class T, std::size_t at>
inline constexpr Rules set_rules = field_at<at>(kFieldsOf<T>).rules.applied();
template <class T, std::size_t at>
constexpr const Rules* rules_of() {
  if constexpr (std::remove_cvref_t<decltype(field_at<at>(kFieldsOf<T>).rules)>::kIsAny)
    return &set_rules<T, at>;
  else
    return &kNoRules;
}

template <class T, std::size_t at>
using MemberType = std::remove_cvref_t<decltype(std::declval<T&>().*(field_at<at>(kFieldsOf<T>).member))>;

template <class T, class Row, std::size_t... at>
constexpr std::array<Row, sizeof...(at)> make_table(std::index_sequence<at...>) {
  return {Row::template make<T, at>()...};
}

// Row::make<T, at>() for each field of T.
template <class T, class Row>
inline constexpr auto table = make_table<T, Row>(kFieldsOf<T>.places());

}  // namespace detail

// --- values ---------------------------------------------------------------------------------------------------------

// What becomes of a text of unknown origin, which may imitate an envelope around what a model reads. A text with a type
// of its own (tools::AnswerText) is written as it is, because the marks in it are memd's.
enum class Texts { without_envelopes, as_they_are };

namespace detail {

struct WrittenField {
  std::string_view name;
  const void* (*member)(const void* object);
  void (*write)(json::Writer& w, const void* member, Texts texts);
  bool (*is_absent)(const void* member);  // null: never

  template <class T, std::size_t at>
  static constexpr WrittenField make();
};

void write_struct(json::Writer& w, std::span<const WrittenField> fields, const void* object, Texts texts);
void write_recorded(json::Writer& w, std::string_view text, Texts texts);
void write_recorded_key(json::Writer& w, std::string_view text, Texts texts);

}  // namespace detail

template <class T>
void write_value(json::Writer& w, const T& value, Texts texts = Texts::without_envelopes) {
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
  } else if constexpr (std::same_as<T, std::string>) {
    detail::write_recorded(w, value, texts);  // of unknown origin
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    w.string(value);
  } else if constexpr (detail::is_optional<T>) {
    write_value(w, *value, texts);  // the caller has left out an empty one
  } else if constexpr (detail::is_keyed<T>) {
    w.begin_object();
    for (const auto& [key, item] : value) {
      detail::write_recorded_key(w, key, texts);
      write_value(w, item, texts);
    }
    w.end_object();
  } else if constexpr (detail::is_vector<T>) {
    w.begin_array();
    for (const auto& item : value)
      write_value<typename T::value_type>(w, item, texts);
    w.end_array();
  } else {
    static_assert(Described<T>, "specialise memd::mcp::Describe for this type");
    detail::write_struct(w, detail::table<T, detail::WrittenField>, &value, texts);
  }
}

namespace detail {

template <class Member>
void write_member(json::Writer& w, const void* member, Texts texts) {
  write_value(w, *static_cast<const Member*>(member), texts);
}

template <class Member>
bool has_no_value(const void* member) {
  return !static_cast<const Member*>(member)->has_value();
}

template <class T, std::size_t at>
constexpr WrittenField WrittenField::make() {
  using Member = MemberType<T, at>;
  WrittenField out{field_at<at>(kFieldsOf<T>).name, member_of<T, at>, write_member<Member>, nullptr};
  if constexpr (is_optional<Member>) out.is_absent = has_no_value<Member>;
  return out;
}

}  // namespace detail

template <Described T>
std::string to_json(const T& value, Texts texts = Texts::without_envelopes) {
  std::string out;
  json::Writer w(out);
  write_value(w, value, texts);
  return out;
}

// --- schemas --------------------------------------------------------------------------------------------------------

// `tool_result`: the schema of a tool's result in the list of tools, which some clients put before a model. It names
// the members and leaves out what the model can do without: those of every answer (Rules::recurs), and short
// descriptions, which only repeat a name. `output`: all of it, for people.
enum class SchemaUse { input, output, tool_result };

namespace detail {

struct SchemaField {
  std::string_view name;
  std::string_view description;
  const Rules* rules;
  bool may_be_absent;
  const void* (*member)(const void* object);
  // `shown`: the default; may be null.
  void (*write)(json::Writer& w, SchemaUse use, const SchemaField& field, const void* shown);

  template <class T, std::size_t at>
  static constexpr SchemaField make();
};

bool is_described(SchemaUse use, std::string_view description);
void write_struct_schema(json::Writer& w, SchemaUse use, std::string_view description,
                         std::span<const SchemaField> fields, const void* defaults);

template <class T>
void write_default(json::Writer& w, const T* value) {
  if (value == nullptr) return;
  // Omits zero and false, which a reader assumes, and strings and lists, whose default is stated in the description.
  if constexpr (std::same_as<T, std::string> || is_vector<T>)
    return;
  else if (*value == T{})
    return;
  w.key("default");
  write_value(w, *value);
}

// Writes the schema of a property, without $ref and unions: nested structs are written in place.
template <class T>
void write_type_schema(json::Writer& w, SchemaUse use, std::string_view description, const Rules& rules,
                       const T* default_value) {
  if constexpr (is_optional<T>) {
    write_type_schema<typename T::value_type>(w, use, description, rules, nullptr);
    return;
  } else if constexpr (Described<T>) {
    const T defaults{};
    write_struct_schema(w, use, description, table<T, SchemaField>, &defaults);
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
    if (is_described(use, description)) w.member("description", description);
    if constexpr (Scalar<T> || is_vector<T>) write_default(w, default_value);
    w.end_object();
  }
}

template <class Member>
void write_member_schema(json::Writer& w, SchemaUse use, const SchemaField& field, const void* shown) {
  write_type_schema<Member>(w, use, field.description, *field.rules, static_cast<const Member*>(shown));
}

template <class T, std::size_t at>
constexpr SchemaField SchemaField::make() {
  using Member = MemberType<T, at>;
  constexpr const auto& field = field_at<at>(kFieldsOf<T>);
  return {field.name,          field.description, rules_of<T, at>(),
          is_optional<Member>, member_of<T, at>,  write_member_schema<Member>};
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
  detail::write_type_schema<T>(w, use, {}, {}, nullptr);
  return out;
}

// --- arguments ------------------------------------------------------------------------------------------------------

namespace detail {

struct ArgumentField {
  std::string_view name;
  const Rules* rules;
  const void* (*member)(const void* object);
  void (*read)(ArgumentReader& reader, const ArgumentField& field, void* member);

  template <class T, std::size_t at>
  static constexpr ArgumentField make();
};

template <class Member>
void read_argument(ArgumentReader& reader, const ArgumentField& field, void* member) {
  static_assert(is_parameter_type<Member>, "parameters are scalars, optionals and vectors of scalars");
  reader.read(field.name, *field.rules, *static_cast<Member*>(member));
}

template <class T, std::size_t at>
constexpr ArgumentField ArgumentField::make() {
  return {field_at<at>(kFieldsOf<T>).name, rules_of<T, at>(), member_of<T, at>, read_argument<MemberType<T, at>>};
}

// Reads all fields into `object`, a mutable struct.
Result<void> read_arguments(const boost::json::object& arguments, std::span<const ArgumentField> fields, void* object);

}  // namespace detail

// Returns the struct, or an invalid_argument error that names every wrong argument, what was sent and what to send
// instead.
template <Described T>
Result<T> read_arguments(const boost::json::object& arguments) {
  T out{};
  MEMD_TRY(detail::read_arguments(arguments, detail::table<T, detail::ArgumentField>, &out));
  return out;
}

}  // namespace memd::mcp

#define MEMD_DESCRIBE(type, ...)                             \
  template <>                                                \
  struct memd::mcp::Describe<type> {                         \
    template <class T>                                       \
    static constexpr auto fields = join_fields(__VA_ARGS__); \
  }
