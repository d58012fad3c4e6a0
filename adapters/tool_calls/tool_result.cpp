#include "adapters/tool_calls/tool_result.hpp"

#include "schemas/base/utf8.hpp"
#include "schemas/pull_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace memd::tool_calls {
namespace {

// Keys of the web address; GitHub's "url" may be the API address.
constexpr std::array<std::string_view, 3> kAddressKeys{"html_url", "web_url", "url"};

std::string_view last_lines(std::string_view text) {
  const auto line_break = text.find('\n', text.size() - std::min(text.size(), kResultEndLimit));
  return line_break == std::string_view::npos ? std::string_view{} : text.substr(line_break + 1);
}

}  // namespace

void take_result_text(json::Detail detail, std::string whole, Event& result) {
  result.pull_request = pull_request_in_json(std::string_view(whole).substr(0, kResultTextLimit));
  if (whole.size() > kResultTextLimit) result.text_end = last_lines(whole);
  if (detail == json::Detail::stored) whole.resize(utf8_prefix(whole, kResultTextLimit).size());
  result.text = std::move(whole);
}

Event& add_result(json::RecordBuilder& record, std::string call_id, std::string whole, bool is_error) {
  Event& result = record.add(EventKind::tool_result, Role::tool);
  result.call_id = std::move(call_id);
  result.is_error = is_error;
  take_result_text(record.detail(), std::move(whole), result);
  return result;
}

std::string last_lines_of(std::string_view token) {
  const auto body = json::string_body(token);
  std::string out;
  if (body.size() <= kResultTextLimit) return out;
  for (auto at = body.find("\\n", body.size() - kResultEndLimit); at != std::string_view::npos;
       at = body.find("\\n", at + 1)) {
    const auto before = body.find_last_not_of('\\', at);  // an even number of backslashes are escaped backslashes
    if ((at - (before == std::string_view::npos ? 0 : before + 1)) % 2 != 0) continue;
    json::append_unescaped(body.substr(at + 2), out);
    return out;
  }
  return out;
}

std::optional<std::int32_t> exit_code_behind(std::string_view name, std::string_view text) {
  auto at = text.rfind(name);
  while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n')
    at = text.rfind(name, at - 1);
  if (at == std::string_view::npos) return std::nullopt;
  const auto digits = text.substr(at + name.size());
  std::int32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code);
  return error == std::errc() ? std::optional(code) : std::nullopt;
}

std::string pull_request_in_json(std::string_view json) {
  for (const std::string_view key : kAddressKeys) {
    for (auto at = json.find(key); at != std::string_view::npos; at = json.find(key, at + 1)) {
      if (at == 0 || json[at - 1] != '"') continue;
      // The document may be a string inside another one.
      const auto begin = json.find_first_not_of("\\\": \t\r\n", at + key.size());
      if (begin == std::string_view::npos) break;
      const auto end = std::find_if_not(json.begin() + static_cast<std::ptrdiff_t>(begin), json.end(), is_of_address);
      const auto length = static_cast<std::size_t>(end - json.begin()) - begin;
      const std::string_view address = json.substr(begin, length);
      const std::string_view behind = json.substr(begin + length, 1);
      if ((behind == "\"" || behind == "\\") && is_pull_request(address) && !address.starts_with("https://api."))
        return std::string(address);
    }
  }
  return {};
}

}  // namespace memd::tool_calls
