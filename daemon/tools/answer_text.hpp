#pragma once

#include "schemas/base/harmless.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Texts for models. Two types separate memd's own words (AnswerText) from recorded text (HistoryText). Neither accepts
// the other's text as its own, and all quoted text is written by append_recorded(). Value types without shared state.
namespace memd::tools {

template <class T>
concept Count = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

// The text between <history> and </history>. String literals are memd's words and copied as they are. Other text is
// recorded text: joined to one line, or with its line breaks if passed as Whole.
class HistoryText {
 public:
  struct Whole {
    std::string_view text;
  };

  template <class... Parts>
  HistoryText& add(Parts&&... parts) {
    (put(parts), ...);
    return *this;
  }
  bool empty() const { return text_.empty(); }

 private:
  friend class AnswerText;

  template <std::size_t size>
  void put(const char (&literal)[size]) {
    text_.append(literal, size - 1);
  }
  template <std::size_t size>
  void put(char (&buffer)[size]) = delete;  // not a literal
  template <Count Number>
  void put(Number number) {
    text_ += std::to_string(number);
  }
  void put(std::string_view line) { append_recorded(text_, line, Lines::joined); }
  void put(const std::string& line) { put(std::string_view(line)); }
  void put(const Whole& whole) { append_recorded(text_, whole.text, Lines::kept); }

  std::string text_;
};

// An answer, a notice, or a part of one. Takes literals of memd's source, numbers and names of enumerators. A
// std::string does not compile, because its origin is unknown; the structs below state the origin of a text.
class AnswerText {
 public:
  // An identifier: x42, claude_code:…, ollama/nomic-embed-text. Bytes that identifiers do not contain become "?". Cut
  // at 200 bytes.
  struct Id {
    std::string_view text;
  };
  // An RFC 3339 time, formatted as by short_time().
  struct Time {
    std::string_view rfc3339;
  };
  // Text that the caller sent or the user configured. Joined to one line.
  struct Echo {
    std::string_view text;
  };
  // A path, a project, or a word that may be recorded. Copied if all its bytes are those of an Id (no blanks), else
  // written as Quoted.
  struct Name {
    std::string_view text;
  };
  // A message of another part of memd, such as an error. Its recorded text is already between the marks.
  struct Message {
    std::string_view text;
  };
  // Recorded text. Written on the same line, between the marks.
  struct Quoted {
    std::string_view text;
  };

 private:
  template <std::size_t size>
  void put(const char (&literal)[size]) {
    text_.append(literal, size - 1);
  }
  template <std::size_t size>
  void put(char (&buffer)[size]) = delete;  // not a literal
  template <Count Number>
  void put(Number number) {
    text_ += std::to_string(number);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void put(Enum name) { text_ += to_string(name); }
  void put(const AnswerText& own) { text_ += own.text_; }
  void put(const Id& id);
  void put(const Name& name);
  void put(const Time& time);
  void put(const Echo& echo) { append_recorded(text_, echo.text, Lines::joined); }
  void put(const Message& message) { append_harmless(text_, message.text, Lines::joined); }
  void put(const Quoted& quoted) { text_ += recorded(quoted.text); }

 public:
  AnswerText() = default;
  template <std::size_t size>
  AnswerText(const char (&literal)[size]) : text_(literal, size - 1) {}  // NOLINT: words of memd's

  template <class... Parts, class Self = AnswerText>  // a dependent name: complete when the constraint is checked
  requires requires(Self& out, Parts&... parts) { (out.put(parts), ...); }
  AnswerText& add(Parts&&... parts) {
    (put(parts), ...);
    return *this;
  }
  // Appends "a, b, c".
  AnswerText& list(const std::vector<std::string>& ids);
  // Appends a block of its own between the marks; nothing if `history` is empty.
  AnswerText& quote(const HistoryText& history);
  // Appends a sentence, separated by a blank from the text before it.
  template <class... Parts, class Self = AnswerText>  // a dependent name: complete when the constraint is checked
  requires requires(Self& out, Parts&... parts) { (out.put(parts), ...); }
  AnswerText& say(Parts&&... parts) {
    if (!text_.empty()) text_ += ' ';
    return add(parts...);
  }

  // Sets a text that memd wrote, read back from JSON.
  friend void set_from_text(AnswerText& out, std::string_view text) { out = AnswerText().add(Message{text}); }

  bool empty() const { return text_.empty(); }
  // Returns the text after `beginning` and the blank that follows it. The text has to begin with `beginning`.
  AnswerText behind(const AnswerText& beginning) const;
  const std::string& str() const { return text_; }
  operator std::string_view() const { return text_; }  // NOLINT: everybody may read it
  bool operator==(const AnswerText&) const = default;

 private:
  std::string text_;
};

// Returns an argument as answers repeat it: cut to 60 tokens.
std::string echo_of(std::string_view argument);

}  // namespace memd::tools
