#include "daemon/report/html_page.hpp"

#include "daemon/version.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace memd::report {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::span<const unsigned char> bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto three = bytes.subspan(i, std::min<std::size_t>(3, bytes.size() - i));
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8U | (k < three.size() ? three[k] : 0U);
    const std::size_t letters = three.size() + 1;
    for (std::size_t k = 0; k < 4; ++k)
      out += k < letters ? kBase64[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string joined(const std::vector<std::string_view>& names) {
  std::string out;
  for (const auto name : names)
    out += page_file(name);
  return out;
}

}  // namespace

std::string hash_source(std::string_view text) { return "'sha256-" + base64(sha256(text)) + "'"; }

std::string style_of(const HtmlPage& page) { return "\n" + joined(page.styles) + page.rules; }

std::string script_of(const HtmlPage& page) { return "'use strict';\n" + page.constants + joined(page.scripts); }

std::string agent_names() {
  std::string out = "const agents = ";
  json::Writer w(out);
  w.begin_object();
  for (const PlatformInfo& p : platforms())
    w.member(p.key, p.name);
  w.end_object();
  return out + ";\n";
}

std::string agent_colours() {
  std::string out;
  for (const PlatformInfo& p : platforms())
    out += fmt::format(".p-{} {{ --c: light-dark({}, {}); }}\n", p.key, p.light, p.dark);
  return out;
}

std::string_view page_file(std::string_view name) {
  for (const auto& file : embedded::page_files())
    if (file.name == name) return file.text;
  throw std::out_of_range("no page file " + std::string(name));
}

std::string page_head(const HtmlPage& page) {
  const std::string style = style_of(page);
  const std::string script = script_of(page);
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src " +
         hash_source(style) + "; script-src " + hash_source(script) + "; base-uri 'none'; form-action 'none'\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";
  out += "<meta name=\"generator\" content=\"memd " + escape_html(version()) + "\">\n";
  out += "<title>" + escape_html(page.title) + "</title>\n<link rel=\"icon\" href=\"data:,\">\n";
  return out + "<style>" + style + "</style>\n</head>\n<body>\n";
}

std::string page_foot(const HtmlPage& page) { return "<script>" + script_of(page) + "</script>\n</body>\n</html>"; }

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\t':
      case '\n': out += c; break;
      case '\r': break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += "\xEF\xBF\xBD";
        else
          out += c;
    }
  }
  return out;
}

std::string json_for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 32);
  for (const char c : json) {
    switch (c) {  // JSON has these characters only within strings
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace memd::report
