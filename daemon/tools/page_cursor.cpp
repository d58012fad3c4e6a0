#include "daemon/tools/page_cursor.hpp"

#include "schemas/hash.hpp"

#include <array>
#include <charconv>

namespace memd::tools {
namespace {

void append(std::string& out, std::uint64_t value, int base) {
  std::array<char, 24> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base).ptr;
  out.append(buffer.data(), end);
}

std::uint32_t short_key(std::uint64_t question) { return static_cast<std::uint32_t>(question ^ (question >> 32)); }

template <class T>
bool take(std::string_view& s, T& out, int base, char end) {
  const auto [p, ec] = std::from_chars(s.data(), s.data() + s.size(), out, base);
  if (ec != std::errc{} || p == s.data()) return false;
  s.remove_prefix(static_cast<std::size_t>(p - s.data()));
  if (end == 0) return s.empty();
  if (!s.starts_with(end)) return false;
  s.remove_prefix(1);
  return true;
}

}  // namespace

std::uint64_t question_key(std::initializer_list<std::string_view> parts) {
  std::uint64_t key = 0;
  for (const std::string_view p : parts)
    key = hash_combine(key, hash64(p));
  return key;
}

// "p<offset>.<part>.<question>"
std::string encode_cursor(const PageCursor& cursor, std::uint64_t question) {
  std::string out = "p";
  append(out, static_cast<std::uint64_t>(cursor.offset), 10);
  out += '.';
  append(out, static_cast<std::uint64_t>(cursor.part), 10);
  out += '.';
  append(out, short_key(question), 16);
  return out;
}

Result<PageCursor> decode_cursor(const std::optional<std::string>& text, std::uint64_t question) {
  PageCursor cursor;
  if (!text || text->empty()) return cursor;
  std::string_view s = *text;
  std::uint32_t key = 0;
  constexpr std::int64_t kMost = 1'000'000'000;
  const bool ok = s.starts_with('p') && (s.remove_prefix(1), take(s, cursor.offset, 10, '.')) &&
                  take(s, cursor.part, 10, '.') && take(s, key, 16, 0) && cursor.offset >= 0 && cursor.part >= 0 &&
                  cursor.offset <= kMost && cursor.part <= kMost && key == short_key(question);
  if (ok) return cursor;
  return Error(Errc::invalid_argument,
               "cursor: does not belong to this question, send the \"next\" of its last answer with the same "
               "arguments, or no cursor to begin anew");
}

}  // namespace memd::tools
