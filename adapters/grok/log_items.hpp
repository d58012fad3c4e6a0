#pragma once

#include "adapters/grok/update_log.hpp"
#include "schemas/time.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::grok {

// What the items of a session have in common.
struct SessionFacts {
  std::string id;
  std::string cwd;
  bool subagent = false;
};

// The bytes of an item, made from the lines it consists of.
std::string item_bytes(const LogItem& item, const SessionFacts& session, const std::vector<std::string>& lines);

bool is_json_object(std::string_view text);

// When the session of a summary.json started; 0 when it does not say.
TimeMs summary_time(std::string_view summary);
bool is_subagent(std::string_view summary);

}  // namespace memd::grok
