#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd::snapshot {

// An element of a JSON array, as a byte range of the document.
struct Element {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool damaged = false;  // no JSON object; the range cannot be read
};

// A JSON document, either an array of objects or an object containing that array, split into the array's elements.
// Agents rewrite these files in place, so the text may be cut off anywhere. After a crash the file may stay truncated,
// have a surplus bracket, or end with the tail of a longer version (cline/cline#335, #2321, #4359). All whole elements
// are found in any case. Owns the text.
struct Document {
  std::string text;  // the file, followed by kRecordPadding bytes
  std::size_t size = 0;
  std::vector<Element> elements;
  bool whole = false;    // the array is closed
  std::size_t torn = 0;  // trailing bytes that are the start of an element; not part of `elements`

  std::string_view bytes(const Element& e) const { return std::string_view(text).substr(e.begin, e.end - e.begin); }
  std::size_t element_bytes() const;
  // Returns the number of remaining bytes: brackets, commas, blanks, other members.
  std::size_t structure() const { return size - element_bytes() - torn; }
};

// Splits `file` into the elements of its array. `member` names the array inside an object; empty: the document is the
// array. `mark` is a key that each element has ("ts", "role"). In a damaged document it distinguishes an element from a
// part of one.
Document split_document(std::string file, std::string_view member, std::string_view mark);

}  // namespace memd::snapshot
