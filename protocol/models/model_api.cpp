#include "protocol/models/model_api.hpp"

#include <boost/json/parse.hpp>

#include <utility>

namespace memd::model_api {
namespace {

namespace bj = boost::json;

constexpr std::size_t kLongestComplaint = 200;

std::string short_line(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestComplaint)) {
    const bool plain = static_cast<unsigned char>(c) > ' ' && c != 0x7F;
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  // Not in the middle of a character.
  if (text.size() > kLongestComplaint) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U)
      out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0U) out.pop_back();
    out += "…";
  }
  return out;
}

}  // namespace

std::string_view to_string(Dialect dialect) { return dialect == Dialect::ollama ? "ollama" : "openai"; }

Error nonsense(std::string what) { return Error(Errc::protocol, std::move(what)); }

Result<bj::value> parse_document(std::string_view body) {
  boost::system::error_code ec;
  auto value = bj::parse({body.data(), body.size()}, ec);
  if (ec) return nonsense("the answer is not valid JSON (" + ec.message() + ")");
  return value;
}

std::string parse_complaint(std::string_view body) {
  const auto document = parse_document(body);
  if (!document) return {};
  const bj::object* object = document->if_object();
  const bj::value* said = nullptr;
  if (object != nullptr) {
    for (const char* key : {"error", "message", "detail"})
      if (said == nullptr) said = object->if_contains(key);
    if (said != nullptr && said->is_object()) said = said->get_object().if_contains("message");
  }
  if (said == nullptr || !said->is_string()) return {};
  const auto& text = said->get_string();
  return short_line({text.data(), text.size()});
}

}  // namespace memd::model_api
