#include "store/search/rank/asked_file.hpp"

#include "schemas/search.hpp"
#include "store/read/file_history.hpp"
#include "store/text/words.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr int kEditsLookedAt = 200;
constexpr int kMostFilesMeant = 8;  // a name that fits more files, like main.go, means none of them
// Added to the relevance_score of hits that changed the file; the weight of a decision for a question with "why".
constexpr double kChangedWhatIsAsked = 0.25;

// Returns the file name in a word ("store/reader.cpp", "reader.cpp") without surrounding punctuation and quotes; empty
// if it is none.
std::string_view file_name_in(std::string_view word) {
  constexpr std::string_view kMarks = "\"'`()[]<>,;:?!*";
  const auto first = word.find_first_not_of(kMarks);
  if (first == std::string_view::npos) return {};
  word = word.substr(first, word.find_last_not_of("\"'`()[]<>,;:?!*.") + 1 - first);
  const auto dot = word.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || word.find(':') != std::string_view::npos) return {};
  return words(WordClass::file_ending).has(word.substr(dot + 1)) ? word : std::string_view();
}

}  // namespace

AskedFileQuery::Answer AskedFileQuery::run(sqlite::Database& db) const {
  for (std::size_t begin = 0; begin < question.size();) {
    const std::size_t end = std::min(question.find_first_of(" \t\n", begin), question.size());
    const std::string_view name = file_name_in(question.substr(begin, end - begin));
    begin = end + 1;
    if (name.empty()) continue;
    const PathFinding found = PathQuery{name}.run(db);
    if (found.paths.empty() || found.paths.size() > kMostFilesMeant) continue;
    FileHistoryQuery query;
    query.filter = filter;
    query.access = FileAccess::modified;
    query.limit = kEditsLookedAt;
    for (const KnownPath& path : found.paths)
      query.paths.push_back(path.pk);
    const FileHistory history = query.run(db);
    if (history.uses.empty()) continue;
    AskedFile out{std::string(name), {}, history.total_exchanges};
    for (const FileUse& use : history.uses)
      out.changed.push_back(use.exchange_id);
    return out;
  }
  return std::nullopt;
}

void rank_up(std::vector<SearchHit>& hits, const AskedFile& file) {
  for (SearchHit& hit : hits)
    if (std::ranges::find(file.changed, hit.id) != file.changed.end())
      hit.relevance_score = std::min(1.0, hit.relevance_score + kChangedWhatIsAsked);
  std::ranges::stable_sort(hits, std::ranges::greater(), &SearchHit::relevance_score);
}

}  // namespace memd::search
