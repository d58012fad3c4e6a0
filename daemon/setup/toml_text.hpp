#pragma once

#include "schemas/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Edits TOML 1.0 files as jsonc_text.hpp does JSON, as far as a table of strings and lists of strings requires. Finds
// tables in all three notations: [a.b], a.b.c = …, a = {b = {…}}. Pure functions; any thread.
namespace memd::setup {

// An entry to write into a table: a list of strings if `is_list`, else a string.
struct TomlEntry {
  std::string key;
  std::vector<std::string> values;
  bool is_list = false;
};

// Validates the syntax. Errc::bad_config says "line 3: …".
Result<void> check_toml(std::string_view text);

// Returns the table at the path as keys and values (a string, or the elements of a list). Other values are left out.
// Empty: there is no such table.
Result<std::vector<TomlEntry>> read_table(std::string_view text, std::span<const std::string> path);
Result<bool> has_table(std::string_view text, std::span<const std::string> path);

// Returns the text with these entries in the table. Other entries and equal values are not touched. A missing table is
// appended.
Result<std::string> with_table(std::string_view text, std::span<const std::string> path,
                               std::span<const TomlEntry> entries);

// Returns the text without the table and its subtables.
Result<std::string> without_table(std::string_view text, std::span<const std::string> path);

}  // namespace memd::setup
