#pragma once

#include "daemon/cli/render/line.hpp"
#include "daemon/cli/render/look.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Formatting of single facts for a user. Pure; any thread.
namespace memd::cli {

std::string with_noun(std::int64_t n, std::string_view noun);  // "1 hit", "3 hits"
std::string grouped_digits(std::int64_t n);                    // "12,345"
std::string short_number(std::int64_t n);                      // "950", "12.3k", "4.5M"
std::string dollars(double usd);                               // "$12.30", "<$0.01"
std::string short_bytes(std::uint64_t n);                      // "950 B", "12.3 MB"
std::string short_duration(std::int64_t seconds);              // "45 s", "12 min", "3 h 20 min", "5 d 2 h"
// Returns a path with ~ for the home directory of this user.
std::string short_path(std::string_view path);
std::string name_of_agent(std::string_view key);  // "Claude Code" for "claude_code"; an unknown key as it is

// Shortens session ids for display: the part after the platform, as short as the ids added remain distinct; of a
// subagent "17b6b665/a81c". Whole ids in output for a program.
class SessionNames {
 public:
  explicit SessionNames(const Look& look) : whole_(!look.is_terminal) {}
  // Adds an id from which the others must remain distinct.
  void add(std::string_view session_id) { ids_.emplace_back(session_id); }
  std::string name(std::string_view session_id) const;

 private:
  bool whole_;
  std::vector<std::string> ids_;
};

// Returns the name of a single session.
std::string session_name(std::string_view session_id, const Look& look);

// Rewrites the sentences of an answer or an error for a command-line user: tool names become commands, arguments
// options.
std::string for_people(std::string_view sentences);

}  // namespace memd::cli
