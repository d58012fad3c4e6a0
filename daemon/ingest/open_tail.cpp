#include "daemon/ingest/open_tail.hpp"

namespace memd::open_tail {
namespace {

constexpr char kSeparator = '\x1f';

}  // namespace

std::string of(const CoverageEntry& line) {
  std::string out = line.record_type;
  out += kSeparator;
  out += static_cast<char>('0' + static_cast<int>(line.disposition));
  out += kSeparator;
  out += line.reason;
  return out;
}

std::size_t close(std::string& tail, std::string_view bytes, EventBatch& batch) {
  if (tail.empty() || bytes.empty()) return 0;
  const std::string line = std::move(tail);
  tail.clear();
  if (bytes.front() != '\n') return 0;
  const auto first = line.find(kSeparator);
  const auto second = line.find(kSeparator, first + 1);
  if (first == std::string::npos || second == std::string::npos)
    batch.cover("(blank)", Disposition::skipped, "blank", 1, 0);
  else
    batch.cover(line.substr(0, first), static_cast<Disposition>(line[first + 1] - '0'), line.substr(second + 1), 1, 0);
  return 1;
}

const CoverageEntry& oversized_line() {
  static const CoverageEntry line{"(oversized)", Disposition::skipped, "longer than a record may be", 0, 0};
  return line;
}

std::string in_oversized() { return of(oversized_line()); }

bool is_in_oversized(std::string_view tail) {
  static const std::string mark = in_oversized();
  return tail == mark;
}

}  // namespace memd::open_tail
