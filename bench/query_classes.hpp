#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::bench {

// Questions of one kind, as people and agents ask them.
struct QueryClass {
  std::string name;
  std::vector<std::string> queries;
};

// `count` questions of each kind about what the store holds, drawn from its own exchanges and files: the same store
// gives the same questions. Throws ErrorException.
std::vector<QueryClass> query_classes(const std::filesystem::path& store, std::size_t count);

// All words of the question, joined by OR: what a search without a plan would ask FTS5 for.
std::string naive_match(const std::string& query);

}  // namespace memd::bench
