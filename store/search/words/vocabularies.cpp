#include "store/search/words/vocabularies.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_set>

namespace memd::search {
namespace {

constexpr std::size_t kRememberedWords = 8192;
constexpr std::int64_t kCheapCount = 500;  // documents; up to here words are counted again after a commit

}  // namespace

TermStatistics::TermStatistics(sqlite::Database& db, const std::string& table) : db_(db), index_(db, table) {}

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

namespace {

constexpr int kNamesOfAPart = 1000;

}  // namespace

std::vector<KnownName> IdentifierDictionary::names_with(std::span<const std::string> words, std::size_t limit) {
  std::map<std::string, std::uint32_t> found;
  auto& q = db_.prepare("SELECT identifier FROM identifier_parts WHERE part = ?1 LIMIT ?2");
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 32); ++i)
    for (q.bind(words[i], kNamesOfAPart); q.step();)
      found[q.str(0)] |= 1U << i;
  std::vector<KnownName> out;
  for (const auto& [name, parts] : found)
    out.push_back({name, parts});
  std::stable_sort(out.begin(), out.end(), [](const KnownName& a, const KnownName& b) {
    return std::popcount(a.words) > std::popcount(b.words);
  });
  out.resize(std::min(out.size(), limit));
  return out;
}

bool TitleIndex::holds(const TermForm& form) {
  return std::all_of(form.stems.begin(), form.stems.end(),
                     [this](const std::string& stem) { return index_.contains(stem); });
}

std::unordered_map<std::int64_t, double> TitleIndex::shares(const QueryPlan& plan) {
  std::unordered_map<std::int64_t, double> out;
  if (plan.total_idf <= 0) return out;
  index_.refresh();
  for (const Term& term : plan.terms) {
    std::unordered_set<std::int64_t> holding;
    for (const TermForm& form : term.forms) {
      std::unordered_map<std::int64_t, std::size_t> words;  // session → number of the form's words in its title
      for (const std::string& stem : form.stems) {
        std::unordered_set<std::int64_t> seen;
        for (PostingCursor& cursor : index_.find(stem))
          for (; !cursor.at_end(); cursor.next())
            if (seen.insert(cursor.id()).second && cursor.bytes() > 0) ++words[cursor.id()];
      }
      for (const auto& [session, count] : words)
        if (count == form.stems.size()) holding.insert(session);
    }
    for (const std::int64_t session : holding)
      out[session] += term.idf * term.found_weight / plan.total_idf;
  }
  return out;
}

}  // namespace memd::search
