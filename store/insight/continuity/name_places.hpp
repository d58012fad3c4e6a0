#pragma once

#include "store/insight/continuity/session_past.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::continuity {

// The place of a code name according to edits, file reads, searches and errors.
struct NamePlace {
  std::string path;       // as the agent wrote it; empty: unknown
  std::int64_t line = 0;  // line of its declaration when last seen, from 1; 0: unknown
};

// Finds the places of names in the file contents that a session saw. Reads SessionPast::full_texts. A value; constant
// after construction.
class NamePlaces {
 public:
  explicit NamePlaces(const SessionPast& past);

  // Returns the newest line that declares the name, otherwise the newest line that contains it. For `a.B`, returns the
  // place of `B` if that is a declaration or `a.B` itself does not occur.
  NamePlace of(std::string_view name) const;

 private:
  struct Found {
    NamePlace place;
    int rank = 0;         // declarations before mentions, numbered lines before others
    std::size_t age = 0;  // of the event
  };
  void read_event(std::string_view text, const std::string& path, std::size_t age);
  void read_line(std::string_view line, const NamePlace& place, std::size_t age);
  void note(std::string_view name, const NamePlace& place, bool declared, std::size_t age);

  std::unordered_map<std::string, Found> found_;
};

}  // namespace memd::continuity
