#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// Data files compiled into the binary.
namespace memd::embedded {

// A text file compiled into the binary.
struct EmbeddedFile {
  std::string_view name;  // file name without folder
  std::string_view text;
};

// Defined in schemas/ unless marked otherwise.
const std::vector<EmbeddedFile>& sql_migrations();
const std::vector<EmbeddedFile>& summaries_migrations();
const std::vector<EmbeddedFile>& team_migrations();
const std::vector<EmbeddedFile>& json_schema_files();
const std::vector<EmbeddedFile>& command_word_files();
const std::vector<EmbeddedFile>& described_agents();   // in adapters/
const std::vector<EmbeddedFile>& page_files();         // in daemon/
const std::vector<EmbeddedFile>& setup_files();        // in daemon/
const std::vector<EmbeddedFile>& validation_status();  // in daemon/
const std::vector<EmbeddedFile>& price_files();        // in daemon/
const std::vector<EmbeddedFile>& cue_files();          // in store/
const std::vector<EmbeddedFile>& word_files();         // in store/
const std::vector<EmbeddedFile>& run_word_files();     // in store/
const std::vector<EmbeddedFile>& secret_rules();       // in store/

// A large file compiled into the binary, mapped with it and read from disk as it is used.
struct EmbeddedBinary {
  std::string_view name;             // file name without folder
  std::span<const std::byte> bytes;  // aligned to 64
  std::string_view sha256;           // of the bytes, hexadecimal
};

EmbeddedBinary builtin_model();     // in store/
EmbeddedBinary sentence_network();  // in store/; without bytes where they are a file beside the program
EmbeddedBinary byte_pair_ranks();   // in store/

}  // namespace memd::embedded

namespace memd {

// A file schemas/sql/NNNN_name.sql.
struct Migration {
  int version = 0;  // PRAGMA user_version once it is applied
  std::string_view name;
  std::string_view sql;
};

// Returns the migrations of the store, in order. The first one creates it, with schema version 25: no release wrote a
// lower one.
const std::vector<Migration>& migrations();
// Returns the schema version of the store after all of them.
std::int64_t newest_schema_version();
// Returns the migrations of summaries.db, from schemas/sql/summaries, in order.
const std::vector<Migration>& summaries_migrations();

}  // namespace memd
