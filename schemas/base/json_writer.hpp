#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace memd::json {

// Appends `text` as a JSON string with its quotes. Control characters are escaped, so a line stays a line; bytes that
// are not UTF-8 become U+FFFD, because one bad byte from an old transcript would make the whole message unreadable.
void append_string(std::string& out, std::string_view text);
// Appends a quote, a backslash or a control character as its escape.
void append_escaped(std::string& out, char c);
void append_number(std::string& out, double value);  // shortest form; not finite becomes 0
void append_number(std::string& out, std::int64_t value);
void append_number(std::string& out, std::uint64_t value);
template <std::integral Number>
void append_number(std::string& out, Number value) {
  append_number(out, static_cast<std::conditional_t<std::signed_integral<Number>, std::int64_t, std::uint64_t>>(value));
}

// Appends compact JSON to a borrowed string. Inserts commas but does not check the structure: the caller must balance
// begin and end. One thread.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void string(std::string_view text) {
    comma();
    append_string(out_, text);
  }
  void boolean(bool value) { raw(value ? "true" : "false"); }
  template <class Number>
  void number(Number value) {
    comma();
    append_number(out_, value);
  }
  void raw(std::string_view json) {  // already JSON
    comma();
    out_ += json;
  }

  // "name": value
  void member(std::string_view name, std::string_view text) {
    key(name);
    string(text);
  }
  void member_bool(std::string_view name, bool value) {
    key(name);
    boolean(value);
  }
  void member_raw(std::string_view name, std::string_view json) {
    key(name);
    raw(json);
  }
  template <class Number>
  void member_number(std::string_view name, Number value) {
    key(name);
    number(value);
  }
  // "name": ["text", …]
  template <class Texts>
  void member_texts(std::string_view name, const Texts& texts) {
    key(name);
    begin_array();
    for (const auto& text : texts)
      string(text);
    end_array();
  }
  // "name": [{…}, …]; write(element) adds the members of each.
  template <class List, class Write>
  void member_objects(std::string_view name, const List& list, const Write& write) {
    key(name);
    begin_array();
    for (const auto& element : list) {
      begin_object();
      write(element);
      end_object();
    }
    end_array();
  }

 private:
  void comma() {
    if (pending_comma_) out_ += ',';
    pending_comma_ = true;
  }
  void open(char c) {
    comma();
    out_ += c;
    pending_comma_ = false;
  }
  void close(char c) {
    out_ += c;
    pending_comma_ = true;
  }

  std::string& out_;
  bool pending_comma_ = false;
};

}  // namespace memd::json
