#pragma once

#include "store/db/store_layout.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::test {

inline constexpr TimeMs kLongAgo = 1'770'000'000'000;  // 2026-02-02

// Writes the agents' files of some sessions in two projects, and documents and file trees that change in place. Half of
// the sessions are at `recent`, the others at kLongAgo.
inline void write_mixed_home(TranscriptHome& home, TimeMs recent) {
  for (const char* platform : {"gemini", "grok"})
    for (const auto& golden : std::filesystem::directory_iterator(source_dir() / "test/golden" / platform))
      if (std::filesystem::exists(golden.path() / "home"))
        std::filesystem::copy(golden.path() / "home", home.path(),
                              std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
  // Torn or new files would be read again later, so all files are made old.
  const auto settled = std::filesystem::file_time_type::clock::now() - std::chrono::days(2);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home.path()))
    if (entry.is_regular_file()) std::filesystem::last_write_time(entry.path(), settled);
  for (int session = 1; session <= 4; ++session)
    for (int turn = 0; turn < 3; ++turn) {
      const bool goes = session % 2 == 0;
      const std::string project = goes ? "/w/exproject" : "/w/open";
      const std::string word = (goes ? "forgottencanary" : "keptword") + std::to_string(session * 10 + turn);
      const TimeMs at = (session < 3 ? kLongAgo : recent) + turn * 60'000 + session * 7;
      home.turn(project, session, at, word, "Why does " + word + " fail?", "Because of " + word + ".");
      home.typed(project, session, at, "Why does " + word + " fail?");
      if (session == 1) home.subagent_says(project, session, at, "look at " + word);
    }
}

// Returns the rows that a transcript determines, and those that enrichment adds.
inline std::vector<std::string> dump_with_enrichment(const StoreLayout& store) {
  auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
  check_full_text_index(db);
  auto out = dump_store(db);
  for (const char* sql :
       {"SELECT 'vector', s.uid, x.exchange_number, hex(v.chunk_hashes), hex(v.vectors) FROM vectors v JOIN exchanges x"
        " USING (exchange_pk) JOIN sessions s USING (session_pk) ORDER BY 2, 3",
        "SELECT 'digest', s.uid, d.request, d.result, d.abstract FROM session_digests d JOIN sessions s USING"
        " (session_pk) ORDER BY 2",
        "SELECT 'stage', uid, outcome, outcome_signs, analysis_version, evicted_at IS NOT NULL, evicted_through FROM"
        " sessions ORDER BY 2",
        "SELECT 'waiting', count(*) FROM enrichment_queue"})
    append_rows(out, db, sql);
  return out;
}

}  // namespace memd::test
