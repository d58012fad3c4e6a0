#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::snapshot {

// An element of a JSON array, by its place in the document.
struct Element {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool damaged = false;  // no JSON object; stands for bytes that cannot be read
};

// A JSON document that is an array of objects, or an object with such an array in it, cut into the array's elements.
// Agents rewrite these files in place. What is read may be cut off anywhere. After a crash it may stay cut, have a
// surplus bracket, or the end of a longer version behind its own (cline/cline#335, #2321, #4359). All whole elements
// are found in any case. Owns the text.
struct Document {
  std::string text;  // the file, and kRecordPadding more bytes
  std::size_t size = 0;
  std::vector<Element> elements;
  bool whole = false;    // the array is closed
  std::size_t torn = 0;  // bytes at the end that are the start of an element; not among the elements

  std::string_view bytes(const Element& e) const { return std::string_view(text).substr(e.begin, e.end - e.begin); }
  std::size_t element_bytes() const;
  // What is left: brackets, commas, blanks, other members.
  std::size_t structure() const { return size - element_bytes() - torn; }
};

// Cuts `file` into the elements of its array. `member` names the array inside an object; empty: the document is the
// array. `mark` is a key that each element has ("ts", "role"). In a damaged document it tells an element from a part of
// one.
Document split_document(std::string file, std::string_view member, std::string_view mark);

}  // namespace memd::snapshot
