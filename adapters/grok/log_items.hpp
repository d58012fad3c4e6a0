#pragma once

#include "adapters/grok/update_log.hpp"
#include "schemas/time.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memd::grok {

// The bytes of an item, made from the lines it consists of.
std::string item_bytes(const LogItem& item, std::string_view session_id, std::string_view cwd,
                       const std::vector<std::string>& lines);

bool is_json_object(std::string_view text);

// When the session of a summary.json started; 0 when it does not say.
TimeMs summary_time(std::string_view summary);

}  // namespace memd::grok
