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

// Finds the random arguments of a call whose name has a sensitive word that ends at `word_end`:
// changeUserPassword("ada", "…"), new PasswordAuthentication("ada", "…").
void find_in_call(std::string_view text, std::size_t word_end, LookAhead& ahead, std::vector<Secret>& out);

// Finds a random word behind the name of a password, in its line and not far, whatever is between them:
// password-value "…", cy.get('#password').type('…'). Returns whether there is one.
bool find_near_name(std::string_view text, const SensitiveName& name, LookAhead& ahead, std::vector<Secret>& out);

}  // namespace memd::redaction
