#include "schemas/base/embedded.hpp"

#include <charconv>
#include <stdexcept>
#include <string>

namespace memd {
namespace {

// `before`: the version that the first file follows.
std::vector<Migration> load(const std::vector<embedded::EmbeddedFile>& files, int before) {
  std::vector<Migration> out;
  for (const auto& file : files) {
    int number = 0;
    std::from_chars(file.name.data(), file.name.data() + file.name.size(), number);
    if (number != static_cast<int>(out.size()) + 1)
      throw std::logic_error("schemas/sql is not numbered without gaps at " + std::string(file.name));
    out.push_back({before + number, file.name, file.text});
  }
  return out;
}

}  // namespace

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> all = load(embedded::sql_migrations(), 24);
  return all;
}

std::int64_t newest_schema_version() { return migrations().back().version; }

const std::vector<Migration>& summaries_migrations() {
  static const std::vector<Migration> all = load(embedded::summaries_migrations(), 0);
  return all;
}

}  // namespace memd
