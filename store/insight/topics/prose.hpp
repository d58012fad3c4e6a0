#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  bool border = false;     // no phrase spans this token and the one before
  bool capital = false;    // it starts a sentence or is in a heading, so its capital letter carries no information
  bool in_code = false;    // between backticks
  bool from_user = false;  // from a user's message
};

// The part of a text that is read, and the weight of its words.
struct ReadingPlan {
  float head = 1;
  std::size_t head_bytes = 0;  // the first bytes, which have the weight `head`; later ones have `rest`
  float rest = 0;
  std::size_t most_bytes = 0;
  bool from_user = false;
};

// Appends the words of a text that may name its subject. Skips code blocks, content of client tags, URLs, numbers,
// hashes, directories and log lines. The views point into `text`.
void read_prose(std::string_view text, const ReadingPlan& plan, std::vector<ProseToken>& out);

// Returns whether an agent's client wrote the text, not a user: "This session is being continued from …".
bool is_made_by_client(std::string_view text);

// The useful part of a run of letters, digits and joining characters.
struct ShapedToken {
  std::string_view text;
  TokenShape shape = TokenShape::word;
};

// Returns nullopt for numbers, hashes, versions, URLs, directories and single letters. `called`: a "(" follows;
// `in_code`: the run is between backticks.
std::optional<ShapedToken> shape_token(std::string_view run, bool called, bool in_code);

// Returns whether the name has the extension of a source, configuration or document file.
bool is_file_name(std::string_view name);

}  // namespace memd::topics
