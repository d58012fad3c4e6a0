#include "protocol/mcp/describe.hpp"

#include <cmath>

namespace memd::mcp::detail {
namespace {

void write_limit(json::Writer& w, std::string_view key, double limit) {
  w.key(key);
  if (limit == std::floor(limit) && std::abs(limit) < 9e15)
    w.number(static_cast<std::int64_t>(limit));
  else
    w.number(limit);
}

}  // namespace

void write_number_rules(json::Writer& w, const Rules& rules) {
  if (rules.has_minimum()) write_limit(w, "minimum", rules.minimum);
  if (rules.has_maximum()) write_limit(w, "maximum", rules.maximum);
}

void write_string_rules(json::Writer& w, const Rules& rules) {
  if (rules.min_length > 0) write_limit(w, "minLength", static_cast<double>(rules.min_length));
  if (rules.max_length != Rules::kNoLimit) write_limit(w, "maxLength", static_cast<double>(rules.max_length));
  if (rules.choice_count == 0) return;
  w.key("enum");
  w.begin_array();
  for (std::size_t i = 0; i < rules.choice_count; ++i)
    w.string(rules.choices[i]);
  w.end_array();
}

}  // namespace memd::mcp::detail
