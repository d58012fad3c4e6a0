#include "protocol/mcp/uri_template.hpp"

#include "schemas/error.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

namespace memd::mcp {

std::string percent_encoded(std::string_view text) {
  return boost::urls::encode({text.data(), text.size()}, boost::urls::unreserved_chars);
}

std::optional<std::string> percent_decoded(std::string_view text) {
  const auto encoded = boost::urls::make_pct_string_view({text.data(), text.size()});
  if (!encoded) return std::nullopt;
  return encoded->decode();
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
