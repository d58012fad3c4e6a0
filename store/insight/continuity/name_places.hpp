#pragma once

#include "store/insight/continuity/session_past.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::continuity {

// Where a name of code lives, as far as edits, what was read, searches and errors tell.
struct NamePlace {
  std::string path;       // as the agent wrote it; empty: not known
  std::int64_t line = 0;  // of its declaration, from 1, as it was last seen; 0: not known
};

// Looks for names in what a session saw of files. Reads SessionPast::full_texts. A value; constant once it is made.
class NamePlaces {
 public:
  explicit NamePlaces(const SessionPast& past);

  // The line that declares the name, else one that has it; the newest of each. Of `a.B` that of `B`, where `a.B` itself
  // stands nowhere.
  NamePlace of(std::string_view name) const;

 private:
  struct Found {
    NamePlace place;
    int rank = 0;         // of what tells it: a declaration before a mention, a numbered line before another
    std::size_t age = 0;  // of the event
  };
  void read_event(std::string_view text, const std::string& path, std::size_t age);
  void read_line(std::string_view line, const NamePlace& place, std::size_t age);
  void note(std::string_view name, const NamePlace& place, bool declared, std::size_t age);

  std::unordered_map<std::string, Found> found_;
};

}  // namespace memd::continuity
