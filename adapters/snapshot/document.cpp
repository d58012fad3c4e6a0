#include "adapters/snapshot/document.hpp"

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/log_decoder.hpp"

#include <simdjson.h>

#include <optional>
#include <utility>

namespace memd::snapshot {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  const auto next = text.find_first_not_of(" \t\r\n", at);
  return next == kNone ? text.size() : next;
}

// Returns the offset after the string that starts at `at`; kNone when it is not terminated.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (;;) {
    at = text.find_first_of("\"\\", at + 1);
    if (at == kNone) return kNone;
    if (text[at] == '"') return at + 1;
    ++at;  // an escaped character
  }
}

// Returns the offset after the value that starts at `at`; kNone when it is incomplete.
std::size_t value_end(std::string_view text, std::size_t at) {
  if (at >= text.size()) return kNone;
  if (text[at] == '"') return string_end(text, at);
  if (text[at] != '{' && text[at] != '[') {
    const auto end = text.find_first_of(",]} \t\r\n", at);
    return end == kNone ? text.size() : end;
  }
  std::size_t depth = 0;
  while ((at = text.find_first_of("\"{}[]", at)) != kNone) {
    if (text[at] == '"') {
      at = string_end(text, at);
      if (at == kNone) return kNone;
      continue;
    }
    const bool opens = text[at] == '{' || text[at] == '[';
    ++at;
    if (opens)
      ++depth;
    else if (--depth == 0)
      return at;
  }
  return kNone;
}

// Returns the offset after the '[' of the array.
std::size_t array_start(std::string_view text, std::string_view member) {
  std::size_t at = skip_blanks(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (member.empty()) return at < text.size() && text[at] == '[' ? at + 1 : kNone;
  if (at >= text.size() || text[at] != '{') return kNone;
  ++at;
  while (true) {
    at = skip_blanks(text, at);
    if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
    if (at >= text.size() || text[at] != '"') return kNone;
    const auto key = at;
    at = string_end(text, at);
    if (at == kNone) return kNone;
    const bool found = text.substr(key + 1, at - key - 2) == member;
    at = skip_blanks(text, at);
    if (at >= text.size() || text[at] != ':') return kNone;
    at = skip_blanks(text, at + 1);
    if (found) return at < text.size() && text[at] == '[' ? at + 1 : kNone;
    at = value_end(text, at);
    if (at == kNone) return kNone;
  }
}

class Splitter {
 public:
  Splitter(Document& document, std::string_view mark) : document_(document), mark_(mark) {}

  void split(std::size_t at) {
    const std::string_view text = view();
    while (true) {
      at = skip_blanks(text, at);
      if (at >= text.size()) return;  // cut off between elements
      if (text[at] == ',') {
        ++at;
        continue;
      }
      if (text[at] == ']') {  // the rest is structure: other members, a surplus bracket, the tail of an older version
        document_.whole = true;
        return;
      }
      const auto end = value_end(text, at);
      if (end == kNone || !is_object(text.substr(at, end - at))) break;
      document_.elements.push_back({at, end, false});
      at = end;
    }
    recover(at);
  }

 private:
  std::string_view view() const { return std::string_view(document_.text).substr(0, document_.size); }

  // The bytes after a slice are readable: they belong to the document.
  bool is_object(std::string_view slice) {
    simdjson::dom::object object;
    return parser_.parse_padded(slice, object);
  }

  // Finds whole elements from a point on where the bracket structure is unreliable.
  void recover(std::size_t from) {
    const std::string_view tail = view().substr(from);
    const auto take = [&](std::string_view slice, bool) {
      simdjson::dom::object object;
      simdjson::dom::element value;
      if (!parser_.parse_padded(slice, object)) return json::Slice::broken;
      return object[mark_].get(value) ? json::Slice::not_record : json::Slice::record;
    };
    std::optional<Element> damaged;
    json::recover_line(tail, take, [&](const json::Piece& piece) {
      if (!piece.record) {
        const auto stretch = tail.substr(piece.begin, piece.end - piece.begin);
        if (stretch.find_first_not_of(" \t\r\n,]}") == kNone) return;  // structure
        if (damaged) document_.elements.push_back(*damaged);
        damaged = Element{from + piece.begin, from + piece.end, true};
        return;
      }
      if (damaged) document_.elements.push_back(*damaged);
      damaged.reset();
      document_.elements.push_back({from + piece.begin, from + piece.end, false});
    });
    // Damage at the end is most likely an element that is being written.
    if (damaged) document_.torn = damaged->end - damaged->begin;
    const auto last = tail.find_last_not_of(" \t\r\n");
    document_.whole = !damaged && last != kNone && (tail[last] == ']' || tail[last] == '}');
  }

  Document& document_;
  std::string_view mark_;
  json::DomParser parser_;
};

}  // namespace

std::size_t Document::element_bytes() const {
  std::size_t sum = 0;
  for (const Element& e : elements)
    sum += e.end - e.begin;
  return sum;
}

Document split_document(std::string file, std::string_view member, std::string_view mark) {
  Document document;
  document.size = file.size();
  document.text = std::move(file);
  document.text.resize(document.size + kRecordPadding, ' ');
  const auto start = array_start(std::string_view(document.text).substr(0, document.size), member);
  if (start != kNone) {
    Splitter(document, mark).split(start);
  } else if (skip_blanks(std::string_view(document.text).substr(0, document.size), 0) < document.size) {
    document.torn = document.size;  // no such array: truncated before it, or a different kind of document
  }
  return document;
}

}  // namespace memd::snapshot
