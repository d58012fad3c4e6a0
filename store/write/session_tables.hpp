#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The rows of a session on their way to another store, which has keys of its own: what an evicted session keeps goes
// to the raw layer, and a rebuild takes whole sessions from the store before. Writer thread only. Functions throw
// ErrorException.
namespace memd::transfer {

// How a key of another table is written, and found again. In `find` it is the parameter %; ?1 is the session's uid.
struct Reference {
  std::string_view column;
  std::string_view write;  // over the table as t; empty: it is not written
  std::string_view find;
};

// The rows of a table that belong to a session. `which` is a condition on the table as t; ?1 is the session's uid.
struct SessionTable {
  std::string_view table;
  std::string_view which;
  std::span<const Reference> references;
  bool is_of_sources = false;  // how far its sources are read, not what they gave
};

// In the order in which their rows are put back.
std::span<const SessionTable> kept_tables();   // what an evicted session keeps
std::span<const SessionTable> event_tables();  // what it loses with its events; to be put back after the others

struct Selection {
  std::vector<std::string> columns;
  std::string sql;  // ?1: the session's uid
};
Selection selection_of(sqlite::Database& db, const SessionTable& table);

struct Insertion {
  std::string sql;                  // ?1: the session's uid, ?2 and on: the values at `places`
  std::vector<std::size_t> places;  // in the columns that were written; those dropped since are not among them
};
Insertion insertion_of(sqlite::Database& db, const SessionTable& table, const std::vector<std::string>& columns);

// Finds a source by "platform:path", the value of `parameter`.
std::string find_source(std::string_view parameter);

// Adds the entries of an exchange's texts to the index, and has it enriched.
void index_texts(sqlite::Database& db, ExchangeId id);

// Each row that `from` gives goes, value by value, into the parameters of `into` behind the first, which is `uid`.
void copy_rows(sqlite::Statement& from, sqlite::Statement& into, const std::vector<std::size_t>& places,
               std::string_view uid);

// Copies a whole session with the keys of its exchanges, which are returned; its sources are named, as not read yet.
// What is made of texts (vectors, topics) is left to be made again.
std::vector<ExchangeId> copy_session(sqlite::Database& from, sqlite::Database& to, const std::string& uid);

}  // namespace memd::transfer
