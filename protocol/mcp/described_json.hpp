#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <boost/json/fwd.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The inverse of to_json(): restores the struct from the JSON of a described answer. For memd's own clients.
namespace memd::mcp {

// A position in a parsed document. Borrows the document; a value type. The is_… functions report whether the value is
// present and its type.
class JsonRef {
 public:
  explicit JsonRef(const boost::json::value* value) : value_(value) {}

  bool is_present() const { return value_ != nullptr; }
  bool is_object() const;
  JsonRef member(std::string_view name) const;  // not present when it is missing or null
  std::optional<std::vector<std::pair<std::string, JsonRef>>> members() const;
  std::optional<std::vector<JsonRef>> items() const;
  std::optional<std::string_view> text() const;
  std::optional<std::int64_t> integer() const;
  std::optional<std::uint64_t> natural() const;
  std::optional<double> number() const;
  std::optional<bool> flag() const;

 private:
  const boost::json::value* value_;
};

// Owns a parsed document.
class JsonDocument {
 public:
  static Result<JsonDocument> parse(std::string_view text);
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  JsonRef root() const { return JsonRef(value_.get()); }

 private:
  explicit JsonDocument(std::unique_ptr<boost::json::value> value);
  std::unique_ptr<boost::json::value> value_;
};

class DescribedReader;

namespace detail {

struct ReadField {
  std::string_view name;
  const void* (*member)(const void* object);
  void (*read)(DescribedReader& reader, const JsonRef& from, std::string_view name, void* member);

  template <class T, std::size_t at>
  static constexpr ReadField make();
};

}  // namespace detail

// Fills described structs. A member that is missing stays as it is: the other side may be older. A member of another
// type is a problem. One thread.
class DescribedReader {
 public:
  template <class T>
  void read(const JsonRef& from, std::string_view name, T& out) {
    if constexpr (std::same_as<T, bool>) {
      take(from.flag(), name, out);
    } else if constexpr (std::unsigned_integral<T>) {
      take(from.natural(), name, out);
    } else if constexpr (std::integral<T>) {
      take(from.integer(), name, out);
    } else if constexpr (std::floating_point<T>) {
      take(from.number(), name, out);
    } else if constexpr (std::same_as<T, std::string>) {
      take(from.text(), name, out);
    } else if constexpr (requires(std::string_view text) { set_from_text(out, text); }) {
      if (const auto text = from.text())
        set_from_text(out, *text);
      else
        wrong(name);
    } else if constexpr (detail::is_optional<T>) {
      read(from, name, out.emplace());
    } else if constexpr (detail::is_keyed<T>) {
      read_keyed(from, name, out);
    } else if constexpr (detail::is_vector<T>) {
      const auto items = from.items();
      if (!items) return wrong(name);
      for (const JsonRef& item : *items)
        read(item, name, out.emplace_back());
    } else {
      static_assert(Described<T>, "specialise memd::mcp::Describe for this type");
      read_members(from, name, detail::table<T, detail::ReadField>, &out);
    }
  }

  // Errc::protocol names the first problem.
  Result<void> outcome() const;

 private:
  template <class From, class T>
  void take(const std::optional<From>& value, std::string_view name, T& out) {
    if (value)
      out = static_cast<T>(*value);
    else
      wrong(name);
  }
  template <class T>
  void read_keyed(const JsonRef& from, std::string_view name, T& out) {
    const auto members = from.members();
    if (!members) return wrong(name);
    for (const auto& [key, place] : *members) {
      typename detail::KeyedValue<T>::type value{};
      read(place, name, value);
      out.insert(out.end(), {key, std::move(value)});
    }
  }
  void read_members(const JsonRef& from, std::string_view name, std::span<const detail::ReadField> fields,
                    void* object);
  void wrong(std::string_view name);

  std::string problem_;  // empty: none
};

namespace detail {

template <class Member>
void read_member(DescribedReader& reader, const JsonRef& from, std::string_view name, void* member) {
  reader.read(from, name, *static_cast<Member*>(member));
}

template <class T, std::size_t at>
constexpr ReadField ReadField::make() {
  return {field_at<at>(kFieldsOf<T>).name, member_of<T, at>, read_member<MemberType<T, at>>};
}

}  // namespace detail

// Parses a T. Errc::protocol: no JSON, or not of the shape of T.
template <Described T>
Result<T> from_json(std::string_view text) {
  MEMD_TRY_ASSIGN(const JsonDocument document, JsonDocument::parse(text));
  T out{};
  DescribedReader reader;
  reader.read(document.root(), "answer", out);
  MEMD_TRY(reader.outcome());
  return out;
}

namespace detail {
std::string to_arguments(std::span<const WrittenField> fields, const void* params, const void* usual);
}  // namespace detail

// The arguments of a call: the parameters that differ from those of a call without arguments. Empty texts are left out.
template <Described Params>
std::string to_arguments(const Params& params) {
  const Params usual;
  return detail::to_arguments(detail::table<Params, detail::WrittenField>, &params, &usual);
}

}  // namespace memd::mcp
