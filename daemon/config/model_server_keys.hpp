#pragma once

#include "daemon/config/config_section.hpp"
#include "daemon/config/model_server_config.hpp"

#include <yaml-cpp/yaml.h>

#include <string>

// The keys that all sections about served models have. They refuse as config_section.hpp does.
namespace memd::config {

// Adds endpoint, api_key_env, api_key_file, timeout_ms and connect_timeout_ms. `file` and `out` must outlive `section`.
Section& add_server_keys(Section& section, const std::string& file, ModelServerConfig& out);
// After the section was read: of the two places for a key only one.
void check_server_keys(const std::string& file, const YAML::Node& node, const std::string& section,
                       const ModelServerConfig& config);

// A scalar that is not empty.
std::string text(const std::string& file, const YAML::Node& node, const std::string& key, const char* expected);

}  // namespace memd::config
