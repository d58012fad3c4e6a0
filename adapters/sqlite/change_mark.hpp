#pragma once

#include "adapters/file_view.hpp"
#include "schemas/error.hpp"

#include <string>

namespace memd::sqlite {

// A short text that differs when the database may have been written to. It holds the change counter and the size of the
// file; the salts and the size of the write-ahead log and the last commit in its index (-shm); and times of writing
// (https://sqlite.org/fileformat2.html). A checkpoint changes it, too. Reads less than 300 bytes and takes no lock.
// Not while a ReadOnlyDatabase with locks is open on the file (see there).
// Errc::not_found, Errc::permission, Errc::io.
Result<std::string> change_mark(const FileView& files, const std::string& path);

// What the file header says, without opening the database.
struct FileState {
  bool is_database = false;  // has the magic, or is empty, as new databases are
  bool write_ahead = false;  // WAL mode
  bool has_log = false;      // a -wal that is not empty
  bool has_index = false;    // a -shm
  bool has_journal = false;  // a transaction in rollback mode is under way, or was cut short
};
Result<FileState> file_state(const FileView& files, const std::string& path);

}  // namespace memd::sqlite
