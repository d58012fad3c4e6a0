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

// The files a session has touched, and how a text has to name one of them so that a reader knows which is meant.
class FileNames {
 public:
  void add(std::string_view path) { paths_.emplace(path); }
  bool contains(const std::string& path) const { return paths_.contains(path); }
  const std::set<std::string>& paths() const { return paths_; }

  // The name under which a file counts, once: of a relative path the only known one that ends with it, of an unknown
  // absolute one the only relative one it ends with.
  std::string canonical(std::string_view path) const;

  // The shortest end of the path, by whole components, that no other known path has: "watcher.go",
  // "strategy/hooks.go".
  std::string telling_end(std::string_view path) const;

  // The telling end stands in `text`, as a part of a longer path or alone; or its directory and, behind it on the same
  // line, its last component ("strategy/: hooks.go, common.go").
  bool named_in(std::string_view text, std::string_view path) const;

 private:
  std::set<std::string> paths_;
};

// A sentence in which a person says how things are to be done ("don't", "always", "instead of", "make sure", …).
struct Constraint {
  std::string sentence;         // on one line
  std::set<std::string> words;  // that carry its subject, by their first letters
};
std::vector<Constraint> find_constraints(std::string_view prompt);

// The words of a text that carry its subject, by their first letters.
std::set<std::string> subject_words(std::string_view text);

// `words` has six of ten of `wanted`, and three of them at least.
bool covers(const std::set<std::string>& words, const std::set<std::string>& wanted);

// A sentence or a line of `text` covers the constraint's words.
bool restates(std::string_view text, const Constraint& constraint);

// What an agent can use again.
enum class ItemKind { file, identifier, edited_identifier, command_head, command, constraint };
inline constexpr std::array<std::string_view, 6> kItemKinds{"files",         "identifiers",    "identifiers+edits",
                                                            "command heads", "exact commands", "constraints"};
inline constexpr std::size_t kItemKindCount = kItemKinds.size();

// How often something was used before, and when last.
struct Use {
  std::size_t count = 0;
  std::size_t last = 0;  // record
};

// What a session had spoken of and touched before a compaction.
struct Known {
  FileNames files;    // touched by tools, or named in a command
  Terms identifiers;  // in all that was said, done and given back
  Terms heads;
  Terms commands;  // normal_command
  std::vector<Constraint> constraints;
  std::map<std::string, Use> uses;  // files, commands, identifiers, as the agent used them
};
Known read_known(const Transcript& transcript, std::size_t before);

// Items that the agent used in the records `next` and that were known before.
using Items = std::array<std::vector<std::string>, kItemKindCount>;
Items used_again(const Transcript& transcript, const std::vector<std::size_t>& next, const Known& known);

// The subject_words() of each sentence that the records say, also in what an agent tells its tools.
std::vector<std::set<std::string>> said_in(const Transcript& transcript, const std::vector<std::size_t>& records);

// Identifiers of the records `next` that stand nowhere in `before`: a pack that names one has seen the future.
Terms unknown_before(const Transcript& transcript, const std::vector<std::size_t>& next, std::string_view before);

}  // namespace memd::bench
