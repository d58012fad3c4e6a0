#pragma once

#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/named_value.hpp"
#include "store/text/redaction/secret_pattern.hpp"

#include <string_view>
#include <vector>

// Values of sensitive names that do not stand right behind them: {"name": "DB_PASSWORD", "value": "…"},
// <key>ApiToken</key><string>…</string>, `setenv TOKEN …`, "Password:" and the next line, columns of tables. Pure;
// thread-safe.
namespace memd::redaction {

// Appends the values. Sets `doubtful` if some may only appear once escape sequences are resolved. `ahead` belongs to
// the text.
void find_distant_values(std::string_view text, const SensitiveName& name, LookAhead& ahead, std::vector<Secret>& out,
                         bool& doubtful);

}  // namespace memd::redaction
