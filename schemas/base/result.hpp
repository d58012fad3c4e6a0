#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace memd {

enum class Errc;  // the kinds of failure: schemas/base/error.hpp

const boost::system::error_category& memd_category() noexcept;
boost::system::error_code make_error_code(Errc e) noexcept;

// A failure and the sentence to show to the user. Cheap to move.
struct Error {
  boost::system::error_code code;
  std::string context;

  Error() = default;  // no error; Result<void>::error() needs it
  Error(Errc e, std::string what) : code(make_error_code(e)), context(std::move(what)) {}
  Error(boost::system::error_code c, std::string what) : code(c), context(std::move(what)) {}

  bool is(Errc e) const noexcept { return code == make_error_code(e); }
  std::string message() const;

  // Describes a failed system call: "open /x/y: No such file or directory". Errc::exhausted or Errc::io.
  static Error from_errno(int err, std::string_view call, std::string_view path);
};

template <class T>
using Result = boost::system::result<T, Error>;

// An Error as an exception. Thrown by Result::value() and at start-up; caught in main, in a task group and in a tool
// call.
class ErrorException : public std::runtime_error {
 public:
  explicit ErrorException(Error e) : std::runtime_error(e.message()), error_(std::move(e)) {}
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

// Found by ADL from boost::system::result<T, Error>::value().
[[noreturn]] void throw_exception_from_error(const Error& e, const boost::source_location& where);

}  // namespace memd

template <>
struct boost::system::is_error_code_enum<memd::Errc> : std::true_type {};

// Returns the error of `expr` to the caller. For expressions of type Result<T>.
#define MEMD_TRY(expr)                                                                              \
  do {                                                                                              \
    if (auto memd_try_result = (expr); !memd_try_result) return std::move(memd_try_result).error(); \
  } while (false)

// MEMD_TRY_ASSIGN(auto row, reader.session(id));
#define MEMD_TRY_CONCAT2(a, b) a##b
#define MEMD_TRY_CONCAT(a, b) MEMD_TRY_CONCAT2(a, b)
#define MEMD_TRY_ASSIGN(decl, expr) MEMD_TRY_ASSIGN_IMPL(MEMD_TRY_CONCAT(memd_result_, __LINE__), decl, expr)
#define MEMD_TRY_ASSIGN_IMPL(tmp, decl, expr) \
  auto tmp = (expr);                          \
  if (!tmp) return std::move(tmp).error();    \
  decl = std::move(tmp).value()
