#pragma once

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>

namespace memd::test {

inline std::string without_breaks(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool blank = std::isspace(static_cast<unsigned char>(text[i])) != 0;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (text.substr(i).starts_with("‹")) {  // a sign of the envelope that was neutralised
      out += '<';
      i += std::string_view("‹").size() - 1;
    } else {
      out += blank ? ' ' : text[i];
    }
  }
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

// Finds facts of an answer's structured form that its text does not state, one per line. Times are compared to the
// minute, texts by their first 60 bytes. The text may omit zero, empty and boolean values, positions of matches, and
// the fields of kNotStated.
class StatedFacts {
 public:
  explicit StatedFacts(std::string_view text) : text_(text), line_(without_breaks(text)) {}

  std::string missing(const boost::json::object& answer) {
    missing_.clear();
    for (const auto& member : answer)
      if (!is_left_out(member.key())) look(member.value(), std::string(member.key()));
    return missing_;
  }

 private:
  static bool is_left_out(std::string_view field) {
    constexpr std::array<std::string_view, 5> kNotStated{"est_tokens", "freshness", "chronological_summary",
                                                         "platform_summary", "next"};
    return std::find(kNotStated.begin(), kNotStated.end(), field) != kNotStated.end();
  }

  void look(const boost::json::value& value, const std::string& path) {
    if (value.is_object()) {
      for (const auto& member : value.get_object())
        if (member.key() != "matches") look(member.value(), path + "." + std::string(member.key()));
    } else if (value.is_array()) {
      for (const auto& item : value.get_array())
        look(item, path + "[]");
    } else if (path == "notice" || path == "summary") {
      // The notice is split over the start and the end of the text; the text adds to the lines of a summary.
      const std::string whole(value.as_string());
      const std::string_view border = path == "notice" ? ". " : "\n";
      for (std::size_t from = 0; from < whole.size();) {
        const auto end = std::min(whole.find(border, from), whole.size() - 1);
        if (!is_stated(boost::json::value(whole.substr(from, end + 1 - from)))) missing_ += path + ": " + whole + "\n";
        from = end + border.size();
      }
    } else if (!is_stated(value)) {
      missing_ += path + ": " + boost::json::serialize(value).substr(0, 80) + "\n";
    }
  }

  bool is_stated(const boost::json::value& value) const {
    if (value.is_bool() || value.is_null()) return true;
    if (value.is_double()) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.2f", value.get_double());
      return value.get_double() == 0 || has_number(digits) || has_number(boost::json::serialize(value));
    }
    if (value.is_number()) {
      const std::string digits = boost::json::serialize(value);
      return digits == "0" || has_number(digits);
    }
    const std::string_view text = value.get_string();
    const bool time = text.size() > 19 && text[4] == '-' && text[10] == 'T' && text[13] == ':' && text[16] == ':';
    // The date may be in a heading.
    if (time)
      return text_.find(text.substr(0, 10)) != std::string::npos && text_.find(text.substr(11, 5)) != std::string::npos;
    constexpr std::size_t kShown = 60;
    std::string begin = without_breaks(text).substr(0, kShown);
    while (!begin.empty() && (static_cast<unsigned char>(begin.back()) >= 0x80 || begin.back() == ' '))
      begin.pop_back();  // part of a code point
    return line_.find(begin) != std::string::npos;
  }

  bool has_number(std::string_view digits) const {
    const auto digit = [&](std::size_t i) {
      return i < text_.size() && std::isdigit(static_cast<unsigned char>(text_[i])) != 0;
    };
    for (auto at = text_.find(digits); at != std::string::npos; at = text_.find(digits, at + 1))
      if ((at == 0 || !digit(at - 1)) && !digit(at + digits.size())) return true;
    return false;
  }

  std::string text_;
  std::string line_;
  std::string missing_;
};

}  // namespace memd::test
