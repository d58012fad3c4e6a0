#pragma once

struct sqlite3;

namespace memd::tokenizer {

// Makes the tokenizer `memd` of FTS5 (word_cutter.hpp) known to a connection, and the SQL function
// memd_other_scripts(text, …): whether one of the texts has letters that unicode61 reads otherwise. A connection
// without it cannot MATCH or write the full-text tables. Throws ErrorException when this SQLite has no FTS5.
void register_tokenizer(sqlite3* db);

}  // namespace memd::tokenizer
