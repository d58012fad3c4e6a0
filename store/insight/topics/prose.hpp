#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::topics {

enum class TokenShape : std::uint8_t {
  word,
  identifier,  // EnsureSetup, max_tokens, --search-all, ENT-212
  file_name,   // phase_test.go, without its directories
};

struct ProseToken {
  std::string_view text;  // as written
  float weight = 0;
  TokenShape shape = TokenShape::word;
  bool border = false;     // no phrase goes across it and the token before
  bool capital = false;    // it begins a sentence or stands in a heading: its capital letter says nothing
  bool in_code = false;    // between backticks
  bool from_user = false;  // words of a person
};

// How much is read of a text, and what a word of it weighs.
struct ReadingPlan {
  float head = 1;
  std::size_t head_bytes = 0;  // weigh `head`, those after them `rest`
  float rest = 0;
  std::size_t most_bytes = 0;
  bool from_user = false;
};

// Appends the words of a text that a reader would take for its subject: not what stands in code blocks, what clients
// put between tags of theirs, addresses, numbers, hashes, directories, lines of logs. The views point into `text`.
void read_prose(std::string_view text, const ReadingPlan& plan, std::vector<ProseToken>& out);

// Texts that an agent's client made, not a person: "This session is being continued from …".
bool is_made_by_client(std::string_view text);

// The part of a run of letters, digits and the signs that join them that is worth keeping.
struct ShapedToken {
  std::string_view text;
  TokenShape shape = TokenShape::word;
};

// Nothing for numbers, hashes, versions, addresses, directories, single letters.
// `called`: a "(" follows; `in_code`: it stands between backticks.
std::optional<ShapedToken> shape_token(std::string_view run, bool called, bool in_code);

// Whether it ends as names of source, configuration and document files do.
bool is_file_name(std::string_view name);

}  // namespace memd::topics
