#include "store/text/redaction/literal_sieve.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/instruction_sets.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace memd::redaction {
namespace {

// Returns the frequency of a byte in agents' logs, per ten thousand. Unlisted bytes are rarer.
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

// What is frequent in agents' logs, far more than its letters tell: a window in one of these lets all of them through.
constexpr auto kFrequentWords = std::to_array<std::string_view>(
    {"session",  "commit",   "command",   "content",  "input_tokens", "output_token", "agent",      "test",
     "users",    "tool_use", "string",    "create",   "creation",     "state",        "status",     "start",
     "data",     " for ",    " and ",     " the ",    " with ",       " is the",      " is a ",     " to the",
     " on the",  " by ",     " in ",      " use ",    " all ",        "lines",        "text",       "context",
     "github.",  ".com",     "reads",     "read_",    " read ",       "ready ",       "thread",     "code",
     "comment",  "elements", "able",      "backend",  "hooks",        "hook",         "base",       "changed",
     "print",    "sprintf",  "loading",   "install",  "instance",     "service",      "server",     "config",
     "author",   "contains", "continue",  "control",  "request",      "require",      "projects",   "version",
     "actions",  "nations",  "person",    "numbers",  "default",      "modified",     "identifier", "interface",
     "internal", "storage",  "results",   "returns",  "message",      "package",      "process",    "getting",
     "setting",  "showing",  "shows ",    "users ",   "count",        "admin",        "public",     "private",
     "update",   "local",    "global",    "values",   "module",       "model",        "parent",     "entity",
     "client",   "event",    "target",    "function", "import",       "already ",     "extend",     "explain",
     "estimate", "ed in ",   "ed to ",    "ed with ", "estor",        "nested",       "timestamp",  "master",
     "executed", "decode",   " link",     "register", "every ",       "encoded",      "latest ",    " should",
     "shadow",   "prompt",   "modify ",   "after ",   "pattern",      "parameter-",   " author",    "_path",
     "set -",    " set",     "files.com", "verify",   "assign",       "signal",       "\\u00"});

std::size_t class_of(char byte) { return static_cast<unsigned char>(byte) & 31U; }

// Returns the share of all bytes that are in a class.
double share_of(std::size_t cls) {
  static const auto kShares = [] {
    std::array<double, 32> out{};
    for (int c = ' '; c < 127; ++c)
      if (!ascii::is_upper(static_cast<char>(c)))
        out[class_of(static_cast<char>(c))] += frequency(static_cast<char>(c));
    double all = 0;
    for (const double share : out)
      all += share;
    for (double& share : out)
      share /= all;
    return out;
  }();
  return kShares[cls];
}

// Returns the classes of at most kWindow bytes as one number.
std::uint32_t classes_of(std::string_view window) {
  std::uint32_t out = 1;
  for (const char c : window)
    out = out << 5 | static_cast<std::uint32_t>(class_of(c));
  return out;
}

bool is_of_frequent_word(std::string_view window) {
  static const auto kWindows = [] {
    std::vector<std::uint32_t> out;
    for (const std::string_view word : kFrequentWords)
      for (std::size_t at = 0; at < word.size(); ++at)
        for (std::size_t length = 1; length <= std::min(LiteralSieve::kWindow, word.size() - at); ++length)
          out.push_back(classes_of(word.substr(at, length)));
    std::sort(out.begin(), out.end());
    return out;
  }();
  return std::binary_search(kWindows.begin(), kWindows.end(), classes_of(window));
}

}  // namespace

double LiteralSieve::likelihood(std::string_view bytes) {
  double out = 1;
  for (const char c : bytes)
    out *= share_of(class_of(c));
  return out;
}

std::size_t LiteralSieve::add(std::string_view literal) {
  const std::size_t length = std::min(literal.size(), kWindow);
  const auto may_stand = [&](std::size_t bucket, std::size_t byte, std::size_t cls) {
    return (may_stand_[bucket / 8][byte][cls] >> bucket % 8 & 1) != 0;
  };
  std::size_t best_bucket = 0;
  std::size_t best_offset = 0;
  constexpr double kFrequent = 0.001;
  std::vector<double> own;  // cost of each window by itself
  for (std::size_t offset = 0; offset + length <= literal.size(); ++offset)
    own.push_back(is_of_frequent_word(literal.substr(offset, length)) ? kFrequent : 0);
  double least = 2;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const auto& share = share_[bucket];
    const double before = share[0] * share[1] * share[2] * share[3];
    for (std::size_t offset = 0; offset + length <= literal.size(); ++offset) {
      double with = 1;
      for (std::size_t i = 0; i < length; ++i) {
        const std::size_t cls = class_of(literal[offset + i]);
        with *= share[i] + (may_stand(bucket, i, cls) ? 0 : share_of(cls));
      }
      const double cost = with - before + own[offset];
      if (cost >= least) continue;
      least = cost;
      best_bucket = bucket;
      best_offset = offset;
    }
  }
  for (std::size_t i = 0; i < kWindow; ++i)
    for (std::size_t cls = 0; cls < kClasses; ++cls) {
      const bool is_meant = i >= length || cls == class_of(literal[best_offset + i]);  // behind a short one: any
      if (!is_meant || may_stand(best_bucket, i, cls)) continue;
      may_stand_[best_bucket / 8][i][cls] |= static_cast<std::uint8_t>(1U << best_bucket % 8);
      share_[best_bucket][i] += share_of(cls);
    }
  return best_offset;
}

// Sixteen bits for each byte of a window: the buckets in which a byte may not stand there. Shifted by their place in
// the window and joined (Shift-Or, with buckets for bits), the topmost sixteen tell of four bytes; not all of them are
// set where a window may begin.
std::size_t LiteralSieve::portable(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out) {
  static_assert(kWindow == 4 && kBuckets == 16 && kAtOnce % 2 == 0);
  constexpr std::uint64_t kInNone = std::uint64_t{0xFFFF} << 3 * kBuckets;
  std::array<std::uint64_t, kClasses> may_not_stand{};
  for (std::size_t b = 0; b < kWindow; ++b)
    for (std::size_t cls = 0; cls < kClasses; ++cls) {
      const unsigned may = sieve.may_stand_[0][b][cls] | static_cast<unsigned>(sieve.may_stand_[1][b][cls]) << 8;
      may_not_stand[cls] |= std::uint64_t{~may & 0xFFFF} << b * kBuckets;
    }
  const auto pair_at = [&](std::size_t i) {
    return may_not_stand[class_of(s[i])] << kBuckets | may_not_stand[class_of(s[i + 1])];
  };
  std::size_t found = 0;
  const auto look = [&](std::size_t i, std::uint64_t first, std::uint64_t second) {
    out[found] = static_cast<std::uint16_t>(i);
    found += (first << 2 * kBuckets | second) < kInNone ? 1 : 0;
  };
  std::uint64_t even = pair_at(0);
  std::uint64_t odd = pair_at(1);
  for (std::size_t i = 0; i < n; i += 2) {
    const std::uint64_t next_even = pair_at(i + 2);
    const std::uint64_t next_odd = pair_at(i + 3);
    look(i, even, next_even);
    look(i + 1, odd, next_odd);
    even = next_even;
    odd = next_odd;
  }
  return found;
}

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

// MEMD_VECTOR16 marks a function that uses vectors of 16 bytes, MEMD_VECTOR16_INLINE one that is inlined into it. On
// x86-64 the attributes admit SSSE3, which the compiler does not target. On ARM it targets NEON, which needs none.
#if defined(__x86_64__)
#define MEMD_VECTOR16 MEMD_SSSE3
#define MEMD_VECTOR16_INLINE MEMD_SSSE3 __attribute__((always_inline)) inline
using Vector16 = __m128i;
#else
#define MEMD_VECTOR16
#define MEMD_VECTOR16_INLINE inline
using Vector16 = uint8x16_t;
#endif

// A table of 32 entries, for each half of the buckets.
struct Tables16 {
  Vector16 low_0_15;
  Vector16 low_16_31;
  Vector16 high_0_15;
  Vector16 high_16_31;
};

struct Buckets16 {
  Vector16 low;
  Vector16 high;
};

#if defined(__x86_64__)

MEMD_VECTOR16_INLINE Vector16 sixteen(const void* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// Returns the buckets that allow each of 16 bytes. pshufb returns 0 for an index with its highest bit set, so the
// halves of a table are looked up separately.
MEMD_VECTOR16_INLINE Buckets16 buckets_of(const char* s, const Tables16& tables) {
  const __m128i cls = _mm_and_si128(sixteen(s), _mm_set1_epi8(31));
  const __m128i below_16 = _mm_add_epi8(cls, _mm_set1_epi8(0x70));  // the highest bit: it is not
  const __m128i above_15 = _mm_sub_epi8(cls, _mm_set1_epi8(16));
  return {_mm_or_si128(_mm_shuffle_epi8(tables.low_0_15, below_16), _mm_shuffle_epi8(tables.low_16_31, above_15)),
          _mm_or_si128(_mm_shuffle_epi8(tables.high_0_15, below_16), _mm_shuffle_epi8(tables.high_16_31, above_15))};
}

// Bit i: byte i is not 0.
MEMD_VECTOR16_INLINE std::uint32_t places_of(Vector16 bytes) {
  return ~static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()))) & 0xFFFF;
}

#else

MEMD_VECTOR16_INLINE Vector16 sixteen(const void* bytes) { return vld1q_u8(static_cast<const std::uint8_t*>(bytes)); }

// Returns the buckets that allow each of 16 bytes.
MEMD_VECTOR16_INLINE Buckets16 buckets_of(const char* s, const Tables16& tables) {
  const uint8x16_t cls = vandq_u8(sixteen(s), vdupq_n_u8(31));
  return {vqtbl2q_u8({{tables.low_0_15, tables.low_16_31}}, cls),
          vqtbl2q_u8({{tables.high_0_15, tables.high_16_31}}, cls)};
}

// Bit i: byte i is not 0.
MEMD_VECTOR16_INLINE std::uint32_t places_of(Vector16 bytes) {
  constexpr uint8x16_t kBits{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bits = vandq_u8(vtstq_u8(bytes, bytes), kBits);
  return vaddv_u8(vget_low_u8(bits)) | static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(bits))) << 8;
}

#endif

// Bit i: a window may begin at s + i.
MEMD_VECTOR16_INLINE std::uint32_t windows_at(const char* s,
                                              const std::array<Tables16, LiteralSieve::kWindow>& tables) {
  Buckets16 in = buckets_of(s, tables[0]);
  for (std::size_t b = 1; b < LiteralSieve::kWindow; ++b) {
    const Buckets16 of_byte = buckets_of(s + b, tables[b]);
    in = {in.low & of_byte.low, in.high & of_byte.high};
  }
  return places_of(in.low | in.high);
}

}  // namespace

MEMD_VECTOR16 std::size_t LiteralSieve::vectors_of_16(const LiteralSieve& sieve, const char* s, std::size_t n,
                                                      Places& out) {
  std::array<Tables16, kWindow> tables;
  for (std::size_t b = 0; b < kWindow; ++b) {
    const auto& low = sieve.may_stand_[0][b];
    const auto& high = sieve.may_stand_[1][b];
    tables[b] = {sixteen(&low[0]), sixteen(&low[16]), sixteen(&high[0]), sixteen(&high[16])};
  }
  std::size_t found = 0;
  for (std::size_t at = 0; at < n; at += kAtOnce) {
    std::uint64_t places = 0;
    for (std::size_t i = 0; i < kAtOnce; i += sizeof(Vector16))
      places |= static_cast<std::uint64_t>(windows_at(s + at + i, tables)) << i;
    for (; places != 0; places &= places - 1)
      out[found++] = static_cast<std::uint16_t>(at + static_cast<std::size_t>(std::countr_zero(places)));
  }
  return found;
}

#endif

#if defined(__x86_64__)
#define MEMD_AVX2_INLINE MEMD_AVX2 __attribute__((always_inline)) inline

namespace {

using Vector32 = __m256i;

// Like Tables16, with each entry twice: pshufb works on halves of 16 bytes.
struct Tables32 {
  Vector32 low_0_15;
  Vector32 low_16_31;
  Vector32 high_0_15;
  Vector32 high_16_31;
};

struct Buckets32 {
  Vector32 low;
  Vector32 high;
};

MEMD_AVX2_INLINE Vector32 twice_sixteen(const std::uint8_t* entries) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(entries)));
}

// The buckets in which 32 bytes may stand.
MEMD_AVX2_INLINE Buckets32 buckets_of(const char* s, const Tables32& tables) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(s));
  const __m256i cls = _mm256_and_si256(bytes, _mm256_set1_epi8(31));
  const __m256i below_16 = _mm256_add_epi8(cls, _mm256_set1_epi8(0x70));
  const __m256i above_15 = _mm256_sub_epi8(cls, _mm256_set1_epi8(16));
  return {
      _mm256_or_si256(_mm256_shuffle_epi8(tables.low_0_15, below_16), _mm256_shuffle_epi8(tables.low_16_31, above_15)),
      _mm256_or_si256(_mm256_shuffle_epi8(tables.high_0_15, below_16),
                      _mm256_shuffle_epi8(tables.high_16_31, above_15))};
}

MEMD_AVX2_INLINE Buckets32 both(const Buckets32& a, const Buckets32& b) {
  return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
}

// Bit i: a window may begin at s + i.
MEMD_AVX2_INLINE std::uint32_t windows_at(const char* s, const std::array<Tables32, LiteralSieve::kWindow>& t) {
  const Buckets32 in =
      both(both(buckets_of(s, t[0]), buckets_of(s + 1, t[1])), both(buckets_of(s + 2, t[2]), buckets_of(s + 3, t[3])));
  const __m256i none = _mm256_cmpeq_epi8(_mm256_or_si256(in.low, in.high), _mm256_setzero_si256());
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
}

}  // namespace

MEMD_AVX2 std::size_t LiteralSieve::avx2(const LiteralSieve& sieve, const char* s, std::size_t n, Places& out) {
  std::array<Tables32, kWindow> tables;
  for (std::size_t b = 0; b < kWindow; ++b) {
    const auto& low = sieve.may_stand_[0][b];
    const auto& high = sieve.may_stand_[1][b];
    tables[b] = {twice_sixteen(&low[0]), twice_sixteen(&low[16]), twice_sixteen(&high[0]), twice_sixteen(&high[16])};
  }
  std::size_t found = 0;
  for (std::size_t at = 0; at < n; at += kAtOnce) {
    std::uint64_t places = windows_at(s + at, tables) | static_cast<std::uint64_t>(windows_at(s + at + 32, tables))
                                                            << 32;
    // Always writes four at a time, even if there are fewer: this avoids mispredicted branches on their number.
    const auto count = static_cast<std::size_t>(_mm_popcnt_u64(places));
    std::size_t done = 0;
    do {
      for (std::size_t i = 0; i < 4; ++i, places = _blsr_u64(places))
        out[found + done + i] = static_cast<std::uint16_t>(at + _tzcnt_u64(places));
      done += 4;
    } while (done < count);
    found += count;
  }
  return found;
}

namespace {

// A table of 32 entries, twice, for each half of the buckets: vpermb looks 64 bytes up by their lowest six bits.
struct Tables64 {
  __m512i low;
  __m512i high;
};

MEMD_AVX512_BYTES __m512i twice_thirty_two(const std::uint8_t* entries) {
  return _mm512_maskz_broadcast_i64x4(0xFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries)));
}

// Writes 32 places: small numbers, behind `at`.
MEMD_AVX512_BYTES void put_places(const std::uint8_t* numbers, std::size_t at, std::uint16_t* out) {
  const __m512i wide = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers)));
  _mm512_storeu_si512(out, _mm512_add_epi16(wide, _mm512_set1_epi16(static_cast<short>(at))));
}

}  // namespace

MEMD_AVX512_BYTES std::size_t LiteralSieve::avx512(const LiteralSieve& sieve, const char* s, std::size_t n,
                                                   Places& out) {
  std::array<Tables64, kWindow> tables;
  for (std::size_t b = 0; b < kWindow; ++b)
    tables[b] = {twice_thirty_two(sieve.may_stand_[0][b].data()), twice_thirty_two(sieve.may_stand_[1][b].data())};
  std::array<std::uint8_t, kAtOnce> numbers;
  std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
  const __m512i each = _mm512_loadu_si512(numbers.data());
  std::size_t found = 0;
  for (std::size_t at = 0; at < n; at += kAtOnce) {
    __m512i low = _mm512_set1_epi8(-1);
    __m512i high = low;
#pragma GCC unroll 4
    for (std::size_t b = 0; b < kWindow; ++b) {
      const __m512i bytes = _mm512_loadu_si512(s + at + b);
      low = _mm512_and_si512(low, _mm512_permutexvar_epi8(bytes, tables[b].low));
      high = _mm512_and_si512(high, _mm512_permutexvar_epi8(bytes, tables[b].high));
    }
    const __m512i in = _mm512_or_si512(low, high);
    const std::uint64_t places = _mm512_test_epi8_mask(in, in);
    _mm512_storeu_si512(numbers.data(), _mm512_maskz_compress_epi8(places, each));
    put_places(numbers.data(), at, &out[found]);
    const auto count = static_cast<std::size_t>(_mm_popcnt_u64(places));
    if (count > kAtOnce / 2) put_places(&numbers[kAtOnce / 2], at, &out[found + kAtOnce / 2]);
    found += count;
  }
  return found;
}

#endif

std::span<const LiteralSieve::Form> LiteralSieve::forms() {
  static constexpr std::array kForms{Form::portable, Form::vectors_of_16, Form::avx2, Form::avx512};
#if defined(__x86_64__)
  static const std::size_t kRun = !has_ssse3() ? 1 : !has_avx2() ? 2 : !has_avx512_bytes() ? 3 : 4;
#elif defined(__aarch64__)
  constexpr std::size_t kRun = 2;
#else
  constexpr std::size_t kRun = 1;
#endif
  return std::span(kForms).first(kRun);
}

LiteralSieve::LiteralSieve([[maybe_unused]] Form form) : kernel_(portable) {
#if defined(__x86_64__) || defined(__aarch64__)
  if (form == Form::vectors_of_16) kernel_ = vectors_of_16;
#endif
#if defined(__x86_64__)
  if (form == Form::avx2) kernel_ = avx2;
  if (form == Form::avx512) kernel_ = avx512;
#endif
}

}  // namespace memd::redaction
