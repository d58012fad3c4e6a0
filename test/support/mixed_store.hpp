#pragma once

#include "daemon/ingest/ingest_service.hpp"
#include "store/db/store_layout.hpp"
#include "store/raw/raw_file.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace memd::test {

// A store with its raw layer. Its sources are growing transcripts, prompts, a subagent, and other agents' documents and
// file trees that change in place. The source files themselves are deleted afterwards.
class MixedStore {
 public:
  MixedStore() {
    TranscriptHome home;
    const FakeClock clock(kNow);
    for (const char* platform : {"cline", "gemini", "grok"})
      for (const auto& golden : std::filesystem::directory_iterator(test::source_dir() / "test/golden" / platform))
        if (std::filesystem::exists(golden.path() / "home"))
          std::filesystem::copy(
              golden.path() / "home", home.path(),
              std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
    const Discovery discovery(all_adapters(), home.path(), {}, {});
    IngestOptions options;
    options.tailer.slice_bytes = 4096;
    options.tailer.raw = RawMode::masked;
    auto writer = Writer::open(layout().database(), clock, layout().raw_dir());
    if (!writer) throw std::runtime_error(writer.error().message());
    IngestService service(discovery, clock, options);
    if (!service.start(std::move(*writer))) throw std::runtime_error("ingest does not start");
    for (int turn = 0; turn < 4; ++turn) {
      for (int session = 0; session < 6; ++session) {
        const std::string project = "/w/p" + std::to_string(session % 2);
        const TimeMs at = kNow - kMsPerDay + turn * 60'000 + session * 7;
        const std::string word = "word" + std::to_string(session) + std::string(1, static_cast<char>('a' + turn));
        home.turn(project, session, at, word, "Why does " + word + " fail?", "Because of " + word + ".");
        home.typed(project, session, at, "Why does " + word + " fail?");
        home.typed(project, session + 10, at + 5, "never answered " + word);
        if (session == 1) home.subagent_says(project, session, at, "look at " + word);
        if (turn == 2) home.title(project, session, "About " + word);
      }
      service.scan();
      if (!service.block_until_idle(std::chrono::seconds(60))) throw std::runtime_error("ingest does not end");
    }
  }

  StoreLayout layout() const { return StoreLayout(dir_.path()); }
  void copy_to(const StoreLayout& to) const {
    std::filesystem::remove_all(to.data_dir());
    std::filesystem::copy(dir_.path(), to.data_dir(), std::filesystem::copy_options::recursive);
  }

  static constexpr TimeMs kNow = 1'772'000'000'000;

 private:
  TempDir dir_;
};

// Returns the rows that a transcript determines, and the keys and times that answers show.
inline std::vector<std::string> dump_with_keys(const StoreLayout& store) {
  auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(check_full_text_index(db));
  auto out = dump_store(db);
  for (const char* sql :
       {"SELECT 'key', s.uid, x.exchange_number, x.exchange_pk, x.ingested_at, x.adapter_version FROM"
        " exchanges x JOIN sessions s USING (session_pk) ORDER BY 2, 3",
        "SELECT 'known', uid, discovered_at FROM sessions ORDER BY 2",
        "SELECT 'identity', s.uid, i.identity, i.place FROM identities i JOIN sessions s USING (session_pk)"})
    append_rows(out, db, sql);
  return out;
}

// Returns the first ten rows that only one of the two dumps has.
inline std::vector<std::string> rows_of_one(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<std::string> out;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(out));
  if (out.size() > 10) out.resize(10);
  return out;
}

// Flips one bit of the byte at `offset`.
inline void flip(const std::filesystem::path& file, std::uint64_t offset, int bit) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(offset));
  const int was = bytes.get();
  bytes.seekp(static_cast<std::streamoff>(offset));
  bytes.put(static_cast<char>(was ^ (1 << bit)));
}

// Flips one bit at a random offset of each raw file, or of `only`.
inline void flip_in_raw(const StoreLayout& store, std::mt19937& random, const std::string& only = {}) {
  for (const auto& name : raw::raw_file_names(store.raw_dir())) {
    if (!only.empty() && name != only) continue;
    const auto file = store.raw_dir() / name;
    flip(file, random() % std::filesystem::file_size(file), static_cast<int>(random() % 8));
  }
}

}  // namespace memd::test
