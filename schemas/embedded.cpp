#include "schemas/embedded.hpp"

#include <charconv>
#include <stdexcept>
#include <string>

namespace memd {
namespace {

std::vector<Migration> load(const std::vector<embedded::EmbeddedFile>& files) {
  std::vector<Migration> out;
  for (const auto& file : files) {
    Migration m{0, file.name, file.text};
    std::from_chars(file.name.data(), file.name.data() + file.name.size(), m.number);
    if (m.number != static_cast<int>(out.size()) + 1)
      throw std::logic_error("schemas/sql is not numbered without gaps at " + std::string(file.name));
    out.push_back(m);
  }
  return out;
}

}  // namespace

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> all = load(embedded::sql_migrations());
  return all;
}

std::int64_t newest_schema_version() { return migrations().back().number; }

std::string_view new_store_script() { return embedded::new_store_script().front().text; }

const std::vector<Migration>& summaries_migrations() {
  static const std::vector<Migration> all = load(embedded::summaries_migrations());
  return all;
}

}  // namespace memd
