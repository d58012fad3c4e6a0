#pragma once

#include "test/layering/names.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace memd::layering {

struct Include {
  std::string name;     // between the quotes or angle brackets
  bool quoted = false;  // "name", not <name>
  int line = 0;
  bool conditional = false;  // between #if and #endif
};

struct SourceFile {
  std::string folder;  // first part of the path: "schemas", "store", …
  int lines = 0;
  std::vector<Include> includes;
  std::vector<int> looks_for_braces;  // lines with '{' or '}' as a character literal
  std::vector<int> opens_files;       // lines that open, list or change files by a path
  std::vector<int> speaks_sql;        // lines that begin a statement of SQL, or call SQLite
  std::vector<int> awaits_temporary;  // lines that make an aggregate or a lambda in what they await
  std::vector<int> of_one_system;     // lines that name what struct stat has on one system only
  Names names;                        // not of test and bench
};

// Every .cpp and .hpp file below the source folders of `root`, by relative path ("store/db/database.hpp").
using SourceTree = std::map<std::string, SourceFile>;

SourceTree read_tree(const std::filesystem::path& root);

// Returns the violations of the rules of CONTRIBUTING.md ("Layers") as "path:line: what", ordered by path.
std::vector<std::string> violations(const SourceTree& tree);

}  // namespace memd::layering
