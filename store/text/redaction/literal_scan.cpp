#include "store/text/redaction/literal_scan.hpp"

#include "schemas/ascii.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <map>
#include <stdexcept>

namespace memd::redaction {
namespace {

// How often a byte stands in what agents write, in ten thousand; others are rarer.
int frequency(char c) {
  switch (ascii::lower(c)) {
    case ' ': return 1000;
    case 'e': return 700;
    case 't': return 560;
    case 'a':
    case 'i':
    case 'n':
    case 'o':
    case 'r':
    case 's': return 430;
    case '"': return 420;
    case 'l':
    case 'c':
    case 'd': return 260;
    case 'u':
    case 'm':
    case 'p':
    case '0':
    case '1':
    case '-':
    case '\\':
    case '/':
    case ':':
    case ',':
    case '_': return 180;
    case 'h':
    case 'f':
    case 'g':
    case '.':
    case '2':
    case '3': return 150;
    case 'y':
    case 'b':
    case 'w':
    case 'v': return 90;
    case 'k':
    case 'x': return 50;
    case 'j':
    case 'q':
    case 'z': return 15;
    default: return ascii::is_digit(c) ? 100 : 40;
  }
}

// The three letters that stand most often in texts of agents, in order of the alphabet.
constexpr std::string_view kCommon =
    "ablaceachackactadaaddadoageailainaleallalsameampancandangansantanuappareartaryaseashaskassataateathatiaud"
    "autbacbasblebracaccalchacheckpclaclicmdcodcomconcrecrictictocurcwddatdecdelderdevdifdirdledoweadeatecheck"
    "ecoectegyeideleemeemiempenaencendensentenvepaepoequeraereernerrerserteseessestesuetaeteettetueveexiexpext"
    "faifalfatfilfmtforfrofungemgengetgingitgragrehadhaihanhashathechemherhishoohouhubideifiileimeindineingini"
    "inpinsintioniptireissistitbiteithitiitsivejecjsokenkinkpoktrlatlauledlenlerlesletlinlocloglseluglusmanmar"
    "matmenmermesmetminmitmmammimodmplmptmsgnalnamncenchndenesnewngengsnidnilninnitnotnpunscnstntantentintrnts"
    "nttntunulodeogroinokeoksoluommompondonionsontookoolophoreorforkormortoryoulounoutovepacparpatpecpenperphe"
    "plaplepoiporposprepriproptsputqueracralranratrearecredreerefremrenrepreqresretrinripritrktrnarogromrorrre"
    "rrorsirtyrunsagscrsecseisersessetshashosidsiosisslusonsopspossassistastestistostrstssulsumtadtaltamtantar"
    "tastattbrtchtcotedtegtemtentertestexthathethithothutidtiftimtintiotirtivtoktootoptortputratretritrutsetst"
    "ttettittottrturtuutypualudeuiduldullultuncunduntureurnuseutpuuivenverwinwitworwrixisxteype";

constexpr std::size_t kLetters = 26;
std::size_t number_of(std::string_view three) {
  std::size_t out = 0;
  for (const char c : three)
    out = out * kLetters + static_cast<std::size_t>(ascii::lower(c) - 'a');
  return out;
}

bool is_common(std::string_view three) {
  static const auto kIsCommon = [] {
    std::bitset<kLetters * kLetters * kLetters> out;
    for (std::size_t i = 0; i < kCommon.size(); i += 3)
      out.set(number_of(kCommon.substr(i, 3)));
    return out;
  }();
  return std::all_of(three.begin(), three.end(), ascii::is_letter) && kIsCommon.test(number_of(three));
}

// How often three bytes are likely to stand in a text.
double cost(std::string_view three) {
  double out = is_common(three) ? 100 : 1;
  for (const char c : three)
    out *= frequency(c);
  return out;
}

}  // namespace

std::uint64_t letters_and_digits(std::string_view text, std::size_t at) {
  std::uint64_t out = 0;
#ifdef __SSE2__
  std::array<char, kLettersAtOnce> rest;
  const char* s = text.data() + at;
  if (text.size() - at < kLettersAtOnce) {
    rest.fill(0);
    std::memcpy(rest.data(), s, text.size() - at);
    s = rest.data();
  }
  constexpr std::size_t kWide = sizeof(__m128i);
  // Signed bytes: what is below the least letter or digit after a shift of the range to the lowest numbers.
  const auto within = [](__m128i bytes, char first, char count) {
    const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(static_cast<char>(first + 0x80)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(count - 0x80)));
  };
  for (std::size_t i = 0; i < kLettersAtOnce; i += kWide) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i));
    const __m128i letter = within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
    const __m128i digit = within(bytes, '0', 10);
    const auto bits = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_or_si128(letter, digit)));
    out |= static_cast<std::uint64_t>(bits) << i;
  }
#else
  const std::size_t length = std::min(kLettersAtOnce, text.size() - at);
  for (std::size_t i = 0; i < length; ++i)
    out |= static_cast<std::uint64_t>(ascii::is_alnum(text[at + i])) << i;
#endif
  return out;
}

LiteralScan::LiteralScan(std::vector<Literal> literals) : literals_(std::move(literals)), first_(1U << kSlotBits) {
  std::map<std::uint32_t, std::vector<Entry>> entries;
  const auto note = [&](char a, char b, char c, std::size_t literal, std::size_t offset) {
    const std::array<char, 4> bytes{a, b, c, 0};
    std::uint32_t three = 0;
    std::memcpy(&three, bytes.data(), sizeof three);
    auto& list = entries[slot_of(three | 0x202020U)];
    if (!list.empty() && list.back().literal == literal && list.back().offset == offset) return;
    Entry entry;
    const std::string& text = literals_[literal].text;
    const std::size_t length = std::min(text.size(), sizeof entry.head);
    std::memcpy(&entry.head, text.data(), length);
    entry.head_mask = ~std::uint64_t{0} >> 8 * (sizeof entry.head - length);
    entry.head = (entry.head | kCaseBits) & entry.head_mask;
    entry.literal = static_cast<std::uint16_t>(literal);
    entry.offset = static_cast<std::uint8_t>(offset);
    list.push_back(entry);
  };
  for (std::size_t l = 0; l < literals_.size(); ++l) {
    const std::string& text = literals_[l].text;
    if (text.size() < 3) throw std::logic_error("too short to be looked for: " + text);
    if (text.size() == 3) {
      note(text[0], text[1], text[2], l, 0);
      // At odd places anything may follow.
      for (int c = 0; c < 256; ++c)
        if (!literals_[l].followed_by || literals_[l].followed_by->test(static_cast<std::size_t>(c)))
          note(text[1], text[2], static_cast<char>(c), l, 1);
      continue;
    }
    // Four bytes with the rarest two windows of three: one of the windows begins at an even place.
    std::size_t best = 0;
    const std::string_view view = text;
    const auto at = [&](std::size_t from) { return cost(view.substr(from, 3)) + cost(view.substr(from + 1, 3)); };
    for (std::size_t i = 1; i + 4 <= std::min<std::size_t>(text.size(), 200); ++i)
      if (at(i) < at(best)) best = i;
    for (const std::size_t offset : {best, best + 1})
      note(text[offset], text[offset + 1], text[offset + 2], l, offset);
  }
  for (auto& [slot, list] : entries) {
    bits_[slot >> 5] |= 1U << (slot & 31);
    first_[slot] = static_cast<std::uint16_t>(entries_.size());
    list.back().last = true;
    entries_.insert(entries_.end(), list.begin(), list.end());
  }
}

bool LiteralScan::stands_at(std::string_view text, std::size_t at, const Literal& literal) const {
  const std::string& l = literal.text;
  if (text.size() - at < l.size()) return false;
  const char* s = text.data() + at;
  if (!literal.any_case) return std::memcmp(s, l.data(), l.size()) == 0;
  for (std::size_t i = 0; i < l.size(); ++i)
    if (ascii::lower(s[i]) != l[i]) return false;
  return true;
}

}  // namespace memd::redaction
