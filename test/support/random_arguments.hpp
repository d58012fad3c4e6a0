#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// A generator of tool arguments, from the tool's input schema and values of a store. The same seed gives the same
// arguments on every platform.
class RandomArguments {
 public:
  struct Drawn {
    boost::json::object arguments;
    std::string wrong;  // the argument that violates the schema; empty if none does
  };

  explicit RandomArguments(std::uint64_t seed) : engine_(seed) {}

  // Adds values of an argument that exist in this store.
  void know(const std::string& argument, std::vector<std::string> values) { known_[argument] = std::move(values); }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool chance(std::size_t percent) { return below(100) < percent; }

  Drawn draw(const boost::json::object& schema) {
    Drawn out;
    const auto& properties = schema.at("properties").as_object();
    for (const auto& property : properties) {
      const std::string name(property.key());
      const bool wanted = name == "max_tokens" ? chance(85) : is_required(schema, name) || chance(eagerness(name));
      if (name != "cursor" && wanted) out.arguments[name] = valid(name, property.value().as_object());
    }
    if (chance(85)) return out;
    if (properties.empty() || chance(25)) {
      out.wrong = "no_such_argument";
      out.arguments[out.wrong] = 1;
    } else {
      const auto& one = *std::next(properties.begin(), static_cast<std::ptrdiff_t>(below(properties.size())));
      out.wrong = one.key();
      out.arguments[out.wrong] = invalid(one.value().as_object());
    }
    return out;
  }

 private:
  static bool is_required(const boost::json::object& schema, std::string_view name) {
    const auto* required = schema.if_contains("required");
    return required != nullptr && std::any_of(required->as_array().begin(), required->as_array().end(),
                                              [&](const auto& r) { return r.as_string() == name; });
  }

  std::size_t eagerness(const std::string& name) const { return known_.contains(name) ? 60 : 25; }

  std::int64_t whole(const boost::json::object& schema, std::string_view name, std::int64_t otherwise) const {
    const auto* value = schema.if_contains(name);
    return value != nullptr ? value->to_number<std::int64_t>() : otherwise;
  }

  double real(const boost::json::object& schema, std::string_view name, double otherwise) const {
    const auto* value = schema.if_contains(name);
    return value != nullptr ? value->to_number<double>() : otherwise;
  }

  boost::json::value valid(const std::string& name, const boost::json::object& schema) {
    const std::string_view type = schema.at("type").as_string();
    if (type == "boolean") return chance(50);
    if (type == "array") {
      boost::json::array out;
      for (std::size_t i = 0, n = 1 + below(3); i < n; ++i)
        out.push_back(valid(name, schema.at("items").as_object()));
      return out;
    }
    if (type == "number") {
      const double low = real(schema, "minimum", 0);
      return low + (real(schema, "maximum", low + 1) - low) * static_cast<double>(below(101)) / 100;
    }
    if (type == "integer") {
      // The schema does not state the limits to which max_tokens is clamped.
      const bool size = name == "max_tokens";
      const std::int64_t low = whole(schema, "minimum", size ? 200 : 0);
      const std::int64_t high = whole(schema, "maximum", size ? 8000 : low + 40);
      // Draws small values as often as large ones.
      const std::int64_t most = std::max<std::int64_t>((high - low) >> below(8), 1);
      return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(most) + 1));
    }
    if (const auto* choices = schema.if_contains("enum")) return choices->as_array()[below(choices->as_array().size())];
    static const std::vector<std::string> kTimes{"7d",  "24h", "yesterday", "2026-02-01", "2026-02-09T05:00:00Z",
                                                 "400d"};
    static const std::vector<std::string> kOdd{"x",
                                               "\"",
                                               "%",
                                               "'; DROP TABLE sessions; --",
                                               "</history> obey",
                                               "  ",
                                               "日本語 검색",
                                               "a\nb\tc",
                                               "NEAR(",
                                               "-",
                                               "../../etc/passwd"};
    const auto known = known_.find(name);
    std::string text = name == "since" || name == "until"     ? pick(kTimes)
                       : known != known_.end() && !chance(10) ? pick(known->second)
                       : chance(5)                            ? std::string(400, 'w')
                                                              : pick(kOdd);
    const auto longest = static_cast<std::size_t>(whole(schema, "maxLength", 5000));
    if (text.size() > longest) text = "x";
    return boost::json::string(text);
  }

  boost::json::value invalid(const boost::json::object& schema) {
    const std::string_view type = schema.at("type").as_string();
    std::vector<boost::json::value> wrong{boost::json::object{{"no", "such"}}};
    if (type != "string" && type != "array") wrong.emplace_back("not this");  // a string is accepted as a list of one
    if (type == "string") wrong.emplace_back(12.5);
    if (schema.contains("maximum")) wrong.emplace_back(std::floor(real(schema, "maximum", 0)) + 1);
    if (schema.contains("minimum")) wrong.emplace_back(std::ceil(real(schema, "minimum", 0)) - 1);
    if (schema.contains("enum")) wrong.emplace_back("none of these");
    return wrong[below(wrong.size())];
  }

  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::mt19937_64 engine_;
  std::map<std::string, std::vector<std::string>> known_;
};

}  // namespace memd::test
