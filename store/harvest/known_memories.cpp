#include "store/harvest/known_memories.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "store/text/text_words.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <numeric>

namespace memd::harvest {
namespace {

constexpr std::size_t kComparedBytes = 4000;
constexpr double kFewCommonWords = 0.25;  // share of common words below which a high cosine is not enough

// Returns the text without headings and without the provenance paragraphs.
std::string told_text(const Memory& m) {
  std::string out = m.title;
  std::string_view rest = std::string_view(m.content).substr(0, kComparedBytes);
  while (!rest.empty()) {
    const std::string_view line = ascii::trimmed(ascii::take_until(rest, '\n'));
    const bool about_source = line.starts_with("**Files:**") || line.starts_with("**Commits:**") ||
                              line.starts_with("**From:**") || line.starts_with("**Asked for:**") ||
                              line.starts_with("**Tests:**") || line.starts_with("**Decided by:**");
    if (!line.empty() && !line.starts_with('#') && !about_source) out.append("\n").append(line);
  }
  return out;
}

}  // namespace

Likeness::Likeness(std::string_view text) : vector_(embedding::builtin_embedder().table().embed(text)) {
  for_each_word(text, [&](const TextWord& word) {
    if (!is_stop_word(word.text)) words_.push_back(hash64(word.text));
  });
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

double Likeness::with(const Likeness& other) const {
  std::vector<std::uint64_t> both;
  std::set_intersection(words_.begin(), words_.end(), other.words_.begin(), other.words_.end(),
                        std::back_inserter(both));
  const std::size_t all = words_.size() + other.words_.size() - both.size();
  const double words = all == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(all);
  if (words < kFewCommonWords) return words;
  const double cosine = std::inner_product(vector_.begin(), vector_.end(), other.vector_.begin(), 0.0);
  return std::clamp(std::max(words, cosine), 0.0, 1.0);
}

KnownMemories::KnownMemories(const std::vector<Memory>& memories) {
  known_.reserve(memories.size());
  for (const Memory& m : memories)
    known_.push_back({{m.slug, m.scope, m.title, m.path, 0}, Likeness(m.title), Likeness(told_text(m))});
}

std::vector<SimilarMemory> KnownMemories::similar_to(const Memory& draft, double least) const {
  const Likeness title(draft.title);
  const Likeness whole(told_text(draft));
  std::vector<SimilarMemory> out;
  for (const Known& known : known_) {
    const double likeness = std::max(title.with(known.title), whole.with(known.whole));
    if (likeness < least) continue;
    out.push_back(known.memory);
    out.back().likeness = likeness;
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.likeness > b.likeness; });
  return out;
}

}  // namespace memd::harvest
