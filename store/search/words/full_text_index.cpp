#include "store/search/words/full_text_index.hpp"

#include "schemas/base/error.hpp"
#include "store/db/fts5.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr std::int64_t kAveragesRecord = 1;
constexpr std::int64_t kStructureRecord = 10;
constexpr std::int64_t kFormatVersion = 4;
constexpr int kSegmentShift = 37;       // of the segment in a page's key; below: 6 bits of doclist index, page number
constexpr char kMainIndex = '0';        // prefix of each word
constexpr std::size_t kPageHeader = 4;  // bytes
constexpr std::size_t kWordsKept = 32;  // words cached; each keeps a page per segment that holds it
constexpr std::int64_t kShortSegment = 256;  // pages; up to here first words can be cached
constexpr std::size_t kPagesKept = 128;      // pages cached, of 4 KiB each
constexpr std::size_t kLookedThrough = 3;    // segments searched by contains_long_since()
// Follows the cookie of the structure record in the layout that SQLite uses for contentless tables since 3.43.
constexpr std::string_view kOtherStructure("\xFF\x00\x00\x01", 4);
constexpr std::size_t kFewSegments = 6;  // up to here nothing is merged
constexpr int kPagesMerged = 64;         // at once

// Limits that no index written by SQLite exceeds. Sums of values within them do not overflow.
constexpr std::uint64_t kMostId = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostWords = std::uint64_t{1} << 53;  // of all documents
constexpr std::uint64_t kMostSegment = (1U << 16) - 1;
constexpr std::uint64_t kMostPage = std::uint64_t{1} << 31;
constexpr std::uint64_t kMostColumn = 255;

[[noreturn]] void damaged() { throw ErrorException(Error(Errc::store_corrupt, "the full-text index is damaged")); }

// SQLite's varint: big-endian, 7 bits a byte, the ninth byte whole.
std::uint64_t varint(std::string_view in, std::size_t& at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= in.size()) damaged();
    const auto byte = static_cast<unsigned char>(in[at++]);
    if (i == 8) return value << 8 | byte;
    value = value << 7 | (byte & 0x7F);
    if (byte < 0x80) return value;
  }
  return value;
}

std::size_t size_at(std::string_view in, std::size_t& at) {
  if (at < in.size() && static_cast<unsigned char>(in[at]) < 0x80) return static_cast<unsigned char>(in[at++]);
  const std::uint64_t value = varint(in, at);
  if (value > 0x7FFFFFFF) damaged();
  return static_cast<std::size_t>(value);
}

std::uint64_t number_at(std::string_view in, std::size_t& at, std::uint64_t most) {
  const std::uint64_t value = varint(in, at);
  if (value > most) damaged();
  return value;
}

std::size_t two_bytes(std::string_view in, std::size_t at) {
  if (at + 2 > in.size()) damaged();
  return static_cast<std::size_t>(static_cast<unsigned char>(in[at])) << 8 | static_cast<unsigned char>(in[at + 1]);
}

// Returns the offset of a page's footer.
std::size_t content_end_of(std::string_view page) {
  const std::size_t end = two_bytes(page, 2);
  if (end < kPageHeader || end > page.size()) damaged();
  return end;
}

}  // namespace

bool PositionReader::next_slowly() {
  std::size_t at = 0;
  if (rest_.empty()) return false;
  std::uint64_t step = varint(rest_, at);
  if (step == 1) {
    column_ = static_cast<std::uint32_t>(number_at(rest_, at, kMostColumn));
    word_ = 0;
    step = varint(rest_, at);
  }
  if (step < 2) damaged();
  word_ += static_cast<std::uint32_t>(step - 2);
  rest_.remove_prefix(at);
  return true;
}

bool PostingCursor::load_page() {
  if (page_number_ > last_page_) return false;
  set_page(index_->read_page(segment_, page_number_));
  return true;
}

void PostingCursor::set_page(std::shared_ptr<const std::string> page) {
  if (!page) damaged();
  shared_page_ = std::move(page);
  page_ = *shared_page_;
  content_end_ = content_end_of(page_);
  list_end_ = page_.size() + 1;
  if (std::size_t footer = content_end_; footer < page_.size()) list_end_ = size_at(page_, footer);
}

bool PostingCursor::load_next_page() {
  for (++page_number_; load_page(); ++page_number_) {
    offset_ = first_entry();
    if (offset_ != 0) return true;
    if (content_end_ < page_.size()) return false;
  }
  return false;
}

// Returns the offset of the first entry that begins on the page; 0: none.
std::size_t PostingCursor::first_entry() const {
  const std::size_t at = two_bytes(page_, 0);
  if (at != 0 && (at < kPageHeader || at >= content_end_)) damaged();
  return at;
}

// Requires ids to ascend, so that damaged lists end, too.
void PostingCursor::read_entry(bool absolute) {
  const std::uint64_t value = number_at(page_, offset_, kMostId);
  const ExchangeId id = static_cast<ExchangeId>(value) + (absolute ? 0 : id_);
  if (id > static_cast<ExchangeId>(kMostId) || (!at_end_ && id <= id_)) damaged();
  id_ = id;
  const std::size_t size = size_at(page_, offset_);
  length_ = size / 2;
  replaces_ = size % 2 != 0;
  at_end_ = false;
}

void PostingCursor::next_slowly() {
  offset_ += length_;
  if (crossed_) {
    // The page header has the offset of the first entry that begins on the page. The id of this entry is absolute.
    crossed_ = false;
    offset_ = first_entry();
    if (offset_ != 0 || (content_end_ == page_.size() && load_next_page()))
      read_entry(true);
    else
      at_end_ = true;
  } else if (offset_ < content_end_) {
    if (offset_ >= list_end_)
      at_end_ = true;
    else
      read_entry(false);
  } else if (load_next_page()) {
    read_entry(true);
  } else {
    at_end_ = true;
  }
}

void PostingCursor::append_across_pages(PositionBytes& out) {
  std::size_t left = length_;
  for (;;) {
    const std::size_t here = std::min(left, content_end_ - std::min(content_end_, offset_));
    out.append(page_, offset_, here);
    left -= here;
    if (left == 0) {
      offset_ += here;
      length_ = 0;
      return;
    }
    ++page_number_;
    if (!load_page()) damaged();
    offset_ = kPageHeader;
    crossed_ = true;
  }
}

FullTextIndex::FullTextIndex(sqlite::Database& db, const std::string& table)
    : db_(db),
      page_sql_("SELECT block FROM " + table + "_data WHERE id = ?1"),
      seek_sql_("SELECT pgno FROM " + table + "_idx WHERE segid = ?1 AND term <= ?2 ORDER BY term DESC LIMIT 1"),
      first_words_sql_("SELECT term, pgno FROM " + table + "_idx WHERE segid = ?1 ORDER BY term"),
      lengths_table_(table + "_docsize") {
  if (!knows_format(table)) vocabulary_ = std::make_unique<FtsVocabulary>(db, table);
}
FullTextIndex::~FullTextIndex() = default;

bool FullTextIndex::knows_format(const std::string& table) {
  const bool known =
      db_.prepare("SELECT v FROM " + table + "_config WHERE k = 'version'").value_or(0) == kFormatVersion;
  const bool other = db_.query(page_sql_, kStructureRecord).row()->blob(0).substr(0, 8).ends_with(kOtherStructure);
  return known && !other;
}

void FullTextIndex::refresh() {
  if (vocabulary_) {
    found_.clear();
    documents_ = vocabulary_->documents();
    words_ = documents_;
    return;
  }
  auto& q = db_.query(page_sql_, kStructureRecord);
  if (!q.step()) damaged();
  if (const auto record = q.blob(0); record != structure_ || segments_.empty()) read_structure(record);
  q.bind(kAveragesRecord);
  documents_ = 0;
  words_ = 0;
  if (const auto row = q.row())
    if (const auto record = row->blob(0); !record.empty()) {
      std::size_t at = 0;
      documents_ = static_cast<std::int64_t>(number_at(record, at, kMostWords));
      while (at < record.size())
        words_ += static_cast<std::int64_t>(number_at(record, at, kMostWords));
    }
  if (segments_.empty() && words_ > 0) damaged();
}

void FullTextIndex::read_structure(std::string_view record) {
  structure_.clear();  // if this record is damaged, the next refresh reads it again
  found_.clear();
  pages_.clear();
  sought_.clear();
  segments_.clear();
  std::size_t at = kPageHeader;  // skips the cookie, which has the same size
  const std::size_t levels = size_at(record, at);
  varint(record, at);  // segments
  varint(record, at);  // leaves written
  for (std::size_t level = 0; level < levels; ++level) {
    varint(record, at);  // number of segments in an unfinished merge
    std::vector<Segment> found;
    for (std::size_t left = size_at(record, at); left > 0; --left) {
      Segment& s = found.emplace_back();
      s.id = static_cast<std::int64_t>(number_at(record, at, kMostSegment));
      s.first_page = static_cast<std::int64_t>(number_at(record, at, kMostPage));
      s.last_page = static_cast<std::int64_t>(number_at(record, at, kMostPage));
      if (s.first_page > s.last_page) damaged();
    }
    segments_.insert(segments_.end(), found.rbegin(), found.rend());
  }
  // A segment whose words have all been merged into another has no pages.
  std::erase_if(segments_, [](const Segment& s) { return s.first_page == 0; });
  largest_ = segments_;
  std::stable_sort(largest_.begin(), largest_.end(), [](const Segment& a, const Segment& b) {
    return a.last_page - a.first_page > b.last_page - b.first_page;
  });
  largest_.resize(std::min(largest_.size(), kLookedThrough));
  structure_ = record;
}

FullTextIndex::Page FullTextIndex::read_page(std::int64_t segment, std::int64_t page) {
  db_.throw_if_stopped();
  const auto row = db_.query(page_sql_, (segment << kSegmentShift) + page).row();
  return row ? std::make_shared<const std::string>(row->blob(0)) : nullptr;
}

const FullTextIndex::Page& FullTextIndex::sought_page(std::int64_t segment, std::int64_t page) {
  db_.throw_if_stopped();
  const std::int64_t key = (segment << kSegmentShift) + page;
  if (const auto kept = sought_.find(key); kept != sought_.end()) return kept->second;
  Page read = read_page(segment, page);
  if (!read) damaged();
  if (sought_.size() >= kPagesKept) sought_.clear();
  return sought_.emplace(key, std::move(read)).first->second;
}

// Iterates over the words that begin on a page, in order. Borrows the page.
class PageWords {
 public:
  PageWords(std::string_view page, std::size_t content_end) : page_(page), footer_(content_end) {}

  // Returns false after the last word.
  bool next() {
    if (footer_ >= page_.size()) return false;
    const bool first = start_ == 0;
    start_ += size_at(page_, footer_);
    std::size_t at = start_;
    kept_ = first ? 0 : size_at(page_, at);
    const std::size_t fresh = size_at(page_, at);
    if (kept_ > length_ || at > page_.size() || fresh > page_.size() - at) damaged();
    fresh_ = page_.substr(at, fresh);
    length_ = kept_ + fresh;
    entries_ = at + fresh;
    return true;
  }
  // A word consists of the first kept() bytes of the previous word and fresh().
  std::size_t kept() const { return kept_; }
  std::string_view fresh() const { return fresh_; }
  std::size_t entries() const { return entries_; }  // offset of the word's list
  std::size_t list_end() const {                    // offset of the next word, or past the page
    std::size_t footer = footer_;
    return footer < page_.size() ? start_ + size_at(page_, footer) : page_.size() + 1;
  }

 private:
  const std::string_view page_;
  std::size_t footer_;
  std::size_t start_ = 0;
  std::size_t entries_ = 0;
  std::size_t kept_ = 0;
  std::size_t length_ = 0;
  std::string_view fresh_;
};

void PostingCursor::enter(std::size_t entries, std::size_t list_end) {
  offset_ = entries;
  list_end_ = list_end;
  if (offset_ >= content_end_) {
    ++page_number_;
    if (!load_page()) damaged();
    offset_ = kPageHeader;
  }
  read_entry(true);
}

// Moves the cursor to the first entry of the word. Returns false if the segment does not contain it.
bool FullTextIndex::seek(PostingCursor& cursor, std::string_view word) {
  if (cursor.page_number_ > cursor.last_page_) return false;
  const Page& shared = sought_page(cursor.segment_, cursor.page_number_);
  const std::string_view page = *shared;
  std::size_t same = 0;  // length of the common prefix of `word` and the previous, smaller word of the page
  for (PageWords words(page, content_end_of(page)); words.next();) {
    if (words.kept() > same) continue;      // differs from `word` where the previous one does
    if (words.kept() < same) return false;  // this one is larger than `word`
    const std::string_view rest = word.substr(same);
    const std::string_view fresh = words.fresh();
    const auto differs = static_cast<std::size_t>(
        std::mismatch(fresh.begin(), fresh.end(), rest.begin(), rest.end()).first - fresh.begin());
    if (differs == fresh.size() && differs == rest.size()) {
      cursor.set_page(shared);
      cursor.enter(words.entries(), words.list_end());
      return true;
    }
    if (fresh.substr(differs) > rest.substr(differs)) return false;
    same += differs;
  }
  return false;
}

std::int64_t FullTextIndex::page_of(const Segment& segment, std::string_view key) {
  const std::int64_t pages = segment.last_page - segment.first_page + 1;
  if (pages == 1) return segment.first_page;
  if (pages > kShortSegment) return stored_page_of(segment, key);
  Pages& known = pages_[segment.id];
  if (known.first_words.empty()) {
    if (++known.asked <= pages) return stored_page_of(segment, key);
    known.first_words = first_words(segment);
  }
  const auto behind = std::upper_bound(known.first_words.begin(), known.first_words.end(), key,
                                       [](std::string_view k, const FirstWord& f) { return k < f.word; });
  return std::max(behind == known.first_words.begin() ? 1 : std::prev(behind)->page, segment.first_page);
}

std::vector<FullTextIndex::FirstWord> FullTextIndex::first_words(const Segment& segment) {
  std::vector<FirstWord> out;
  auto& q = db_.prepare(first_words_sql_);
  for (q.bind(segment.id); q.step();)
    out.push_back({std::string(q.blob(0)), q.int64(1) >> 1});
  return out;
}

std::int64_t FullTextIndex::stored_page_of(const Segment& segment, std::string_view key) {
  auto& q = db_.prepare(seek_sql_);
  q.bind_at(1, segment.id);
  q.bind_blob(2, key);
  const std::int64_t page = q.value_or(2) >> 1;
  return std::max(page, segment.first_page);
}

void FullTextIndex::check() {
  if (vocabulary_) return;
  const std::int64_t documents = db_.prepare("SELECT count(*) FROM " + lengths_table_).value_or(0);
  if (documents != documents_) damaged();
  PositionBytes positions;
  for (const Segment& segment : segments_) {
    std::string before;
    for (std::int64_t page = segment.first_page; page <= segment.last_page; ++page) {
      PostingCursor leaf(*this, segment.id, page, segment.last_page);
      leaf.load_page();
      bool first = true;
      std::string word;
      for (PageWords words(leaf.page_, leaf.content_end_); words.next(); first = false) {
        word.resize(words.kept());
        word += words.fresh();
        if (word <= before) damaged();
        before = word;
        if (first && page_of(segment, before) != page) damaged();
        PostingCursor cursor = leaf;
        for (cursor.enter(words.entries(), words.list_end()); !cursor.at_end(); cursor.next()) {
          positions.clear();
          cursor.append_positions(positions);
          for (PositionReader p(positions.view()); p.next();) {
          }
        }
      }
    }
  }
}

const std::vector<PostingCursor>& FullTextIndex::found(std::string_view word) {
  if (const auto known = found_.find(std::string(word)); known != found_.end()) return known->second;
  std::vector<PostingCursor> cursors;
  if (!vocabulary_)
    cursors = find_in(segments_, word);
  else if (std::string entries = vocabulary_->entries(word); !entries.empty())
    cursors.push_back(cursor_over(std::move(entries)));
  if (found_.size() >= kWordsKept) found_.clear();
  return found_.emplace(word, std::move(cursors)).first->second;
}

std::vector<PostingCursor> FullTextIndex::find_in(const std::vector<Segment>& segments, std::string_view word) {
  std::vector<PostingCursor> out;
  const std::string key = kMainIndex + std::string(word);
  for (const Segment& segment : segments) {
    PostingCursor cursor(*this, segment.id, page_of(segment, key), segment.last_page);
    if (seek(cursor, key)) out.push_back(std::move(cursor));
  }
  return out;
}

PostingCursor FullTextIndex::cursor_over(std::string entries) {
  PostingCursor cursor(*this, 0, 0, 0);
  cursor.shared_page_ = std::make_shared<const std::string>(std::move(entries));
  cursor.page_ = *cursor.shared_page_;
  cursor.content_end_ = cursor.page_.size();
  cursor.list_end_ = cursor.content_end_ + 1;
  cursor.read_entry(true);
  return cursor;
}

bool FullTextIndex::contains_long_since(std::string_view word) {
  return vocabulary_ ? vocabulary_->contains(word) : !find_in(largest_, word).empty();
}

std::int64_t FullTextIndex::count(std::string_view word) {
  if (vocabulary_) return vocabulary_->count(word);
  std::int64_t out = 0;
  for (PostingCursor& cursor : find(word))
    for (; !cursor.at_end(); cursor.next())
      out += cursor.bytes() > 0 ? (cursor.replaces() ? 0 : 1) : -1;
  return std::max<std::int64_t>(out, 0);
}

double FullTextIndex::mean_length() const {
  return documents_ > 0 ? std::max(1.0, static_cast<double>(words_) / static_cast<double>(documents_)) : 1.0;
}

std::int64_t LengthReader::words(ExchangeId id) {
  if (equal_) return 1;
  std::int64_t out = cached_words(id);
  if (out != 0 || !sizes_.read(id, record_)) return out;
  for (std::size_t at = 0; at < record_.size();)
    out += static_cast<std::int64_t>(number_at(record_, at, UINT32_MAX));
  if (out < UINT32_MAX) known_.add(id, static_cast<std::uint32_t>(out));
  return out;
}

bool merge_segments(sqlite::Database& db) {
  FullTextIndex index(db, "exchanges_fts");
  index.refresh();
  if (index.segments() <= kFewSegments) return false;
  const auto before = sqlite3_total_changes64(db.handle());
  sqlite::Transaction transaction(db);
  db.run("INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('merge', ?1)", kPagesMerged);
  transaction.commit();
  // The command itself counts as one change: https://sqlite.org/fts5.html#the_merge_command
  return sqlite3_total_changes64(db.handle()) - before >= 2;
}

}  // namespace memd::search
