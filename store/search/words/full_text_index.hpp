#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"
#include "store/search/words/document_lengths.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::search {

class FtsVocabulary;
class FullTextIndex;

// The documents that hold one word, in order of their ids, as one segment of the index lists them. Borrows the pages
// that the index holds; for one question on the index's thread.
class PostingCursor {
 public:
  bool at_end() const { return at_end_; }
  ExchangeId id() const { return id_; }
  // The entry replaces or, when there are no positions, removes that of an older segment.
  bool replaces() const { return replaces_; }
  std::size_t bytes() const { return length_; }  // of the positions
  // Appends the positions as the index holds them: see PositionReader. Only once per entry.
  void append_positions(std::string& out) {
    if (offset_ + length_ > content_end_) return append_across_pages(out);
    out.append(page_, offset_, length_);
    offset_ += length_;
    length_ = 0;
  }
  void next() {
    const std::size_t at = offset_ + length_;
    if (!crossed_ && at < list_end_ && at + 2 <= content_end_) {
      const auto step = static_cast<unsigned char>(page_[at]);
      const auto size = static_cast<unsigned char>(page_[at + 1]);
      if ((step | size) < 0x80 && step != 0) {
        id_ += step;
        length_ = size / 2;
        replaces_ = size % 2 != 0;
        offset_ = at + 2;
        return;
      }
    }
    next_slowly();
  }

 private:
  friend class FullTextIndex;
  PostingCursor(FullTextIndex& index, std::int64_t segment, std::int64_t page, std::int64_t last_page)
      : index_(&index), segment_(segment), page_number_(page), last_page_(last_page) {}
  void append_across_pages(std::string& out);
  void next_slowly();
  std::size_t first_entry() const;
  void read_entry(bool absolute);
  void enter(std::size_t entries, std::size_t list_end);  // the list of a word that begins on the page
  bool load_page();                                       // page_number_; false behind the last one
  void measure_page();                                    // that was loaded
  bool load_next_page();                                  // ends the list at a page that starts with another word

  FullTextIndex* index_;
  std::int64_t segment_;
  std::int64_t page_number_;
  std::int64_t last_page_;
  std::string page_;
  std::size_t offset_ = 0;       // behind what was read of the page
  std::size_t content_end_ = 0;  // where the page's footer starts
  std::size_t list_end_ = 0;     // where the next word starts, or behind the page
  ExchangeId id_ = 0;
  std::size_t length_ = 0;
  bool replaces_ = false;
  bool at_end_ = true;
  bool crossed_ = false;  // the positions read last reached into this page
};

// Walks the positions of a word in one document: column, and number of the word in it. Borrows `positions`.
class PositionReader {
 public:
  explicit PositionReader(std::string_view positions) : rest_(positions) {}
  // False at the end.
  bool next() {
    if (rest_.size() < 2) return next_slowly();
    const auto step = static_cast<unsigned char>(rest_[0]);
    if (step < 2 || step >= 0x80) return next_slowly();
    word_ += step - 2U;
    rest_.remove_prefix(1);
    return true;
  }
  std::uint32_t column() const { return column_; }
  std::uint32_t word() const { return word_; }

 private:
  bool next_slowly();

  std::string_view rest_;
  std::uint32_t column_ = 0;
  std::uint32_t word_ = 0;
};

// The words of an FTS5 table (detail=full, no prefix indexes) and the documents that hold them.
//
// Reads the index from its own pages, in the layout that fts5_index.c of SQLite describes and keeps since 2015 (format
// version 4): docs/full-text-index.md. Through FTS5's interface an entry costs some 20 times as much, which decides
// whether a question may walk all its words or only the rarest. An index of another format is read through that
// interface all the same (fts5vocab): the same entries, more slowly, and every document counts as equally long.
//
// Sees what is committed: entries that this connection itself wrote and did not commit yet may not be there. One
// thread, that of the connection, which must outlive it. Throws ErrorException: store_corrupt for a damaged index.
class FullTextIndex {
 public:
  FullTextIndex(sqlite::Database& db, const std::string& table);
  ~FullTextIndex();

  bool reads_pages() const { return vocabulary_ == nullptr; }  // false: the format is not known

  // Throws Errc::cancelled when the connection's stop token is triggered.
  void throw_if_stopped() const { db_.throw_if_stopped(); }

  void refresh();  // to be called at the start of a transaction
  // One cursor per segment that holds the word, newest segment first. An entry of a newer one hides those of the same
  // document in older ones.
  std::vector<PostingCursor> find(std::string_view word) { return found(word); }
  std::int64_t count(std::string_view word);  // documents; linear in it
  bool contains(std::string_view word) { return !found(word).empty(); }
  // Looks into the largest segments only: words that came lately may be missed.
  bool contains_long_since(std::string_view word);

  // Reads all pages as questions read them: each word is where it is looked for, words and ids only grow, positions can
  // be read. Only where reads_pages().
  void check();

  std::size_t segments() const { return segments_.size(); }  // 0: not known
  std::int64_t documents() const { return documents_; }
  double mean_length() const;  // words

 private:
  friend class PostingCursor;
  friend class LengthReader;
  struct Segment {
    std::int64_t id = 0;
    std::int64_t first_page = 0;
    std::int64_t last_page = 0;
  };
  bool knows_format(const std::string& table);
  PostingCursor cursor_over(std::string entries);  // of one segment
  const std::vector<PostingCursor>& found(std::string_view word);
  std::vector<PostingCursor> find_in(const std::vector<Segment>& segments, std::string_view word);
  void read_structure(std::string_view record);
  bool seek(PostingCursor& cursor, std::string_view word);
  std::int64_t page_of(const Segment& segment, std::string_view key);  // where the word is looked for
  std::int64_t stored_page_of(const Segment& segment, std::string_view key);
  struct FirstWord {
    std::string word;
    std::int64_t page = 0;
  };
  std::vector<FirstWord> first_words(const Segment& segment);  // of its pages, in order
  bool read_page(std::int64_t segment, std::int64_t page, std::string& out);
  const std::string& sought_page(std::int64_t segment, std::int64_t page);  // until the next call

  sqlite::Database& db_;
  const std::string page_sql_;
  const std::string seek_sql_;
  const std::string first_words_sql_;
  const std::string lengths_table_;
  std::unique_ptr<FtsVocabulary> vocabulary_;  // null: pages are read
  std::string structure_;                      // the record segments_ was read from
  std::vector<Segment> segments_;              // newest first
  std::vector<Segment> largest_;
  std::unordered_map<std::string, std::vector<PostingCursor>> found_;  // of these segments; a question asks repeatedly
  // Of a short segment that is asked for many words, as one that looks for topics does.
  struct Pages {
    std::int64_t asked = 0;
    std::vector<FirstWord> first_words;  // empty: not read
  };
  std::unordered_map<std::int64_t, Pages> pages_;         // by segment
  std::unordered_map<std::int64_t, std::string> sought_;  // pages that words were looked for on, by their keys
  std::int64_t documents_ = 0;
  std::int64_t words_ = 0;
};

// How long documents are. For one question, inside one transaction. Borrows both arguments; the index's thread.
class LengthReader {
 public:
  LengthReader(FullTextIndex& index, KnownLengths& known)
      : equal_(!index.reads_pages()), known_(known), sizes_(index.db_, index.lengths_table_.c_str(), "sz") {}
  std::int64_t words(ExchangeId id);  // 0 when there is no such document
  // Without looking it up: 0 also when it is not known.
  std::int64_t known_words(ExchangeId id) const { return equal_ ? 1 : known_.find(id); }

 private:
  const bool equal_;  // no document is longer than another: see FullTextIndex
  KnownLengths& known_;
  sqlite::BlobReader sizes_;
  std::string record_;
};

// A question looks for each of its words in each segment of the index, and every commit adds one. FTS5 merges as it
// writes, but leaves a dozen or more.
//
// Merges some segments of exchanges_fts, for a few milliseconds, in a transaction of its own. False: few are left, or
// no two of a size. Throws ErrorException.
bool merge_segments(sqlite::Database& db);

}  // namespace memd::search
