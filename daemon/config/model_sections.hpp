#pragma once

#include "daemon/config/model_config.hpp"

#include <yaml-cpp/yaml.h>

#include <string>

// Reads the sections of the configuration file that choose models. Both refuse as config_section.hpp does; a provider
// that is a server is refused when memd was built without MEMD_WITH_MODELS.
namespace memd::config {

EmbeddingConfig read_embedding(const std::string& file, const YAML::Node& node);
SummariesConfig read_summaries(const std::string& file, const YAML::Node& node);

}  // namespace memd::config
