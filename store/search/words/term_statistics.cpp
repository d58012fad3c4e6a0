#include "store/search/words/term_statistics.hpp"

namespace memd::search {
namespace {

constexpr std::size_t kRememberedWords = 8192;
constexpr std::int64_t kCheapCount = 500;  // documents; counted again rather than taken from memory

}  // namespace

TermStatistics::TermStatistics(sqlite::Database& db) : db_(db), index_(db, "exchanges_fts") {}

void TermStatistics::refresh() {
  index_.refresh();
  version_ = db_.pragma("data_version");
  if (counts_.size() > kRememberedWords) counts_.clear();
}

bool TermStatistics::usable(const Count& count) const {
  if (count.version == version_) return true;
  return count.frequency > kCheapCount && documents() >= count.documents &&
         documents() - count.documents <= count.documents / 10;
}

std::int64_t TermStatistics::document_frequency(std::string_view stem) {
  const auto known = counts_.find(stem);
  if (known != counts_.end() && usable(known->second)) return known->second.frequency;
  const std::int64_t frequency = index_.count(stem);
  counts_.insert_or_assign(std::string(stem), Count{frequency, documents(), version_});
  return frequency;
}

}  // namespace memd::search
