#pragma once

#include "schemas/error.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The same as jsonc_text.hpp for TOML 1.0, as far as a table of strings and lists of strings needs it. Tables in any of
// TOML's three spellings are found: [a.b], a.b.c = …, a = {b = {…}}. Pure functions; any thread.
namespace memd::setup {

// What a table is to hold, in this order. A list of strings if `is_list`, else a string.
struct TomlEntry {
  std::string key;
  std::vector<std::string> values;
  bool is_list = false;
};

// Errc::bad_config says "line 3: …".
Result<void> check_toml(std::string_view text);

// The table of that path, one key and value (a string, or the elements of a list) after the other; other values are
// left out. Empty: there is no such table.
Result<std::vector<TomlEntry>> read_table(std::string_view text, std::span<const std::string> path);
Result<bool> has_table(std::string_view text, std::span<const std::string> path);

// The text with these entries in the table. Others in it stay; a value that is there already is not touched. A missing
// table is made at the end.
Result<std::string> with_table(std::string_view text, std::span<const std::string> path,
                               std::span<const TomlEntry> entries);

// Returns the text without the table and its subtables.
Result<std::string> without_table(std::string_view text, std::span<const std::string> path);

}  // namespace memd::setup
