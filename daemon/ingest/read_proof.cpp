#include "daemon/ingest/read_proof.hpp"

#include "schemas/base/hash.hpp"
#include "store/raw/frame_codec.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kProofPiece = 16 * ReadProof::kNewest;  // read at once
constexpr std::uint64_t kDrawn = 4 * ReadProof::kNewest;
constexpr int kMostDrawn = 4;
constexpr unsigned kAllLevels = 64;

std::uint32_t sum_of(std::string_view bytes) { return static_cast<std::uint32_t>(hash64(bytes)); }

// Joins the newest sums as a binary counter carries: into blocks of at most 2^levels leaves.
void carry(std::vector<std::uint32_t>& sums, std::uint64_t leaves, unsigned levels) {
  for (unsigned level = 0; level < levels && (leaves >> level) % 2 == 0; ++level) {
    const std::uint32_t last = sums.back();
    sums.pop_back();
    sums.back() = static_cast<std::uint32_t>(hash_combine(sums.back(), last));
  }
}

std::string_view last_of(std::string_view bytes, std::size_t most) {
  return bytes.substr(bytes.size() - std::min(bytes.size(), most));
}

}  // namespace

// A large block has the smallest size with which there are fewer than kMostBlocks.
unsigned ReadProof::Blocks::doublings() const {
  constexpr int kBits = std::bit_width(kMostBlocks) - 1;
  return static_cast<unsigned>(std::max(0, static_cast<int>(std::bit_width(leaves)) - kBits));
}

std::size_t ReadProof::Blocks::count() const {
  const std::uint64_t small = leaves & ((std::uint64_t{1} << doublings()) - 1);
  return static_cast<std::size_t>(leaves >> doublings()) + static_cast<std::size_t>(std::popcount(small));
}

void ReadProof::Blocks::add(std::string_view leaf) {
  const unsigned before = doublings();
  sums.push_back(sum_of(leaf));
  carry(sums, ++leaves, before);
  if (doublings() == before) return;
  std::vector<std::uint32_t> larger;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    larger.push_back(sums[i]);
    carry(larger, i + 1, 1);
  }
  sums = std::move(larger);
}

ReadProof::Blocks::Place ReadProof::Blocks::place(std::size_t index) const {
  const unsigned large = doublings();
  const std::uint64_t in_large = leaves >> large;
  if (index < in_large) return {index << large, std::uint64_t{1} << large};
  Place place{in_large << large, 0};
  for (std::uint64_t rest = leaves - place.first; rest != 0; --index) {
    place.count = std::bit_floor(rest);
    if (index == in_large) break;
    place.first += place.count;
    rest -= place.count;
  }
  return place;
}

std::optional<ReadProof> ReadProof::decode(std::string_view stored, std::uint64_t length) {
  ReadProof proof;
  raw::ByteReader r(stored);
  proof.length_ = r.number();
  proof.changed_ns = static_cast<std::int64_t>(r.number());
  proof.newest_ = static_cast<std::uint32_t>(r.number());
  const bool fits = r.ok() && proof.length_ == length;
  if (!fits) return length == 0 ? std::optional(ReadProof()) : std::nullopt;  // no bytes are always known
  proof.blocks_.leaves = length / kNewest;
  for (std::size_t i = proof.blocks_.count(); i > 0; --i)
    proof.blocks_.sums.push_back(static_cast<std::uint32_t>(r.number()));
  return r.ok() && r.at_end() ? std::optional(std::move(proof)) : std::nullopt;
}

std::string ReadProof::encode() const {
  raw::ByteWriter w;
  w.number(length_);
  w.number(static_cast<std::uint64_t>(changed_ns));
  w.number(newest_);
  for (const std::uint32_t sum : blocks_.sums)
    w.number(sum);
  return w.take();
}

std::size_t ReadProof::newest_size() const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(length_, kNewest));
}

void ReadProof::extend(std::string_view newest, std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view begun = last_of(newest, static_cast<std::size_t>(length_ % kNewest));
  length_ += bytes.size();
  const std::string around = std::string(newest).append(bytes.substr(0, kNewest));
  newest_ = sum_of(last_of(bytes.size() < kNewest ? std::string_view(around) : bytes, kNewest));
  if (!begun.empty()) {
    if (begun.size() + bytes.size() < kNewest) return;
    blocks_.add(std::string_view(around).substr(newest.size() - begun.size(), kNewest));
    bytes.remove_prefix(kNewest - begun.size());
  }
  for (; bytes.size() >= kNewest; bytes.remove_prefix(kNewest))
    blocks_.add(bytes.substr(0, kNewest));
}

Result<bool> ReadProof::has(LogWindow& log, std::size_t index) const {
  const Blocks::Place place = blocks_.place(index);
  std::vector<std::uint32_t> sums;
  for (std::uint64_t leaves = 0; leaves < place.count;) {
    const std::uint64_t bytes = std::min<std::uint64_t>(kProofPiece, (place.count - leaves) * kNewest);
    MEMD_TRY_ASSIGN(std::string_view piece, log.at((place.first + leaves) * kNewest, static_cast<std::size_t>(bytes)));
    if (piece.size() < bytes) return false;
    for (; !piece.empty(); piece.remove_prefix(kNewest)) {
      sums.push_back(sum_of(piece.substr(0, kNewest)));
      carry(sums, ++leaves, kAllLevels);
    }
  }
  return sums.front() == blocks_.sums[index];
}

Result<bool> ReadProof::has_drawn(LogWindow& log, std::uint64_t draw) const {
  std::uint64_t left = kDrawn;
  for (int i = 0; i < kMostDrawn && left > 0; ++i) {
    draw = hash_combine(draw, static_cast<std::uint64_t>(i));
    const std::size_t index = static_cast<std::size_t>(draw % blocks_.sums.size());
    const std::uint64_t bytes = blocks_.place(index).count * kNewest;
    // A block that costs more is read in the share of looks that costs as much on average.
    if (bytes > left && hash_combine(draw, bytes) % bytes >= left) return true;
    MEMD_TRY_ASSIGN(const bool same, has(log, index));
    if (!same) return false;
    left -= std::min(left, bytes);
  }
  return true;
}

Result<bool> ReadProof::still_holds(LogWindow& log, bool all, std::uint64_t draw) const {
  if (all || length_ <= kProofPiece) {
    for (std::size_t i = 0; i < blocks_.sums.size(); ++i) {
      MEMD_TRY_ASSIGN(const bool same, has(log, i));
      if (!same) return false;
    }
  } else {
    MEMD_TRY_ASSIGN(const bool same, has_drawn(log, draw));
    if (!same) return false;
  }
  // Last, because a compressed log can only be read forwards.
  const std::size_t size = newest_size();
  MEMD_TRY_ASSIGN(const std::string_view newest, log.at(length_ - size, size));
  return newest.size() == size && (size == 0 || sum_of(newest) == newest_);
}

}  // namespace memd
