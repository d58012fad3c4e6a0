#pragma once

#include "schemas/harmless.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// The texts that models read. Two types keep memd's own words apart from what it quotes: neither takes the other's for
// its own, and append_recorded() writes all that is quoted. Value types without shared state.
namespace memd::tools {

template <class T>
concept Count = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

// What stands between <history> and </history>. Literals stand as they are written in memd's source, everything else is
// recorded text: on one line, or with its lines as Whole.
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
  void put(char (&buffer)[size]) = delete;  // no literal
  template <Count Number>
  void put(Number number) {
    text_ += std::to_string(number);
  }
  void put(std::string_view line) { append_recorded(text_, line, Lines::joined); }
  void put(const std::string& line) { put(std::string_view(line)); }
  void put(const Whole& whole) { append_recorded(text_, whole.text, Lines::kept); }

  std::string text_;
};

// An answer, a notice, or a part of one: words of memd's source and numbers. A std::string is refused, for nobody knows
// where it comes from. What else may stand there says what it is:
class AnswerText {
 public:
  // Names: x42, claude_code:…, ollama/nomic-embed-text. Bytes that no such name has become "?".
  struct Id {
    std::string_view text;
  };
  // A time in RFC 3339, told as short_time() does.
  struct Time {
    std::string_view rfc3339;
  };
  // What the caller itself sent, or the user configured. On one line.
  struct Echo {
    std::string_view text;
  };
  // A path, a project, a word that may be recorded: as it stands where it has no byte that a name has not (blanks
  // neither), else quoted.
  struct Name {
    std::string_view text;
  };
  // What another part of memd says: the message of an error. It quotes recorded text between the marks.
  struct Message {
    std::string_view text;
  };
  // Recorded text, quoted in the line between the marks.
  struct Quoted {
    std::string_view text;
  };

 private:
  template <std::size_t size>
  void put(const char (&literal)[size]) {
    text_.append(literal, size - 1);
  }
  template <std::size_t size>
  void put(char (&buffer)[size]) = delete;  // no literal
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

  template <class... Parts, class Self = AnswerText>  // a name that is complete when it is asked
  requires requires(Self& out, Parts&... parts) { (out.put(parts), ...); }
  AnswerText& add(Parts&&... parts) {
    (put(parts), ...);
    return *this;
  }
  // "a, b, c"
  AnswerText& list(const std::vector<std::string>& ids);
  // A block of its own; nothing when there is nothing to quote.
  AnswerText& quote(const HistoryText& history);
  // As a sentence behind what stands there.
  template <class... Parts, class Self = AnswerText>  // a name that is complete when it is asked
  requires requires(Self& out, Parts&... parts) { (out.put(parts), ...); }
  AnswerText& say(Parts&&... parts) {
    if (!text_.empty()) text_ += ' ';
    return add(parts...);
  }

  // What memd told elsewhere, read back from JSON.
  friend void set_told(AnswerText& out, std::string_view text) { out = AnswerText().add(Message{text}); }

  bool empty() const { return text_.empty(); }
  // What stands behind `beginning`, with which it begins, without the blank between them.
  AnswerText behind(const AnswerText& beginning) const;
  const std::string& str() const { return text_; }
  operator std::string_view() const { return text_; }  // NOLINT: everybody may read it
  bool operator==(const AnswerText&) const = default;

 private:
  std::string text_;
};

}  // namespace memd::tools
