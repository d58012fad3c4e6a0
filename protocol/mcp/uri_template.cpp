#include "protocol/mcp/uri_template.hpp"

#include "schemas/ascii.hpp"
#include "schemas/error.hpp"

#include <array>

namespace memd::mcp {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

bool is_unreserved(char c) { return ascii::is_word(c) || c == '-' || c == '.' || c == '~'; }

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = ascii::hex_value(text[i + 1]);
    const int low = ascii::hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

UriTemplate::UriTemplate(std::string text) : text_(std::move(text)) {
  std::string_view rest = text_;
  for (;;) {
    const std::size_t open = rest.find('{');
    Piece piece{std::string(rest.substr(0, open)), {}};
    if (open == std::string_view::npos) {
      pieces_.push_back(std::move(piece));
      return;
    }
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos || close == open + 1 || piece.literal.empty())
      throw ErrorException(Error(Errc::invalid_argument, "no URI template: " + text_));
    piece.name = rest.substr(open + 1, close - open - 1);
    pieces_.push_back(std::move(piece));
    rest.remove_prefix(close + 1);
  }
}

std::optional<UriTemplate::Values> UriTemplate::match(std::string_view uri) const {
  Values out;
  if (!uri.starts_with(pieces_.front().literal)) return std::nullopt;
  uri.remove_prefix(pieces_.front().literal.size());
  for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
    const std::string& behind = pieces_[i + 1].literal;
    const bool last = i + 2 == pieces_.size();
    std::size_t end = std::string_view::npos;
    if (!last)
      end = uri.find(behind, 1);
    else if (uri.size() > behind.size() && uri.ends_with(behind))
      end = uri.size() - behind.size();
    if (end == std::string_view::npos) return std::nullopt;
    auto value = percent_decoded(uri.substr(0, end));
    if (!value) return std::nullopt;
    out.emplace_back(pieces_[i].name, std::move(*value));
    uri.remove_prefix(end + behind.size());
  }
  if (!uri.empty()) return std::nullopt;
  return out;
}

}  // namespace memd::mcp
