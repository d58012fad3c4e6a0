#pragma once

#include "adapters/described/description.hpp"
#include "adapters/json/json_access.hpp"
#include "schemas/base/timestamp.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::described {

// Where pointers begin: at the element that a rule reads, which is the record itself outside of `each`.
struct Place {
  json::dom::element here;
  std::string_view key;  // of the element in its object, or its number
};

// Finds what terms lead to in one record. Texts that hold JSON are parsed once. One thread at a time; what it returns
// lives until the next record.
class Lookup {
 public:
  void begin(json::dom::element record);
  // Sets what {folder} stands for in texts of the description.
  void set_folder(std::string folder) { folder_ = std::move(folder); }

  // Returns the value; nullopt: there is none, or it is null or a text of the description.
  std::optional<json::dom::element> find(const Term& term, const Place& place);
  // Whether a pointer leads to null.
  bool finds_null(const Term& term, const Place& place);
  // Returns a text, number or truth value as text, and the texts of blocks; empty: there is none.
  std::string text(const Term& term, const Place& place);
  std::int64_t integer(const Term& term, const Place& place);
  std::optional<double> fraction(const Term& term, const Place& place);
  // `is_local`: a time without an offset is local.
  std::optional<TimeMs> time(const Term& term, const Place& place, bool is_local);
  bool holds(const Condition& condition, const Place& place);

  json::dom::element record() const { return record_; }
  // Whether a text that should hold JSON does not.
  bool met_broken_json() const { return met_broken_; }

 private:
  struct Opened {
    const char* text = nullptr;
    bool is_good = false;
    json::dom::element root;
    std::unique_ptr<json::dom::parser> parser;
  };
  std::optional<json::dom::element> follow(const Pointer& pointer, const Place& place);
  std::optional<json::dom::element> open(std::string_view text);
  bool holds(const Test& test, const Place& place);

  json::dom::element record_;
  std::vector<Opened> opened_;
  std::size_t used_ = 0;
  bool met_broken_ = false;
  std::string folder_;
};

// Returns a text that a pointer leads to in the first of some lines that has it. The last line may be cut off.
std::string head_text(const Term& term, std::string_view lines);

// Returns a value as a person would read it: a text, the texts of blocks, else JSON.
std::string text_of(json::dom::element value);

}  // namespace memd::described
