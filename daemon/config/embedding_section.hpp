#pragma once

#include "daemon/config/embedding_config.hpp"

#include <yaml-cpp/yaml.h>

#include <string>

namespace memd::config {

// The mapping "embedding". Refuses as config_section.hpp does.
EmbeddingConfig read_embedding(const std::string& file, const YAML::Node& node);

}  // namespace memd::config
