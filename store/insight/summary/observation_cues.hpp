#pragma once

#include "schemas/observation.hpp"

#include <array>
#include <string_view>

// Words by which observations are told. All in lower case.
namespace memd::cues {

using Type = ObservationType;

// A sentence that begins so is of this type, if the rest agrees.
struct Opening {
  std::string_view words;  // lower case
  Type type;
  std::string_view needs{};  // has to stand further on
};

inline constexpr auto kOpenings = std::to_array<Opening>({
    {"fixed by ", Type::solution},
    {"resolved by ", Type::solution},
    {"solved by ", Type::solution},
    {"the fix is to ", Type::solution},
    {"the fix was to ", Type::solution},
    {"the fix: ", Type::solution},
    {"the solution is to ", Type::solution},
    {"the solution was to ", Type::solution},
    {"the solution: ", Type::solution},
    {"fixed ", Type::bugfix},
    {"corrected the ", Type::bugfix},
    {"implemented ", Type::feature},
    {"introduced ", Type::feature},
    {"added ", Type::feature},
    {"refactored ", Type::refactor},
    {"renamed ", Type::refactor},
    {"extracted ", Type::refactor},
    {"moved ", Type::refactor},
    {"simplified ", Type::refactor},
    {"consolidated ", Type::refactor},
    {"deduplicated ", Type::refactor},
    {"inlined ", Type::refactor},
    {"restructured ", Type::refactor},
    {"replaced ", Type::refactor, " with "},
    {"split ", Type::refactor, " into "},
    {"removed unused ", Type::refactor},
    {"removed the unused ", Type::refactor},
    {"removed the now-unused ", Type::refactor},
    {"removed redundant ", Type::refactor},
    {"removed the redundant ", Type::refactor},
    {"removed duplicate", Type::refactor},
    {"removed the duplicate", Type::refactor},
    {"removed dead ", Type::refactor},
    {"root cause: ", Type::discovery},
    {"root cause is ", Type::discovery},
    {"the root cause: ", Type::discovery},
    {"the root cause is ", Type::discovery},
    {"the root cause was ", Type::discovery},
    {"it turns out ", Type::discovery},
    {"turns out ", Type::discovery},
    {"found that ", Type::discovery},
    {"discovered that ", Type::discovery},
    {"found it: ", Type::discovery},
    {"found the issue: ", Type::discovery},
    {"found the bug: ", Type::discovery},
    {"found the problem: ", Type::discovery},
    {"found the root cause: ", Type::discovery},
    {"the cause is ", Type::discovery},
    {"the cause was ", Type::discovery},
    {"the reason is ", Type::discovery},
    {"the reason was ", Type::discovery},
    {"this is because ", Type::discovery},
    {"this happens because ", Type::discovery},
    {"this happened because ", Type::discovery},
    {"that's because ", Type::discovery},
    {"this is caused by ", Type::discovery},
    {"this was caused by ", Type::discovery},
    {"there's a bug ", Type::problem},
    {"there is a bug ", Type::problem},
    {"there's a race condition ", Type::problem},
    {"there is a race condition ", Type::problem},
    {"there's a regression ", Type::problem},
    {"there is a regression ", Type::problem},
    {"warning: ", Type::warning},
    {"caution: ", Type::warning},
    {"careful: ", Type::warning},
    {"caveat: ", Type::warning},
    {"one caveat: ", Type::warning},
    {"gotcha: ", Type::warning},
    {"be careful ", Type::warning},
    {"beware ", Type::warning},
    {"watch out ", Type::warning},
    {"keep in mind that ", Type::warning},
    {"this codebase uses ", Type::pattern},
    {"the codebase uses ", Type::pattern},
    {"this project uses ", Type::pattern},
    {"the project uses ", Type::pattern},
    {"this repo uses ", Type::pattern},
    {"the repo uses ", Type::pattern},
    {"the existing code uses ", Type::pattern},
    {"the existing tests use ", Type::pattern},
    {"this project follows ", Type::pattern},
    {"the codebase follows ", Type::pattern},
    {"by convention", Type::pattern},
    {"the convention is ", Type::pattern},
    {"the convention here is ", Type::pattern},
    {"the existing pattern is ", Type::pattern},
    {"the established pattern is ", Type::pattern},
});

// Guessed, imagined, offered, or said of something else.
inline constexpr auto kUnsure = std::to_array<std::string_view>(
    {"likely", "probably", "perhaps", "maybe", "might ", "may be ", "could be", "possibly", "i think", "i suspect",
     "seems", "if you", "would ", "should i", "want me to", "assuming", "unclear", "let me"});
// What was added is not what the software can do.
inline constexpr auto kNoFeature = std::to_array<std::string_view>(
    {" test",  "comment",       "import",    "nolint",      " log ",    "logging", "debug",      "doc ",
     "docs",   "documentation", "readme",    "claude.md",   "missing ", " table",  "workaround", "gitignore",
     "entry",  "entries",       "dependenc", "documenting", "verifies", "commit",  "changelog",  "example",
     "assert", "`test",         "changeset", " note",       "section"});

// How a rule begins.
inline constexpr auto kRules =
    std::to_array<std::string_view>({"always ", "never ", "from now on", "we always ", "we never ", "please always ",
                                     "please never ", "make sure to always ", "remember to always ", "don't ever ",
                                     "do not ever ", "in this project, ", "in this repo, "});

}  // namespace memd::cues
