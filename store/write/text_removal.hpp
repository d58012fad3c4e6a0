#pragma once

#include "store/db/database.hpp"
#include "store/raw/frame_seal.hpp"
#include "store/text/redaction/forgotten_text.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Removes forgotten texts from the rows of a store. Functions throw ErrorException.
namespace memd::removal {

// Where forgotten texts stand in a store.
struct TextPlaces {
  std::set<std::string> texts;                  // as they stand there
  std::set<std::string, std::less<>> sessions;  // uids
  std::set<std::string, std::less<>> evicted;   // of these, evicted ones whose record in the raw layer has one
  std::vector<std::string> memories;            // files whose rows have one
  std::int64_t exchanges = 0;
  std::int64_t records = 0;  // of the raw layer
};
// Reads everything: the texts of exchanges and memories, and the raw layer. Any thread.
TextPlaces places_of(sqlite::Database& db, const redaction::ForgottenTexts& texts,
                     const std::filesystem::path& raw_directory, const raw::FrameSeal& seal);

// Where one text stands.
struct TextPlacesQuery {
  std::string_view text;  // at least redaction::kShortestForgotten bytes
  std::filesystem::path raw_directory;
  raw::FrameSeal seal;

  using Answer = TextPlaces;
  Answer run(sqlite::Database& db) const;
};

// Masks the texts in all columns of text. In the sessions of `places` also what rows have of them otherwise: single
// lines, blanks drawn together, a beginning that a row was cut at, an end that a row begins with. Exchanges that change
// are enriched anew. Writer thread, inside a transaction.
void mask_rows(sqlite::Database& db, const redaction::ForgottenTexts& texts, const TextPlaces& places);

}  // namespace memd::removal
