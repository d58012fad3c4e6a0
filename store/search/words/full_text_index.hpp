#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"
#include "store/search/words/document_lengths.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::search {

class FtsVocabulary;
class FullTextIndex;

// The positions of any number of entries, one after the other.
class PositionBytes {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  char at(std::size_t offset) const { return bytes_[offset]; }
  std::string_view view() const { return {bytes_.data(), size_}; }
  // Appends `size` bytes of the page from `offset` on. Mostly a few: copying a fixed number instead saves a call.
  void append(std::string_view page, std::size_t offset, std::size_t size) {
    if (bytes_.size() - size_ < size + kFew) bytes_.resize(2 * bytes_.size() + size + kFew);
    char* const to = bytes_.data() + size_;
    if (size <= kFew && offset + kFew <= page.size())
      std::memcpy(to, page.data() + offset, kFew);
    else
      std::memcpy(to, page.data() + offset, size);
    size_ += size;
  }

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<char> bytes_;  // at least kFew more than size_ after the first append()
  std::size_t size_ = 0;
};

// A cursor over the posting list of one word in one segment of the index, in order of document ids. Shares its current
// page with copies of it and borrows the index. For one query, on the index's thread.
class PostingCursor {
 public:
  bool at_end() const { return at_end_; }
  ExchangeId id() const { return id_; }
  // Whether the entry replaces the entry of an older segment. Without positions, it removes that entry.
  bool replaces() const { return replaces_; }
  std::size_t bytes() const { return length_; }  // size of the positions
  // Appends the positions in the encoding of the index, which PositionReader decodes. Only once per entry.
  void append_positions(PositionBytes& out) {
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
  void append_across_pages(PositionBytes& out);
  void next_slowly();
  std::size_t first_entry() const;
  void read_entry(bool absolute);
  void enter(std::size_t entries, std::size_t list_end);   // starts the list of a word on the page
  bool load_page();                                        // loads page_number_; false after the last page
  void set_page(std::shared_ptr<const std::string> page);  // and its bounds
  bool load_next_page();                                   // false: the list has ended

  FullTextIndex* index_;
  std::int64_t segment_;
  std::int64_t page_number_;
  std::int64_t last_page_;
  std::shared_ptr<const std::string> shared_page_;
  std::string_view page_;
  std::size_t offset_ = 0;       // end of what was read of the page
  std::size_t content_end_ = 0;  // where the page's footer starts
  std::size_t list_end_ = 0;     // where the next word starts, or past the page
  ExchangeId id_ = 0;
  std::size_t length_ = 0;
  bool replaces_ = false;
  bool at_end_ = true;
  bool crossed_ = false;  // the last positions read continued onto this page
};

// Decodes the positions of a word in one document: column, and index of the word in the column. Borrows `positions`.
class PositionReader {
 public:
  explicit PositionReader(std::string_view positions) : rest_(positions) {}
  // Returns false at the end.
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

// Reader of the posting lists of an FTS5 table (detail=full, no prefix indexes).
//
// Reads the pages of the index directly, in the layout that fts5_index.c of SQLite describes and keeps since 2015
// (format version 4). Reading an entry through the interface of FTS5 costs about 20 times as
// much, and a query could then read only its rarest words. An index of another format is read through that interface
// (fts5vocab): it gives the same entries, more slowly, and every document counts as equally long.
//
// Reads committed data: entries that this connection has written but not committed may be missing. Used on the thread
// of the connection, which must outlive it. Throws ErrorException: store_corrupt for a damaged index.
class FullTextIndex {
 public:
  FullTextIndex(sqlite::Database& db, const std::string& table);
  ~FullTextIndex();

  bool reads_pages() const { return vocabulary_ == nullptr; }  // false: the format is not known

  // Throws Errc::cancelled when the connection's stop token is triggered.
  void throw_if_stopped() const { db_.throw_if_stopped(); }

  void refresh();  // call it at the start of a transaction
  // Returns one cursor per segment that holds the word, newest segment first. An entry of a newer segment hides the
  // entries of the same document in older segments.
  std::vector<PostingCursor> find(std::string_view word) { return found(word); }
  std::int64_t count(std::string_view word);  // document frequency; takes linear time
  bool contains(std::string_view word) { return !found(word).empty(); }
  // Searches the largest segments only, so it may miss recently added words.
  bool contains_long_since(std::string_view word);

  // Reads all pages and throws if a word is not found where queries look for it, words or ids are out of order, or
  // positions cannot be decoded. Does nothing unless reads_pages().
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
  PostingCursor cursor_over(std::string entries);  // over a list in memory
  const std::vector<PostingCursor>& found(std::string_view word);
  std::vector<PostingCursor> find_in(const std::vector<Segment>& segments, std::string_view word);
  void read_structure(std::string_view record);
  bool seek(PostingCursor& cursor, std::string_view word);
  std::int64_t page_of(const Segment& segment, std::string_view key);  // page to search for the word
  std::int64_t stored_page_of(const Segment& segment, std::string_view key);
  struct FirstWord {
    std::string word;
    std::int64_t page = 0;
  };
  std::vector<FirstWord> first_words(const Segment& segment);  // the first word of each page, in order
  using Page = std::shared_ptr<const std::string>;
  Page read_page(std::int64_t segment, std::int64_t page);           // null: there is none
  const Page& sought_page(std::int64_t segment, std::int64_t page);  // valid until the next call

  sqlite::Database& db_;
  const std::string page_sql_;
  const std::string seek_sql_;
  const std::string first_words_sql_;
  const std::string lengths_table_;
  std::unique_ptr<FtsVocabulary> vocabulary_;  // null: pages are read
  std::string structure_;                      // the record segments_ was read from
  std::vector<Segment> segments_;              // newest first
  std::vector<Segment> largest_;
  std::unordered_map<std::string, std::vector<PostingCursor>> found_;  // cache: queries repeat words
  // Cache of the first words of a segment's pages, filled when a short segment is searched for many words.
  struct Pages {
    std::int64_t asked = 0;              // number of searches so far
    std::vector<FirstWord> first_words;  // empty: not read
  };
  std::unordered_map<std::int64_t, Pages> pages_;  // by segment
  std::unordered_map<std::int64_t, Page> sought_;  // cache of searched pages, by their keys
  std::int64_t documents_ = 0;
  std::int64_t words_ = 0;
};

// Reads the lengths of documents. For one query, inside one transaction. Borrows both arguments; the index's thread.
class LengthReader {
 public:
  LengthReader(FullTextIndex& index, QueryLengths& known)
      : equal_(!index.reads_pages()), known_(known), sizes_(index.db_, index.lengths_table_.c_str(), "sz") {}
  std::int64_t words(ExchangeId id);  // 0 when there is no such document
  // Reads the cache only: 0 also when the length is not cached.
  std::int64_t cached_words(ExchangeId id) const { return equal_ ? 1 : known_.find(id); }

 private:
  const bool equal_;  // all documents count as equally long: see FullTextIndex
  QueryLengths& known_;
  sqlite::BlobReader sizes_;
  std::string record_;
};

// Merges some segments of exchanges_fts, for a few milliseconds, in a transaction of its own. Returns false when few
// are left or no two are of similar size. Throws ErrorException.
//
// A query searches for each of its words in every segment, and every commit adds a segment. FTS5 merges as it writes,
// but leaves a dozen or more.
bool merge_segments(sqlite::Database& db);

}  // namespace memd::search
