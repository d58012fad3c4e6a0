#include "store/text/redaction/redactor.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "store/text/redaction/escaped_text.hpp"
#include "store/text/redaction/forgotten_text.hpp"
#include "store/text/redaction/private_text.hpp"
#include "store/text/redaction/secret_file.hpp"
#include "store/text/redaction/secret_finder.hpp"
#include "store/text/redaction/veiled_text.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace memd {

using redaction::Secret;
using redaction::Unescaped;
using Signs = redaction::SecretFinder::Signs;

namespace {

// Returns whether the secret was found by a sensitive name only. A secret found by its form has a more specific kind.
bool is_general(const Secret& s) { return s.kind == "password" || s.kind == "secret" || s.kind == "token"; }

void sort_and_join(std::vector<Secret>& secrets) {
  if (secrets.empty()) return;
  std::sort(secrets.begin(), secrets.end(), [](const Secret& a, const Secret& b) {
    return a.begin != b.begin ? a.begin < b.begin : is_general(a) < is_general(b);
  });
  std::vector<Secret> out;
  for (const Secret& s : secrets) {
    if (s.end <= s.begin) continue;
    if (!out.empty() && s.begin < out.back().end)
      out.back().end = std::max(out.back().end, s.end);
    else
      out.push_back(s);
  }
  secrets = std::move(out);
}

// Values end at a length, or behind a byte: what is masked of a character of UTF-8 is all of it.
void mask_whole_characters(std::string_view text, std::vector<Secret>& secrets) {
  constexpr int kMost = 3;  // bytes of a character behind its first
  const auto goes_on = [&](std::size_t at) {
    return at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
  };
  for (Secret& s : secrets) {
    if (s.end <= s.begin) continue;
    for (int i = 0; i < kMost && goes_on(s.begin); ++i)
      --s.begin;
    for (int i = 0; i < kMost && goes_on(s.end); ++i)
      ++s.end;
  }
}

void find_in_strings(std::string_view line, std::vector<Signs::Doubt>& doubts, std::vector<Secret>& out);

std::vector<Secret> secrets_of(std::string_view text) {
  std::vector<Secret> out;
  Signs signs;
  redaction::secret_finder().find(text, out, signs);
  // The text may be JSON or quote some: the arguments of a call.
  if (!signs.doubts.empty()) find_in_strings(text, signs.doubts, out);
  if (signs.may_be_private) {
    std::vector<Secret> marked;
    redaction::find_private(text, marked);
    // A private range is masked as a whole, with the secrets in it.
    std::erase_if(out, [&](const Secret& s) {
      return std::any_of(marked.begin(), marked.end(),
                         [&](const Secret& m) { return s.begin < m.end && m.begin < s.end; });
    });
    out.insert(out.end(), marked.begin(), marked.end());
  }
  mask_whole_characters(text, out);
  sort_and_join(out);
  return out;
}

std::string without(const std::string& text, const std::vector<Secret>& secrets) {
  std::string out;
  out.reserve(text.size() + 64);
  std::size_t done = 0;
  for (const Secret& s : secrets) {
    out.append(text, done, s.begin - done);
    out += "[redacted:";
    out += s.kind;
    out += ']';
    done = s.end;
  }
  return out.append(text, done);
}

constexpr int kRounds = 3;            // what masking uncovers is masked too
constexpr std::size_t kShortest = 4;  // bytes that a text with a secret has: what tells it, and itself

}  // namespace

bool has_secret(std::string_view text) { return text.size() >= kShortest && !secrets_of(text).empty(); }

bool redact(std::string& text) {
  if (text.size() < kShortest) return false;
  bool masked = false;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Secret> secrets = secrets_of(text);
    if (secrets.empty()) break;
    masked = true;
    text = without(text, secrets);
  }
  return masked;
}

namespace {

// Remembers the last text without secrets, because most events of a batch share it.
class Recurring {
 public:
  void redact(std::string& text) {
    if (text == clean_) return;
    if (!memd::redact(text)) clean_ = text;
  }

 private:
  std::string clean_;
};

// Masks many short texts, of which few have any sign of a secret: all are searched for signs together, because each
// search takes as long as one of a hundred bytes. Borrows the texts until finish().
class ShortTexts {
 public:
  void redact(std::string& text) {
    if (text.size() < kShortest) return;
    if (text.size() > kLong) {
      memd::redact(text);
      return;
    }
    begins_.push_back(joined_.size());
    texts_.push_back(&text);
    joined_.append(text).push_back('\n');
    if (joined_.size() > kTogether) finish();
  }

  void finish() {
    std::vector<bool> has_sign(texts_.size());
    redaction::secret_finder().each_sign(joined_, [&](std::size_t at) {
      const auto behind = std::upper_bound(begins_.begin(), begins_.end(), at);
      has_sign[static_cast<std::size_t>(behind - begins_.begin()) - 1] = true;
    });
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (has_sign[i]) memd::redact(*texts_[i]);
    begins_.clear();
    texts_.clear();
    joined_.clear();
  }

 private:
  static constexpr std::size_t kLong = 160;         // bytes
  static constexpr std::size_t kTogether = 16'384;  // bytes

  std::string joined_;
  std::vector<std::size_t> begins_;
  std::vector<std::string*> texts_;
};

// An id of a call that holds a secret gets another name, because two of them must not become one.
void rename_if_secret(std::string& call_id) {
  if (has_secret(call_id)) call_id = "call/" + std::to_string(hash64(call_id));
}

}  // namespace

void mask_secrets(EventBatch& batch) {
  ShortTexts texts;
  std::array<Recurring, 6> recurring;
  for (auto& e : batch.events) {
    for (auto* text : {&e.text, &e.summary, &e.search_text})
      texts.redact(*text);
    rename_if_secret(e.call_id);
    const std::array shared{&e.tool, &e.lifecycle, &e.cwd, &e.git_branch, &e.model, &e.agent_version};
    for (std::size_t i = 0; i < shared.size(); ++i)
      recurring[i].redact(*shared[i]);
    for (auto& file : e.files)
      texts.redact(file.path);
    for (auto& command : e.facts.commands) {
      texts.redact(command.line);
      texts.redact(command.directory);
    }
    if (e.facts.todos)
      for (auto& item : e.facts.todos->items) {
        texts.redact(item.key);
        texts.redact(item.text);
      }
    texts.redact(e.text_end);
    texts.redact(e.pull_request);
  }
  for (auto& u : batch.sessions) {
    for (auto* text : {&u.title, &u.description, &u.agent_name, &u.project_hint, &u.cwd, &u.git_branch, &u.model,
                       &u.agent_version, &u.mode, &u.repo})
      texts.redact(*text);
    rename_if_secret(u.parent_call_id);
    if (!u.record) continue;
    for (auto* text : {&u.record->cwd, &u.record->git_branch, &u.record->model, &u.record->agent_version})
      texts.redact(*text);
    if (!u.record->digest) continue;
    KeptDigest& digest = *u.record->digest;
    for (auto* text : {&digest.request, &digest.result, &digest.abstract})
      texts.redact(*text);
    for (auto& error : digest.errors) {
      texts.redact(error.tool);
      texts.redact(error.text);
    }
  }
  for (auto& entry : batch.coverage)
    texts.redact(entry.record_type);
  texts.finish();
}

namespace {

// The strings of a JSON text, one after the other. It looks for quotation marks 64 bytes at a time: they are close
// together, and a search for the next one would start too often.
class JsonStrings {
 public:
  explicit JsonStrings(std::string_view text) : text_(text) {
    begin_ = next_mark(0) + 1;
    end_ = closing(begin_);
  }

  // Goes on to the first string that ends at `at` or behind it; false: there is none.
  bool go_to(std::size_t at) {
    while (end_ < at) {
      // Without a backslash, counting the quotation marks is enough.
      std::size_t from = end_ + 1;
      bool inside = false;
      for (; from + kAtOnce <= at; from += kAtOnce) {
        const std::string_view block = text_.substr(from, kAtOnce);
        if (places_of('\\', block) != 0) break;
        const std::uint64_t marks = places_of('"', block);
        if (marks == 0) continue;
        inside = inside != (__builtin_parityll(marks) != 0);
        begin_ = from + static_cast<std::size_t>(std::bit_width(marks));
      }
      if (!inside) {
        const std::size_t mark = next_mark(from);
        if (mark == std::string_view::npos) return false;
        begin_ = from = mark + 1;
      }
      end_ = closing(from);
    }
    return true;
  }

  // Start of the string, and the position of its closing quotation mark or the end of the text.
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

 private:
  static constexpr std::size_t kAtOnce = 64;

  // Bit i: byte i of these, 64 at most, is `c`.
  static std::uint64_t places_of(char c, std::string_view bytes) {
    std::uint64_t out = 0;
#ifdef __SSE2__
    std::array<char, kAtOnce> rest;
    const char* s = bytes.data();
    if (bytes.size() < kAtOnce) {
      rest.fill(0);
      std::memcpy(rest.data(), s, bytes.size());
      s = rest.data();
    }
    constexpr std::size_t kWide = sizeof(__m128i);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kAtOnce; i += kWide) {
      const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i));
      const auto places = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_set1_epi8(c))));
      out |= static_cast<std::uint64_t>(places) << i;
    }
#else
    for (std::size_t i = 0; i < bytes.size(); ++i)
      out |= static_cast<std::uint64_t>(bytes[i] == c) << i;
#endif
    return out;
  }

  // The first one at `at` or behind it, or npos. Places rise from call to call.
  std::size_t next_mark(std::size_t at) {
    for (; at < text_.size(); at = block_ + kAtOnce) {
      if (at - block_ >= kAtOnce || !known_) {
        block_ = at;
        marks_ = places_of('"', text_.substr(at, kAtOnce));
        known_ = true;
      }
      if (const std::uint64_t left = marks_ >> (at - block_); left != 0)
        return at + static_cast<std::size_t>(std::countr_zero(left));
    }
    return std::string_view::npos;
  }

  // The mark that closes the string in which `from` is; no escape sequence begins before `from` and ends behind it.
  std::size_t closing(std::size_t from) {
    for (std::size_t at = next_mark(from); at != std::string_view::npos; at = next_mark(at + 1)) {
      std::size_t first = at;  // of the backslashes in front of it
      while (first > from && text_[first - 1] == '\\')
        --first;
      if ((at - first) % 2 == 0) return at;
    }
    return text_.size();
  }

  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t block_ = 0;  // where the 64 bytes begin of which marks_ tells
  std::uint64_t marks_ = 0;
  bool known_ = false;
};

// A text as its reader sees it, and room for the steps to it, kept between calls.
struct Layers {
  std::array<Unescaped, 2> unescaped;
  Unescaped unveiled;
  Unescaped joined;
  std::vector<Secret> found;
};

// Searches the text; `origin_of` leads from it to the line.
template <class F>
void find_in_layer(std::string_view text, F&& origin_of, Layers& layers, std::vector<Secret>& out) {
  layers.found.clear();
  Signs signs;
  redaction::secret_finder().find(text, layers.found, signs);
  for (const Secret& s : layers.found)
    out.push_back({origin_of(s.begin), origin_of(s.end), s.kind});
}

// How a text is to be read, too.
struct Reading {
  bool is_veiled = false;
  bool in_array = false;
};

// The text as it is written otherwise: coded, or as an array of arguments.
template <class F>
void find_veiled(std::string_view text, F&& origin_of, Reading reading, Layers& layers, std::vector<Secret>& out) {
  layers.unveiled.changed = false;
  if (reading.is_veiled) redaction::unveil(text, layers.unveiled);
  const std::string_view plain = layers.unveiled.changed ? std::string_view(layers.unveiled.text) : text;
  const auto unveiled_origin = [&](std::size_t i) {
    return origin_of(layers.unveiled.changed ? layers.unveiled.origin[i] : i);
  };
  if (layers.unveiled.changed) find_in_layer(plain, unveiled_origin, layers, out);
  if (!reading.in_array) return;
  redaction::join_arguments(plain, layers.joined);
  if (layers.joined.changed)
    find_in_layer(
        layers.joined.text, [&](std::size_t i) { return unveiled_origin(layers.joined.origin[i]); }, layers, out);
}

// A stretch of a string, and what a reader of it would see: as it is, once unescaped, and unescaped again. Of a string
// in JSON no reader sees escapes.
void find_unescaped(std::string_view line, std::size_t begin, std::size_t end, bool is_json, Reading reading,
                    Layers& layers, std::vector<Secret>& out) {
  auto& [once, twice] = layers.unescaped;
  const std::string_view stretch = line.substr(begin, end - begin);
  const auto origin = [&](std::size_t i) { return begin + i; };
  const bool is_escaped = stretch.find('\\') != std::string_view::npos;
  if (!is_json || !is_escaped) find_veiled(stretch, origin, reading, layers, out);
  if (!is_escaped) return;
  redaction::unescape(stretch, once);
  const auto once_origin = [&](std::size_t i) -> std::size_t { return begin + once.origin[i]; };
  find_in_layer(once.text, once_origin, layers, out);
  find_veiled(once.text, once_origin, reading, layers, out);
  if (once.text.find('\\') == std::string::npos) return;
  redaction::unescape(once.text, twice);
  if (!twice.changed) return;
  const auto twice_origin = [&](std::size_t i) -> std::size_t { return begin + once.origin[twice.origin[i]]; };
  find_in_layer(twice.text, twice_origin, layers, out);
  find_veiled(twice.text, twice_origin, reading, layers, out);
}

// Around the arrays of a JSON text itself, whose arguments are several of its strings.
void find_in_arrays(std::string_view line, const std::vector<Signs::Doubt>& doubts, Layers& layers,
                    std::vector<Secret>& out) {
  constexpr std::size_t kBefore = 512;
  constexpr std::size_t kBehind = 1024;
  std::size_t done = 0;
  for (const Signs::Doubt& doubt : doubts) {
    if (!doubt.in_array || doubt.at < done) continue;
    const std::size_t begin = doubt.at - std::min(doubt.at, kBefore);
    done = std::min(line.size(), doubt.at + kBehind);
    find_veiled(
        line.substr(begin, done - begin), [&](std::size_t i) { return begin + i; }, {false, true}, layers, out);
  }
}

// Around the places in doubt, in the strings that these are in; a line that is no JSON is one string.
void find_in_strings(std::string_view line, std::vector<Signs::Doubt>& doubts, std::vector<Secret>& out) {
  constexpr std::size_t kShort = 2048;
  constexpr std::size_t kLong = 16'384;  // a long key, a manifest
  std::sort(doubts.begin(), doubts.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  Layers layers;
  std::optional<JsonStrings> strings;
  if (line.starts_with('{') || line.starts_with('[')) {
    strings.emplace(line);
    find_in_arrays(line, doubts, layers, out);
  }
  for (std::size_t i = 0; i < doubts.size();) {
    const std::size_t at = doubts[i].at;
    if (strings && !strings->go_to(at)) return;
    const std::size_t string = strings ? strings->begin() : 0;
    const std::size_t string_end = strings ? strings->end() : line.size();
    if (at < string) {
      ++i;
      continue;
    }
    // Together with those that follow closely.
    const std::size_t before = doubts[i].is_long ? kLong : kShort / 2;
    std::size_t begin = std::max(string, at - std::min(at, before));
    std::size_t end = at;
    Reading reading;
    for (; i < doubts.size() && doubts[i].at <= std::min(end, string_end); ++i) {
      end = std::max(end, doubts[i].at + (doubts[i].is_long ? kLong : kShort));
      reading.is_veiled = reading.is_veiled || doubts[i].is_veiled;
      reading.in_array = reading.in_array || doubts[i].in_array;
    }
    // No part of a word, which would look like another.
    end = std::min(end, string_end);
    while (begin > string && begin < at && ascii::is_word(line[begin - 1]) && ascii::is_word(line[begin]))
      ++begin;
    while (end < string_end && end > at && ascii::is_word(line[end - 1]) && ascii::is_word(line[end]))
      --end;
    begin = redaction::begin_of_escapes(line, begin, string);
    find_unescaped(line, begin, end, strings.has_value(), reading, layers, out);
  }
}

// A record that names a file of secrets, or follows one that does: the strings in it that are texts of several lines or
// settings may be what the file contains. Those of identifiers are not.
void find_in_texts(std::string_view line, std::size_t at, std::vector<Secret>& out) {
  constexpr std::size_t kReach = 16'384;
  JsonStrings strings(line);
  Unescaped text;
  std::vector<Secret> found;
  for (std::size_t next = at - std::min(at, kReach); strings.go_to(next) && strings.begin() < line.size();
       next = strings.end() + 1) {
    if (strings.begin() > at + kReach) return;
    const std::string_view string = line.substr(strings.begin(), std::min(strings.end() - strings.begin(), kReach));
    if (string.find("\\n") == std::string_view::npos && string.find('=') == std::string_view::npos) continue;
    redaction::unescape(string, text);
    found.clear();
    redaction::LookAhead ahead(text.text);
    redaction::find_in_secret_file(text.text, ahead, found);
    for (const Secret& s : found)
      out.push_back({strings.begin() + text.origin[s.begin], strings.begin() + text.origin[s.end], s.kind});
  }
}

bool is_number(std::string_view s) { return std::all_of(s.begin(), s.end(), ascii::is_digit); }

// Cuts secrets to what may change in JSON: inside of strings, and no part of an escape sequence. Outside of strings
// JSON has only numbers that could be meant, and those stay numbers (kind empty); anything else there shows that the
// line is no JSON, and is masked as it stands.
void fit_to_json(std::string_view line, std::vector<Secret>& secrets) {
  if (!line.starts_with('{') && !line.starts_with('[')) return;
  std::vector<Secret> out;
  std::size_t at = 0;
  bool inside = false;
  const auto unit_at = [&] { return inside && line[at] == '\\' ? redaction::escape_length(line.substr(at)) : 1; };
  for (Secret s : secrets) {
    while (at < s.begin) {
      const std::size_t unit = unit_at();
      if (at + unit > s.begin) {
        s.begin = at;
        break;
      }
      if (line[at] == '"') inside = !inside;
      at += unit;
    }
    if (!inside && line.substr(s.begin, s.end - s.begin).find('"') == std::string_view::npos) {
      if (is_number(line.substr(s.begin, s.end - s.begin))) s.kind = {};
      out.push_back(s);
      continue;
    }
    // A block over several strings, as those of an array are, goes string by string.
    while (at < s.end) {
      if (line[at] == '"') {
        inside = !inside;
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < s.end && line[at] != '"')
        at += unit_at();
      if (inside) out.push_back({begin, at, s.kind});
    }
  }
  secrets = std::move(out);
}

std::string_view short_form(std::size_t room) {
  constexpr std::string_view kShort = "[redacted]";
  return room >= kShort.size() ? kShort : std::string_view("***").substr(0, std::min<std::size_t>(room, 3));
}

void replace(std::span<char> line, const std::vector<Secret>& secrets) {
  constexpr std::size_t kAround = std::string_view("[redacted:]").size();
  std::size_t secret_bytes = 0;
  std::size_t mask_bytes = 0;
  for (const Secret& s : secrets) {
    secret_bytes += s.end - s.begin;
    mask_bytes += s.kind.empty() ? s.end - s.begin : kAround + s.kind.size();
  }
  const bool all_fit = mask_bytes <= secret_bytes;
  const std::string before(line.begin(), line.end());
  std::string out;
  out.reserve(before.size());
  std::size_t done = 0;
  for (const Secret& s : secrets) {
    out.append(before, done, s.begin - done);
    const std::size_t room = s.end - s.begin;
    if (s.kind.empty())
      out.append(room, '1');
    else if (all_fit || room >= kAround + s.kind.size())
      out.append("[redacted:").append(s.kind).append("]");
    else
      out.append(short_form(room));
    done = s.end;
  }
  out.append(before, done);
  out.resize(line.size(), ' ');
  // A carriage return stays the last byte of its line.
  if (before.ends_with('\r') && out.back() == ' ') {
    out.erase(out.find_last_not_of(' '), 1);
    out += '\r';
  }
  std::memcpy(line.data(), out.data(), out.size());
}

enum class What { all, only_private };

// Masks what was found. Returns how much that is.
std::size_t mask_found(std::span<char> line, std::vector<Secret>& secrets) {
  if (secrets.empty()) return 0;
  const std::string_view text(line.data(), line.size());
  mask_whole_characters(text, secrets);
  sort_and_join(secrets);
  fit_to_json(text, secrets);
  sort_and_join(secrets);
  if (!secrets.empty()) replace(line, secrets);
  return secrets.size();
}

// Records for which a file counts that the last of them named: a call, what it printed, and what is between.
constexpr int kRecordsOfFile = 3;

std::size_t mask_line(std::span<char> line, What what, int& of_file) {
  const std::string_view text(line.data(), line.size());
  std::vector<Secret> secrets;
  Signs signs;
  if (what == What::all) redaction::secret_finder().find(text, secrets, signs);
  if (what == What::only_private || signs.may_be_private) redaction::find_private_in_line(text, secrets);
  for (const Secret& s : secrets)
    signs.doubts.push_back({s.begin, s.kind == "private_key", false, false});
  if (what == What::all && !signs.doubts.empty()) find_in_strings(text, signs.doubts, secrets);
  const bool is_named = signs.of_file != std::string_view::npos;
  if ((is_named || of_file > 0) && text.starts_with('{')) find_in_texts(text, is_named ? signs.of_file : 0, secrets);
  of_file = is_named ? kRecordsOfFile : of_file - 1;
  return mask_found(line, secrets);
}

// Runs `mask` on each line until it masks nothing more.
template <class F>
std::size_t mask_lines(std::span<char> lines, F&& mask) {
  std::size_t masked = 0;
  while (!lines.empty()) {
    const void* newline = std::memchr(lines.data(), '\n', lines.size());
    const std::size_t length =
        newline == nullptr ? lines.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - lines.data());
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t n = mask(lines.first(length));
      if (n == 0) break;
      masked += n;
    }
    lines = lines.subspan(std::min(length + 1, lines.size()));
  }
  return masked;
}

}  // namespace

std::size_t mask_records(std::span<char> lines) {
  int of_file = 0;
  return mask_lines(lines, [&](std::span<char> line) { return mask_line(line, What::all, of_file); });
}

std::size_t mask_record(std::string& record) { return mask_records(std::span(record.data(), record.size())); }

std::size_t mask_private(std::span<char> lines) {
  int of_file = 0;
  return mask_lines(lines, [&](std::span<char> line) { return mask_line(line, What::only_private, of_file); });
}

std::size_t mask_forgotten(std::span<char> lines, const redaction::ForgottenTexts& texts) {
  if (texts.is_empty()) return 0;
  std::vector<Secret> secrets;
  return mask_lines(lines, [&](std::span<char> line) {
    secrets.clear();
    texts.find_escaped({line.data(), line.size()}, secrets);
    return mask_found(line, secrets);
  });
}

bool redact_forgotten(std::string& text, const redaction::ForgottenTexts& texts) {
  std::vector<Secret> found;
  texts.find_escaped(text, found);
  mask_whole_characters(text, found);
  sort_and_join(found);
  if (!found.empty()) text = without(text, found);
  return !found.empty();
}

bool may_be_private(std::string_view lines) { return redaction::may_be_private(lines); }

}  // namespace memd
