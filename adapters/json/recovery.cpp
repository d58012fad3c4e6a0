#include "adapters/json/recovery.hpp"

#include <algorithm>

namespace memd::json {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

bool blank(std::string_view text) { return text.find_first_not_of(kBlank) == std::string_view::npos; }

// The next "{" that can start an object: a key or "}" follows.
std::size_t find_start(std::string_view line, std::size_t from) {
  for (auto at = line.find('{', from); at != std::string_view::npos; at = line.find('{', at + 1)) {
    const auto next = line.find_first_not_of(kBlank, at + 1);
    if (next != std::string_view::npos && (line[next] == '"' || line[next] == '}')) return at;
  }
  return std::string_view::npos;
}

// One past the "}" that closes the object at `start`, or npos. Spends `budget`, a byte each.
std::size_t find_end(std::string_view line, std::size_t start, std::size_t& budget) {
  std::size_t depth = 0;
  bool in_string = false;
  std::size_t at = start;
  for (; at < line.size() && at - start < budget; ++at) {
    const char c = line[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      break;
    }
  }
  const bool closed = at < line.size() && depth == 0;
  budget -= std::min(budget, at - start + 1);
  return closed ? at + 1 : std::string_view::npos;
}

}  // namespace

void recover_line(std::string_view line, const std::function<Slice(std::string_view, bool)>& try_slice,
                  const std::function<void(const Piece&)>& emit) {
  std::size_t budget = 64 * line.size() + (std::size_t{1} << 16);
  std::size_t done = 0;  // pieces up to here are known
  std::size_t from = 0;
  bool nested = false;
  Piece last;
  bool have_last = false;
  const auto add = [&](Piece piece) {
    const bool only_blanks = !piece.record && blank(line.substr(piece.begin, piece.end - piece.begin));
    if (have_last && (only_blanks || (!piece.record && !last.record))) {
      last.end = piece.end;
    } else if (!only_blanks) {
      if (have_last) emit(last);
      if (!have_last) piece.begin = 0;  // blanks in front of the first
      last = piece;
      have_last = true;
    }
  };
  while (budget > 0) {
    const auto start = find_start(line, from);
    if (start == std::string_view::npos) break;
    const auto end = find_end(line, start, budget);
    if (end != std::string_view::npos) budget -= std::min(budget, 4 * (end - start));  // parsing costs more than a scan
    const Slice slice =
        end == std::string_view::npos ? Slice::broken : try_slice(line.substr(start, end - start), nested);
    if (slice != Slice::record) {
      from = slice == Slice::broken ? start + 1 : end;
      nested = true;
      continue;
    }
    add({done, start, false});
    add({start, end, true});
    done = from = end;
    nested = false;
  }
  add({done, line.size(), false});
  emit(have_last ? last : Piece{0, line.size(), false});
}

}  // namespace memd::json
