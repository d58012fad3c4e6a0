#pragma once

#include "protocol/mcp/rules.hpp"
#include "schemas/error.hpp"

#include <boost/json/fwd.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {

// Reads the arguments of one call, member by member, and collects what is wrong with them. Lenient where models are
// sloppy and the meaning is clear: 5.0 and "5" are integers, "x" is a list of one, null is absent.
// Borrows the object; one thread.
class ArgumentReader {
 public:
  explicit ArgumentReader(const boost::json::object& arguments) : arguments_(arguments) {}

  // Each leaves `out` alone when the argument is absent or wrong.
  void read(std::string_view name, const Rules& rules, bool& out);
  void read(std::string_view name, const Rules& rules, std::int64_t& out);
  void read(std::string_view name, const Rules& rules, double& out);
  void read(std::string_view name, const Rules& rules, std::string& out);
  void read(std::string_view name, const Rules& rules, std::vector<std::int64_t>& out);
  void read(std::string_view name, const Rules& rules, std::vector<double>& out);
  void read(std::string_view name, const Rules& rules, std::vector<std::string>& out);

  template <std::integral Int>
  void read(std::string_view name, Rules rules, Int& out) {
    rules.minimum = std::max(rules.minimum, static_cast<double>(std::numeric_limits<Int>::min()));
    rules.maximum = std::min(rules.maximum, static_cast<double>(std::numeric_limits<Int>::max()));
    std::int64_t wide = static_cast<std::int64_t>(out);
    read(name, rules, wide);
    out = static_cast<Int>(wide);
  }
  template <class T>
  void read(std::string_view name, const Rules& rules, std::optional<T>& out) {
    T value{};
    const std::size_t problems_before = problems_.size();
    read(name, rules, value);
    if (last_was_present_ && problems_.size() == problems_before) out = std::move(value);
  }

  // Adds the arguments nobody asked for to the problems. The error lists them all, a line each.
  Result<void> finish();

 private:
  const boost::json::value* take(std::string_view name, const Rules& rules);
  void problem(std::string_view name, std::string_view what);
  bool convert(const boost::json::value& v, std::string_view name, const Rules& rules, std::int64_t& out);
  bool convert(const boost::json::value& v, std::string_view name, const Rules& rules, double& out);
  bool convert(const boost::json::value& v, std::string_view name, const Rules& rules, std::string& out);
  template <class T>
  void read_scalar(std::string_view name, const Rules& rules, T& out);
  template <class T>
  void read_list(std::string_view name, const Rules& rules, std::vector<T>& out);

  const boost::json::object& arguments_;
  std::vector<std::string_view> known_;
  std::string problems_;
  bool last_was_present_ = false;
};

}  // namespace memd::mcp
