#include "daemon/models/purpose_prefix.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace memd::embedding {
namespace {

struct Prefixes {
  std::string_view part_of_name;  // in lower case
  std::string_view query;
  std::string_view document;
};

// From the models' own cards.
constexpr std::array<Prefixes, 6> kPrefixes{{
    {"nomic-embed", "search_query: ", "search_document: "},
    {"embeddinggemma", "task: search result | query: ", "title: none | text: "},
    {"mxbai-embed", "Represent this sentence for searching relevant passages: ", ""},
    {"snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""},
    {"multilingual-e5", "query: ", "passage: "},
    {"/e5-", "query: ", "passage: "},
}};

}  // namespace

std::string_view purpose_prefix(std::string_view model, Purpose purpose) {
  std::string name = "/" + std::string(model);
  std::transform(name.begin(), name.end(), name.begin(), ascii::lower);
  for (const auto& p : kPrefixes)
    if (name.find(p.part_of_name) != std::string::npos) return purpose == Purpose::query ? p.query : p.document;
  return {};
}

}  // namespace memd::embedding
