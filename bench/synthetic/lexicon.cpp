#include "bench/synthetic/lexicon.hpp"

#include <array>
#include <cmath>
#include <sstream>
#include <unordered_set>

namespace memd::bench {
namespace {

// By frequency, roughly.
constexpr const char* kCommonWords =
    "the to and a of in is it that for this i we on with be are as not you if or from have can use file so but by was "
    "at do an will now code there need which error all test has when one run let check add then me what its they just "
    "should no up set new also would how out only fix some change into get line make more like see does first about "
    "same two using here function my your where why could because still than other after before these value call them "
    "used been any try did work right each way read write build default case path name type data same find look good "
    "return list start command update show before project server config key output version branch commit request "
    "test tests files failing fails failed wrong problem issue bug change changes class method string number null "
    "api database query table index user users session token login cache memory thread process time date log logs "
    "message messages response page module package install dependency import export option options flag argument "
    "parameter parse parser schema migration model view controller component render state event handler callback "
    "async await promise timeout retry connection socket port host client docker container image deploy pipeline "
    "release merge conflict rebase push pull review comment documentation readme example implement implementation "
    "refactor rename remove delete move copy create insert select update join column row field record object array "
    "map vector loop iterate recursive pointer reference leak crash segfault exception throw catch stack trace "
    "warning lint format style typescript python rust golang java javascript react node npm cargo cmake gcc clang "
    "compile compiler linker library header source target binary script shell bash terminal environment variable "
    "secret password permission access role admin auth oauth certificate encrypt hash signature validate validation "
    "input form button layout color theme css html json yaml toml xml csv regex pattern match replace split trim "
    "encode decode unicode utf byte buffer stream chunk batch queue worker job schedule cron trigger hook plugin "
    "feature toggle metric monitor alert dashboard latency throughput performance benchmark profile optimize slow "
    "fast limit quota rate backoff lock mutex deadlock race transaction rollback isolation replica shard partition "
    "backup restore snapshot archive compress storage disk bucket upload download sync mirror proxy router route "
    "endpoint header cookie redirect status code payload body webhook websocket grpc protocol packet network dns "
    "please okay sure great thanks actually maybe probably instead already again however therefore since while though "
    "think want know going done looks seems means makes sure every both between against through during without";

constexpr std::array kOnsets{"b",  "br", "c", "cl", "cr", "d", "dr", "f",  "fl", "fr", "g",  "gl", "gr", "h",
                             "j",  "k",  "l", "m",  "n",  "p", "pl", "pr", "qu", "r",  "s",  "sc", "sh", "sl",
                             "sp", "st", "t", "tr", "th", "v", "w",  "z",  "",   "ch", "ph", "sk"};
constexpr std::array kNuclei{"a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "oa", "ou", "au"};
constexpr std::array kCodas{"",  "b",  "ck", "d",  "ft", "g",  "l",  "ll", "m", "mp", "n", "nd", "ng", "nt", "p",
                            "r", "rd", "rk", "rt", "s",  "sk", "ss", "st", "t", "x",  "z", "",   "n",  "r",  "l"};
constexpr std::array kEndings{"s", "ed", "ing", "er", "ment", "able", "ly", "ation", "ness", "ize", "al", "ive"};

template <std::size_t N>
const char* any(Random& random, const std::array<const char*, N>& of) {
  return of[below(random, N)];
}

}  // namespace

Lexicon::Lexicon(std::uint64_t seed, std::size_t words) {
  Random random(seed);
  make_words(random, words);
  weigh();
}

void Lexicon::make_words(Random& random, std::size_t count) {
  std::unordered_set<std::string> known;
  const auto take = [&](const std::string& word) {
    if (words_.size() < count && word.size() > 1 && known.insert(word).second) words_.push_back(word);
  };
  std::istringstream common(kCommonWords);
  for (std::string word; common >> word;)
    take(word);
  while (words_.size() < count) {
    std::string stem;
    for (std::size_t n = 1 + below(random, 3); n > 0; --n)
      stem.append(any(random, kOnsets)).append(any(random, kNuclei)).append(any(random, kCodas));
    take(stem);
    for (std::size_t n = below(random, 4); n > 0; --n)
      take(stem + any(random, kEndings));
  }
}

// Vose's alias method.
void Lexicon::weigh() {
  const std::size_t n = words_.size();
  std::vector<double> share(n);
  double total = 0;
  for (std::size_t rank = 0; rank < n; ++rank)
    total += share[rank] = std::pow(static_cast<double>(rank) + 3.7, -1.05);
  slots_.resize(n);
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::size_t i = 0; i < n; ++i) {
    share[i] *= static_cast<double>(n) / total;
    (share[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t less = small.back();
    const std::uint32_t more = large.back();
    small.pop_back();
    slots_[less] = {share[less], more};
    share[more] -= 1 - share[less];
    if (share[more] >= 1) continue;
    large.pop_back();
    small.push_back(more);
  }
}

const std::string& Lexicon::draw(Random& random) const {
  const std::size_t at = below(random, slots_.size());
  return words_[uniform(random) < slots_[at].keep ? at : slots_[at].other];
}

const std::string& Lexicon::uncommon(Random& random, std::size_t ranks) const {
  const double low = std::log(static_cast<double>(ranks));
  const double high = std::log(static_cast<double>(words_.size()));
  const auto rank = static_cast<std::size_t>(std::exp(low + (high - low) * uniform(random)));
  return words_[std::min(rank, words_.size() - 1)];
}

}  // namespace memd::bench
