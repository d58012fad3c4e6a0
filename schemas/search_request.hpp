#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/platform.hpp"

#include <optional>
#include <string>
#include <vector>

// What a search looks for, in turns or in memories.
namespace memd {

// A piece of the query, to be split into words by the index's own tokenizer.
struct QueryText {
  std::string text;     // valid UTF-8 without NUL
  bool quoted = false;  // was in quotes: has to occur as a phrase
};

// A parsed question (search::parse_query). Words and phrases keep their order.
struct ParsedQuery {
  std::string text;     // as the user typed it; never a syntax error
  std::string meaning;  // what is embedded: `wanted`, and the words of a time
  std::vector<QueryText> wanted;
  std::vector<QueryText> excluded;
  std::vector<std::string> paths;  // lower case; each has to be part of the path of a touched file
  std::vector<std::string> tools;  // lower case; each has to be part of the name of a tool called
  std::vector<Platform> platforms;
  std::string project;
  TimeMs since = 0;                    // inclusive; 0: open
  TimeMs until = 0;                    // exclusive; 0: open
  std::optional<TimeRange> preferred;  // time mentioned ("last week"); exchanges of that time rank higher
  std::vector<std::string> operators;  // exclusions and filters, as typed

  bool has_filters() const {
    return !paths.empty() || !tools.empty() || !platforms.empty() || !project.empty() || since != 0 || until != 0;
  }
};

// lexical: by words; semantic: by meaning alone; hybrid: both.
enum class SearchMode { hybrid, lexical, semantic };

// What a search of turns and one of memories are asked alike.
struct SearchRequest {
  ParsedQuery asked;
  SearchMode mode = SearchMode::hybrid;
  bool explain = false;        // hits carry their features
  std::string near_project{};  // identity key of the project the question is asked from; its hits come a little earlier
  TimeMs now = 0;              // reference time for recency; 0: age is ignored
};

}  // namespace memd
