#pragma once

#include <string_view>
#include <vector>

namespace memd::embedded {

// A file of schemas/ compiled into the binary.
struct EmbeddedFile {
  std::string_view name;  // file name without folder
  std::string_view text;
};

const std::vector<EmbeddedFile>& sql_migrations();
const std::vector<EmbeddedFile>& json_schema_files();

}  // namespace memd::embedded
