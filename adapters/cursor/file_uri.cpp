#include "adapters/cursor/file_uri.hpp"

#include "schemas/ascii.hpp"

namespace memd::cursor {
namespace {

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '%' && i + 2 < text.size();
    const int high = pair ? ascii::hex_value(text[i + 1]) : -1;
    const int low = pair ? ascii::hex_value(text[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      out.push_back(static_cast<char>(high << 4 | low));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

bool is_drive(std::string_view path) { return path.size() >= 2 && ascii::is_letter(path[0]) && path[1] == ':'; }

}  // namespace

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view file = "file://";
  constexpr std::string_view remote = "vscode-remote://";
  if (uri.starts_with('/') || is_drive(uri)) return std::string(uri);
  const bool is_file = uri.starts_with(file);
  if (!is_file && !uri.starts_with(remote)) return {};
  uri.remove_prefix(is_file ? file.size() : remote.size());
  const auto slash = uri.find('/');
  if (slash == std::string_view::npos) return {};
  const auto host = uri.substr(0, slash);
  std::string path = percent_decoded(uri.substr(slash));
  if (is_drive(std::string_view(path).substr(1))) path.erase(0, 1);
  if (is_file && !host.empty()) path.insert(0, "//" + std::string(host));
  while (path.size() > 3 && path.back() == '/')
    path.pop_back();
  return path;
}

}  // namespace memd::cursor
