#include "store/search/words/title_index.hpp"

#include <algorithm>
#include <unordered_set>

namespace memd::search {

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
      std::unordered_map<std::int64_t, std::size_t> words;  // of the form, in the title
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
