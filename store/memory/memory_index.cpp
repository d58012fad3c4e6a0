#include "store/memory/memory_index.hpp"
#include "schemas/base/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace memd::memory {
namespace {

// Returns the slug of a line ("slug":{…}); empty if it has none.
std::string_view slug_at(std::string_view text, std::size_t line) {
  if (text.substr(line, 1) != "\"") return {};
  const auto end = text.find('"', line + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(line + 1, end - line - 1);
}

// Returns the start of the slug's line, or the position at which it belongs: lines are sorted by slug. [begin, end)
// contains whole lines.
std::size_t find_line(std::string_view text, std::size_t begin, std::size_t end, std::string_view slug) {
  while (begin < end) {
    std::size_t middle = begin + (end - begin) / 2;
    middle = std::max(begin, text.rfind('\n', middle > 0 ? middle - 1 : 0) + 1);
    if (slug_at(text, middle) < slug)
      begin = std::min(end, text.find('\n', middle) + 1);
    else
      end = middle;
  }
  return begin;
}

}  // namespace

Result<MemoryIndex> IndexFile::load() const {
  const auto text = root_.read(kFile, files::kMostIndexBytes);
  if (!text) return text.error();
  auto index = parse_index(*text);
  if (!index) return Error(Errc::store_corrupt, (root_.directory() / kFile).string() + " " + index.error().context);
  return index;
}

Result<void> IndexFile::write(const MemoryIndex& index) const {
  return root_.write(kFile, index_text(index), files::OnDisk::later);
}

Result<bool> IndexFile::add(const IndexEntry& entry, TimeMs now) const {
  return splice(entry.slug, index_line(entry), false, now);
}
Result<bool> IndexFile::replace(const IndexEntry& entry, TimeMs now) const {
  return splice(entry.slug, index_line(entry), true, now);
}
Result<bool> IndexFile::remove(std::string_view slug, TimeMs now) const { return splice(slug, "", true, now); }

Result<bool> IndexFile::splice(std::string_view slug, const std::string& line, bool is_there, TimeMs now) const {
  const auto read = root_.read(kFile, files::kMostIndexBytes);
  if (!read) return read.error().is(Errc::not_found) ? Result<bool>(false) : read.error();
  const std::string_view text = *read;
  const std::string head = index_head(now);
  const auto begin = text.find('\n') + 1;
  const bool is_ours = begin == head.size() + 1 && text.size() >= begin - 1 + kIndexTail.size() &&
                       text.ends_with(kIndexTail) && text.substr(0, begin - 1).ends_with("\"memories\":{") &&
                       text.starts_with(head.substr(0, head.find("lastUpdated")));
  if (!is_ours) return false;
  const std::size_t end = text.size() - kIndexTail.size() + 1;  // after the end of the last line
  const std::size_t first = std::min(begin, end);
  const std::size_t at = find_line(text, first, end, slug);
  if ((at < end && slug_at(text, at) == slug) != is_there) return false;
  // Entries are joined by ",\n": removes the separators from the parts before and after the line.
  const auto bare = [](std::string_view piece) {
    while (piece.ends_with('\n') || piece.ends_with(','))
      piece.remove_suffix(1);
    return piece;
  };
  const std::size_t behind = is_there ? std::min(end, text.find('\n', at) + 1) : at;
  if (is_there && bare(text.substr(at, behind - at)) == line) return true;
  const std::string_view before = bare(text.substr(first, at - first));
  const std::string_view after = bare(text.substr(behind, end - behind));
  std::vector<std::string_view> pieces{head};
  for (const std::string_view piece : {before, std::string_view(line), after}) {
    if (piece.empty()) continue;
    pieces.push_back(pieces.size() == 1 ? "\n" : ",\n");
    pieces.push_back(piece);
  }
  pieces.push_back(kIndexTail);
  MEMD_TRY(root_.write(kFile, pieces, files::OnDisk::later));
  return true;
}

}  // namespace memd::memory
