#pragma once

#include "schemas/platform.hpp"
#include "store/db/database.hpp"

#include <boost/pfr/core.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace memd::queries {
// The platform of a stored key. Throws Errc::store_version if this memd does not know it.
Platform platform_of(std::string_view key);
}  // namespace memd::queries

namespace memd::sqlite {

template <class T>
void read_column(const Statement& row, int& column, T& out);

template <class T>
void read_column(const Statement& row, int& column, std::optional<T>& out) {
  if (row.is_null(column))
    ++column;
  else
    read_column(row, column, out.emplace());
}

template <class T>
void read_column(const Statement& row, int& column, T& out) {
  if constexpr (std::is_same_v<T, Platform>)
    out = queries::platform_of(row.text(column++));
  else if constexpr (std::is_same_v<T, bool>)
    out = row.int64(column++) != 0;
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    out = static_cast<T>(row.int64(column++));
  else if constexpr (std::is_floating_point_v<T>)
    out = row.real(column++);
  else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>)
    out = row.text(column++);
  else
    boost::pfr::for_each_field(out, [&](auto& field) { read_column(row, column, field); });
}

// A struct without bases from the columns of a row, in the order of its members, those of nested structs in their
// place. NULL gives an empty optional, 0 or an empty text; so does each member after the last column.
template <class T>
T fields_of(const Statement& row) {
  T out{};
  int column = 0;
  read_column(row, column, out);
  return out;
}

template <class F>
struct ColumnsOf : ColumnsOf<decltype(&F::operator())> {};
template <class F, class... T>
struct ColumnsOf<void (F::*)(T...) const> {
  using Row = std::tuple<std::remove_cvref_t<T>...>;
};

// Calls take(columns…) for each row. Its parameters name the columns, in order, and say their types: those of
// fields_of(), or std::string_view, valid during the call.
template <class Take>
void each(Statement& rows, const Take& take) {
  while (rows.step()) {
    typename ColumnsOf<Take>::Row row;
    int column = 0;
    std::apply(
        [&](auto&... value) {
          (read_column(rows, column, value), ...);
          take(std::move(value)...);
        },
        row);
  }
}

// Assigns the columns from `column` on, in order.
template <class... T>
void read_from(const Statement& row, int column, T&... out) {
  (read_column(row, column, out), ...);
}
template <class... T>
void read(const Statement& row, T&... out) {
  read_from(row, 0, out...);
}

}  // namespace memd::sqlite
