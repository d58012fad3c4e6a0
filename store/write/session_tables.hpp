#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Copies the rows of a session to another store, which has its own keys. Used for the rows of an evicted session that
// go into the raw layer, and for whole sessions that a rebuild takes from the old store. Writer thread only. Functions
// throw ErrorException.
namespace memd::transfer {

// The portable form of a foreign key. In `find`, % is the parameter and ?1 the session's
// uid.
struct Reference {
  std::string_view column;
  std::string_view write;  // expression over the table as t; empty: the column is not written
  std::string_view find;
};

// The rows of a table that belong to a session. `which` is a condition on the table as t; ?1 is the session's uid.
struct SessionTable {
  std::string_view table;
  std::string_view which;
  std::span<const Reference> references;
  bool is_of_sources = false;  // state of its sources, not content from them
};

// Both lists are in the order in which rows are inserted.
std::span<const SessionTable> kept_tables();   // rows that an evicted session keeps
std::span<const SessionTable> event_tables();  // rows that it loses with its events; insert them after the others

struct Selection {
  std::vector<std::string> columns;
  std::string sql;  // ?1: the session's uid
};
Selection selection_of(sqlite::Database& db, const SessionTable& table);

struct Insertion {
  std::string sql;                  // ?1: the session's uid, ?2 and on: the values at `places`
  std::vector<std::size_t> places;  // indices into the written columns; columns that no longer exist are left out
};
Insertion insertion_of(sqlite::Database& db, const SessionTable& table, const std::vector<std::string>& columns);

// Returns SQL that finds a source by "platform:path", the value of `parameter`.
std::string find_source(std::string_view parameter);

// Adds the texts of an exchange to the full-text index and enqueues it for enrichment.
void index_texts(sqlite::Database& db, ExchangeId id);

// Binds each row of `from` to the parameters of `into` and runs it. The first parameter is `uid`; the others are the
// row's values at `places`.
void copy_rows(sqlite::Statement& from, sqlite::Statement& into, const std::vector<std::size_t>& places,
               std::string_view uid);

// Adds the identities of a session's events and responses, so that they are recognised when read again.
void add_identities(sqlite::Database& db, std::int64_t session_pk);

// Copies a whole session with the keys of its exchanges, and returns these keys. Its sources are added as unread. Data
// derived from texts (vectors, topics) is recomputed later.
std::vector<ExchangeId> copy_session(sqlite::Database& from, sqlite::Database& to, const std::string& uid);

}  // namespace memd::transfer
