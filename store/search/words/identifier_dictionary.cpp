#include "store/search/words/identifier_dictionary.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace memd::search {
namespace {

constexpr int kNamesOfAPart = 1000;

}  // namespace

std::vector<KnownName> IdentifierDictionary::names_with(std::span<const std::string> words, std::size_t limit) {
  std::map<std::string, std::uint32_t> found;
  auto& q = db_.prepare("SELECT identifier FROM identifier_parts WHERE part = ?1 LIMIT ?2");
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 32); ++i)
    for (q.bind(words[i], kNamesOfAPart); q.step();)
      found[q.str(0)] |= 1U << i;
  q.reset();
  std::vector<KnownName> out;
  for (const auto& [name, parts] : found)
    out.push_back({name, parts});
  std::stable_sort(out.begin(), out.end(), [](const KnownName& a, const KnownName& b) {
    return std::popcount(a.words) > std::popcount(b.words);
  });
  out.resize(std::min(out.size(), limit));
  return out;
}

}  // namespace memd::search
