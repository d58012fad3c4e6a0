#pragma once

#include "schemas/base/result.hpp"

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// The parts of a Markdown file as byte offsets. The front matter is YAML between a first line "---" (a byte order mark
// may precede it) and a line "---" or "...".
struct FrontMatterSpan {
  enum class State { none, unclosed, closed };
  State state = State::none;
  std::size_t begin = 0;  // of the YAML
  std::size_t end = 0;
  std::size_t body = 0;  // start of the text; 0 (or 3, after the byte order mark) if there is no front matter
};
FrontMatterSpan find_front_matter(std::string_view file);
// Returns "\r\n" if the first line ends so, otherwise "\n".
std::string_view line_end_of(std::string_view file);

// A key that occurs twice in the front matter: YAML forbids it, and yaml-cpp takes the first.
struct RepeatedKey {
  std::string key;
  int line = 0;  // line in the file, from 1
};

// The parsed YAML of a file. One thread.
struct FrontMatter {
  YAML::Node root;  // a mapping, if `problem` is empty
  std::string problem;
  int problem_line = 0;
  std::vector<RepeatedKey> repeated;

  static FrontMatter read(std::string_view file, const FrontMatterSpan& span);
  static int line_of(const YAML::Node& node) { return node.Mark().line + 2; }  // the first line is "---"
};

// Changes values in the front matter of a file and keeps every other byte: unknown keys, comments, order, quotes, line
// ends, a missing last newline. Reads each change back and rejects it if the value comes out differently or another key
// would change. One thread.
class FrontMatterEditor {
 public:
  // A key, or a key in a mapping under a key.
  using Path = std::initializer_list<std::string_view>;

  explicit FrontMatterEditor(std::string file) : file_(std::move(file)) {}

  // Returns Errc::unsupported for YAML that memd does not edit (a flow mapping, for example); the context names the
  // key.
  Result<void> set_text(Path path, std::string_view value);
  // Appends missing values and removes unwanted ones. The others keep their order and quotes.
  Result<void> set_list(Path path, const std::vector<std::string>& values);
  void set_body(std::string_view body);

  const std::string& file() const { return file_; }

 private:
  Result<void> change(Path path, const std::optional<std::string_view>& text, const std::vector<std::string>* list);

  std::string file_;
};

// Formats the value as YAML on one line: plain if every parser reads it as this text, otherwise in double quotes.
std::string yaml_text(std::string_view value);

}  // namespace memd::memory
