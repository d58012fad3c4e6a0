#pragma once

#include "daemon/config/summaries_config.hpp"

#include <yaml-cpp/yaml.h>

#include <string>

namespace memd::config {

// The mapping "summaries". Refuses as config_section.hpp does.
SummariesConfig read_summaries(const std::string& file, const YAML::Node& node);

}  // namespace memd::config
