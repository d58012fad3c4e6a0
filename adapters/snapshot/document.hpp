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

// A JSON document that is one array of objects, or an object with such an array in it, cut into the array's elements.
// Agents rewrite these files whole, in place: what is read can be cut off anywhere, and after a crash it can stay so,
// or have a surplus bracket, or the end of a longer version behind the end (cline/cline#335, #2321, #4359). All whole
// elements are found in any case.
struct Document {
  std::string text;  // the file, and kRecordPadding more bytes
  std::size_t size = 0;
  std::vector<Element> elements;
  std::size_t torn = 0;  // bytes at the end that are the start of an element; not among the elements

  std::string_view bytes(const Element& e) const { return std::string_view(text).substr(e.begin, e.end - e.begin); }
  std::size_t element_bytes() const;
  // What is left: brackets, commas, blanks, other members.
  std::size_t structure() const { return size - element_bytes() - torn; }
};

// Cuts `file` into the elements of its array; `member` names the array inside an object, empty: the document is the
// array. `mark` is a key each element has ("ts", "role"): it tells an element from a part of one where the document
// is damaged.
Document split_document(std::string file, std::string_view member, std::string_view mark);

}  // namespace memd::snapshot
