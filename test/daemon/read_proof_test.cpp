#include "daemon/ingest/read_proof.hpp"
#include "schemas/base/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace memd {
namespace {

// A log in memory that counts what is read of it.
class Text final : public LogWindow {
 public:
  explicit Text(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::string_view> at(std::uint64_t offset, std::size_t want) override {
    const auto out = std::string_view(bytes_).substr(std::min<std::size_t>(offset, bytes_.size()), want);
    read += out.size();
    return out;
  }
  bool ends_at(std::uint64_t offset) const override { return offset >= bytes_.size(); }

  std::size_t read = 0;

 private:
  std::string bytes_;
};

std::string noise(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string out(size, '\0');
  for (char& c : out)
    c = static_cast<char>('a' + random() % 26);
  return out;
}

ReadProof proof_of(const std::string& text) {
  ReadProof proof;
  proof.extend("", text);
  EXPECT_EQ(proof.length(), text.size());
  return proof;
}

bool holds(const ReadProof& proof, std::string text, bool all, std::uint64_t draw = 1) {
  Text log(std::move(text));
  const auto answer = proof.still_holds(log, all, draw);
  EXPECT_TRUE(answer);
  return answer && *answer;
}

const std::array<std::size_t, 16> kSizes{0,      1,      4095,   4096,    4097,    8192,    61'439,    65'535,
                                         65'536, 65'537, 69'632, 131'072, 262'145, 999'999, 1'048'576, 3'000'001};

TEST(ReadProof, IsTheSameHoweverTheLogGrew) {
  std::mt19937 random(7);
  for (const std::size_t size : kSizes) {
    const std::string text = noise(size, 1);
    ReadProof grown;
    while (grown.length() < size) {
      const auto at = static_cast<std::size_t>(grown.length());
      const std::size_t most = random() % 3 == 0 ? 20'000 : 300;
      const std::size_t piece = std::min<std::size_t>(size - at, 1 + random() % most);
      grown.extend(std::string_view(text).substr(at - grown.newest_size(), grown.newest_size()),
                   std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(grown.encode(), proof_of(text).encode()) << size;
  }
}

TEST(ReadProof, StaysSmallAndComesBackAsItWas) {
  for (const std::size_t size : kSizes) {
    ReadProof proof = proof_of(noise(size, 2));
    proof.changed_ns = 1'790'000'000'123'456'789;
    const std::string stored = proof.encode();
    EXPECT_LE(stored.size(), 160U) << size;
    const auto back = ReadProof::decode(stored, size);
    ASSERT_TRUE(back) << size;
    EXPECT_EQ(back->changed_ns, proof.changed_ns);
    EXPECT_EQ(back->encode(), stored);
    EXPECT_FALSE(ReadProof::decode(stored, size + 1)) << "of another cursor";
    EXPECT_FALSE(ReadProof::decode(stored + "x", size));
    if (size >= 4096) EXPECT_FALSE(ReadProof::decode(std::string_view(stored).substr(0, stored.size() - 1), size));
  }
  EXPECT_FALSE(ReadProof::decode("", 1)) << "of a store that had none";
  EXPECT_TRUE(ReadProof::decode("", 0));
  EXPECT_TRUE(ReadProof::decode(proof_of("read before").encode(), 0)) << "set back to the start";
}

TEST(ReadProof, AChangedByteIsSeenWhereverItIs) {
  for (const std::size_t size : kSizes) {
    const std::string text = noise(size, 3);
    const ReadProof proof = proof_of(text);
    EXPECT_TRUE(holds(proof, text, true)) << size;
    EXPECT_TRUE(holds(proof, text + "and what was appended", true)) << size;
    if (size == 0) continue;
    EXPECT_FALSE(holds(proof, text.substr(0, size - 1), true)) << size << ", shorter";
    for (const std::size_t at :
         {std::size_t{0}, size / 3, size / 2, size - std::min<std::size_t>(size, 4097), size - 1}) {
      std::string changed = text;
      changed[at] = '#';
      EXPECT_FALSE(holds(proof, changed, true)) << size << " at " << at;
    }
  }
}

TEST(ReadProof, ALookAtAnAppendedLogReadsLittleAndFindsAnyShift) {
  std::size_t read = 0;
  const std::string text = noise(3'000'001, 4);
  const ReadProof proof = proof_of(text);
  const std::string shifted = text.substr(0, 1'000'000) + text.substr(1'000'100) + noise(5000, 5);
  constexpr std::uint64_t kLooks = 500;
  for (std::uint64_t look = 0; look < kLooks; ++look) {
    Text log(text + "more");
    const auto same = proof.still_holds(log, false, hash_combine(look, 1));
    EXPECT_TRUE(same && *same);
    read += log.read;
    EXPECT_FALSE(holds(proof, shifted, false, hash_combine(look, 1)));
  }
  EXPECT_LE(read / kLooks, 32U << 10) << "bytes a look, on average";
}

TEST(ReadProof, LooksThatFollowEachOtherSeeTheWholeLog) {
  const std::string text = noise(1'000'000, 6);
  const ReadProof proof = proof_of(text);
  for (std::size_t at = 0; at < text.size(); at += 100'000) {
    std::string changed = text;
    changed[at] = '#';
    std::uint64_t look = 0;
    while (look < 2000 && holds(proof, changed, false, hash_combine(look, at)))
      ++look;
    EXPECT_LT(look, 2000U) << at;
  }
}

TEST(ReadProof, ReadsForwardsSoThatACompressedLogIsReadOnce) {
  const std::string text = noise(1'000'001, 7);
  const ReadProof proof = proof_of(text);
  class Forwards final : public LogWindow {
   public:
    explicit Forwards(std::string_view bytes) : bytes_(bytes) {}
    Result<std::string_view> at(std::uint64_t offset, std::size_t want) override {
      EXPECT_GE(offset, last_);
      last_ = offset;
      return bytes_.substr(std::min<std::size_t>(offset, bytes_.size()), want);
    }
    bool ends_at(std::uint64_t offset) const override { return offset >= bytes_.size(); }

   private:
    std::string_view bytes_;
    std::uint64_t last_ = 0;
  } log(text);
  const auto same = proof.still_holds(log, true, 0);
  EXPECT_TRUE(same && *same);
  EXPECT_TRUE(log.at(proof.length() - proof.newest_size(), 1)) << "where the tailer goes on";
}

}  // namespace
}  // namespace memd
