#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd::json {

// A JSON value that is changed in places. What is not changed stays text of its source, which must outlive it. One
// thread at a time.
class PatchedValue {
 public:
  explicit PatchedValue(std::string_view text, std::string_view key = {}) : key_(key), text_(text) {}

  std::string_view key() const { return key_; }        // in the object around it, as written
  std::vector<PatchedValue>& inner();                  // members or elements
  PatchedValue* find(std::string_view path_element);   // null: none. A token: "name" in quotes, or an index
  std::string text_at(std::string_view path_element);  // empty: none
  void set(std::string_view path_element, std::string_view value);  // adds or replaces
  void erase(std::string_view path_element);
  // Cuts an array to `keep` elements and appends those of the array `values`.
  void splice(std::size_t keep, std::string_view values);
  std::string text() const;

 private:
  std::string_view key_;
  std::string_view text_;  // while it is not open
  bool open_ = false;
  bool is_array_ = false;
  std::vector<PatchedValue> inner_;
};

}  // namespace memd::json
