#pragma once

#include "schemas/error.hpp"

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// Where the parts of a Markdown file stand, in bytes. The front matter is YAML between a first line "---" (a byte order
// mark may precede it) and a line "---" or "...".
struct FrontMatterSpan {
  enum class State { none, unclosed, closed };
  State state = State::none;
  std::size_t begin = 0;  // of the YAML
  std::size_t end = 0;
  std::size_t body = 0;  // everything from here on is the text; 0 (or 3, behind the mark) if there is no front matter
};
FrontMatterSpan find_front_matter(std::string_view file);
// "\r\n" if the first line ends so, else "\n".
std::string_view line_end_of(std::string_view file);

// A key that stands in the front matter twice: YAML forbids it, and yaml-cpp takes the first.
struct RepeatedKey {
  std::string key;
  int line = 0;  // of the file, from 1
};

// The YAML of a file, read. One thread.
struct FrontMatter {
  YAML::Node root;  // a mapping, if `problem` is empty
  std::string problem;
  int problem_line = 0;
  std::vector<RepeatedKey> repeated;

  static FrontMatter read(std::string_view file, const FrontMatterSpan& span);
  static int line_of(const YAML::Node& node) { return node.Mark().line + 2; }  // the first line is "---"
};

// Changes values in the front matter of a file and leaves every other byte alone: unknown keys, comments, order,
// quotes, line ends, a missing last newline. Each change is read back: what would read otherwise than meant, or would
// change another key, is refused. One thread.
class FrontMatterEditor {
 public:
  // One key, or a key in a mapping below a key.
  using Path = std::initializer_list<std::string_view>;

  explicit FrontMatterEditor(std::string file) : file_(std::move(file)) {}

  // Errc::unsupported: written in a way that memd does not change (all in one line, say); the context names the key.
  Result<void> set_text(Path path, std::string_view value);
  // Adds what is missing at the end and takes out what is not wanted. What stays keeps its order and its quotes.
  Result<void> set_list(Path path, const std::vector<std::string>& values);
  void set_body(std::string_view body);

  const std::string& file() const { return file_; }

 private:
  Result<void> change(Path path, const std::optional<std::string_view>& text, const std::vector<std::string>* list);

  std::string file_;
};

// As YAML on one line: plain if every reader takes it for this text, else in double quotes.
std::string yaml_text(std::string_view value);

}  // namespace memd::memory
