#include "daemon/config/model_server_keys.hpp"

#include "protocol/models/url.hpp"
#include "schemas/ascii.hpp"

#include <algorithm>

namespace memd::config {
namespace {

bool is_variable_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), ascii::is_word);
}

}  // namespace

std::string text(const std::string& file, const YAML::Node& node, const std::string& key, const char* expected) {
  auto out = scalar<std::string>(file, node, key, expected);
  if (out.empty()) refuse(file, node.Mark(), key + ": expected " + expected);
  return out;
}

Section& add_server_keys(Section& section, const std::string& file, ModelServerConfig& out) {
  return section
      .key("endpoint",
           [&](const auto& v, const auto& key) {
             out.endpoint = text(file, v, key, "an address");
             if (const auto url = http::parse_url(out.endpoint); !url)
               refuse(file, v.Mark(),
                      key + ": expected an address like http://127.0.0.1:11434 (" + url.error().context + ")");
           })
      .key("api_key_env",
           [&](const auto& v, const auto& key) {
             out.api_key_env = text(file, v, key, "the name of an environment variable");
             if (!is_variable_name(out.api_key_env))  // not repeated: it may be the key itself
               refuse(file, v.Mark(), key + ": expected the name of an environment variable, not a key");
           })
      .key("api_key_file",
           [&](const auto& v, const auto& key) {
             out.api_key_file = text(file, v, key, "an absolute path");
             if (!out.api_key_file.is_absolute()) refuse(file, v.Mark(), key + ": expected an absolute path");
           })
      .key("timeout_ms",
           [&](const auto& v, const auto& key) { out.timeout_ms = whole_number(file, v, key, 100, 600'000); })
      .key("connect_timeout_ms",
           [&](const auto& v, const auto& key) { out.connect_timeout_ms = whole_number(file, v, key, 50, 60'000); });
}

void check_server_keys(const std::string& file, const YAML::Node& node, const std::string& section,
                       const ModelServerConfig& config) {
  if (!config.api_key_env.empty() && !config.api_key_file.empty())
    refuse(file, node.Mark(), section + ": api_key_env and api_key_file: only one of them");
}

}  // namespace memd::config
