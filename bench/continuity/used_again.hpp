#pragma once

#include "bench/continuity/code_terms.hpp"
#include "bench/continuity/transcript.hpp"

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// The files that a session has touched, and the rules for naming one of them unambiguously.
class FileNames {
 public:
  void add(std::string_view path) { paths_.emplace(path); }
  bool contains(const std::string& path) const { return paths_.contains(path); }
  const std::set<std::string>& paths() const { return paths_; }

  // Returns the name under which a file is counted. For a relative path this is the only known path that ends with it;
  // for an unknown absolute path the only relative path that it ends with.
  std::string canonical(std::string_view path) const;

  // Returns the shortest end of the path, in whole components, that no other known path has: "watcher.go",
  // "strategy/hooks.go".
  std::string telling_end(std::string_view path) const;

  // Whether `text` contains the telling end, alone or in a longer path; or the directory and, behind it on the same
  // line, the last component ("strategy/: hooks.go, common.go").
  bool named_in(std::string_view text, std::string_view path) const;

 private:
  std::set<std::string> paths_;
};

// A sentence in which a person demands how to work ("don't", "always", "instead of", "make sure", …).
struct Constraint {
  std::string sentence;         // on one line
  std::set<std::string> words;  // stems of its subject words
};
std::vector<Constraint> find_constraints(std::string_view prompt);

// Returns the stems (first letters) of the words that carry the subject of a text.
std::set<std::string> subject_words(std::string_view text);

// Whether `words` contains six tenths of `wanted`, and at least three.
bool covers(const std::set<std::string>& words, const std::set<std::string>& wanted);

// Whether a sentence or a line of `text` covers the constraint's words.
bool restates(std::string_view text, const Constraint& constraint);

// The kinds of items that an agent can use again.
enum class ItemKind { file, identifier, edited_identifier, command_head, command, constraint };
inline constexpr std::array<std::string_view, 6> kItemKinds{"files",         "identifiers",    "identifiers+edits",
                                                            "command heads", "exact commands", "constraints"};
inline constexpr std::size_t kItemKindCount = kItemKinds.size();

// The number of earlier uses and the last one.
struct Use {
  std::size_t count = 0;
  std::size_t last = 0;  // record of the last use
};

// Everything that a session had mentioned and touched before a compaction.
struct Known {
  FileNames files;    // touched by tools or named in a command
  Terms identifiers;  // from all texts, calls and results
  Terms heads;
  Terms commands;  // normalised by normal_command()
  std::vector<Constraint> constraints;
  std::map<std::string, Use> uses;  // the agent's uses of files, commands and identifiers
};
Known read_known(const Transcript& transcript, std::size_t before);

// Returns the items that the agent used in the records `next` and that were known before.
using Items = std::array<std::vector<std::string>, kItemKindCount>;
Items used_again(const Transcript& transcript, const std::vector<std::size_t>& next, const Known& known);

// Returns the subject_words() of each sentence in the records, including those that an agent passes to its tools.
std::vector<std::set<std::string>> said_in(const Transcript& transcript, const std::vector<std::size_t>& records);

// Returns the identifiers of the records `next` that do not occur in `before`. A pack that names one has seen the
// future.
Terms unknown_before(const Transcript& transcript, const std::vector<std::size_t>& next, std::string_view before);

}  // namespace memd::bench
