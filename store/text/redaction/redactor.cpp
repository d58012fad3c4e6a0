#include "store/text/redaction/redactor.hpp"

#include "schemas/ascii.hpp"
#include "store/text/redaction/assignment.hpp"
#include "store/text/redaction/escaped_text.hpp"
#include "store/text/redaction/private_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace memd::redaction {
namespace {

// Every secret has one of these bytes at a known place.
constexpr std::array<bool, 256> make_triggers() {
  std::array<bool, 256> t{};
  for (const char c : {'_', '-', '.', 'J', 'I', ':', '='})
    t[static_cast<unsigned char>(c)] = true;
  return t;
}
constexpr auto kTriggers = make_triggers();

std::size_t next_trigger(std::string_view s, std::size_t at) {
  const auto* p = reinterpret_cast<const unsigned char*>(s.data());
  const std::size_t n = s.size();
  for (; at + 4 <= n; at += 4) {
    if (kTriggers[p[at]]) return at;
    if (kTriggers[p[at + 1]]) return at + 1;
    if (kTriggers[p[at + 2]]) return at + 2;
    if (kTriggers[p[at + 3]]) return at + 3;
  }
  for (; at < n; ++at)
    if (kTriggers[p[at]]) return at;
  return n;
}

// user:password@ may follow.
bool names_a_user(std::string_view text, std::size_t at) {
  constexpr std::size_t kReach = 512;
  const std::string_view near = text.substr(at, kReach);
  return near.find('@') < near.find('"');
}

Secret examine(std::string_view text, std::size_t at, std::size_t floor, bool& doubtful) {
  switch (text[at]) {
    case '_': return token_at_underscore(text, at, floor);
    case '-': return token_at_dash(text, at, floor, doubtful);
    case '.': return token_at_dot(text, at, floor);
    case 'J':
    case 'I': return token_at_letter(text, at, floor);
    case ':':
      if (at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '\\')) {
        doubtful = doubtful || (text.substr(at + 1, 8).find('/') < 4 && names_a_user(text, at));
        if (text.substr(at, 3) == "://") return url_secret(text, at);
      }
      if (const Secret s = token_at_colon(text, at, floor, doubtful)) return s;
      return assigned_secret(text, at, doubtful);
    case '=': return assigned_secret(text, at, doubtful);
    default: return {};
  }
}

// The first secret whose trigger byte stands at or behind `at`, which moves there; it begins at `floor` at the
// earliest. None: `at` is the size of the text. `doubtful` is set when something looked like the beginning of a secret
// and was none, as escape sequences in the text would have it.
Secret next_secret(std::string_view text, std::size_t& at, std::size_t floor, bool& doubtful) {
  for (at = next_trigger(text, at); at < text.size(); at = next_trigger(text, at + 1))
    if (const Secret s = examine(text, at, floor, doubtful)) return s;
  return {};
}

Secret next_secret(std::string_view text, std::size_t& at, std::size_t floor) {
  bool doubtful = false;
  return next_secret(text, at, floor, doubtful);
}

}  // namespace
}  // namespace memd::redaction

namespace memd {

bool has_secret(std::string_view text) {
  std::size_t at = 0;
  if (redaction::next_secret(text, at, 0)) return true;
  std::vector<redaction::Secret> marked;
  redaction::find_private(text, marked);
  return !marked.empty();
}

namespace {

void put_mask(std::string& out, std::string_view kind) {
  out += "[redacted:";
  out += kind;
  out += ']';
}

bool redact_private(std::string& text) {
  std::vector<redaction::Secret> marked;
  redaction::find_private(text, marked);
  if (marked.empty()) return false;
  std::string out;
  std::size_t done = 0;
  for (const auto& s : marked) {
    out.append(text, done, s.begin - done);
    put_mask(out, s.kind);
    done = s.end;
  }
  out.append(text, done);
  text = std::move(out);
  return true;
}

}  // namespace

bool redact(std::string& text) {
  const bool was_private = redact_private(text);
  std::size_t at = 0;
  redaction::Secret secret = redaction::next_secret(text, at, 0);
  if (!secret) return was_private;
  std::string out;
  out.reserve(text.size() + 64);
  std::size_t done = 0;
  while (secret) {
    out.append(text, done, secret.begin - done);
    put_mask(out, secret.kind);
    done = at = secret.end;
    secret = redaction::next_secret(text, at, done);
  }
  out.append(text, done);
  text = std::move(out);
  return true;
}

void mask_secrets(EventBatch& batch) {
  if (batch.secrets_masked) return;
  for (auto& e : batch.events) {
    for (auto* text :
         {&e.text, &e.summary, &e.search_text, &e.tool, &e.call_id, &e.lifecycle, &e.cwd, &e.git_branch, &e.model})
      redact(*text);
    for (auto& file : e.files)
      redact(file.path);
    for (auto& command : e.facts.commands) {
      redact(command.line);
      redact(command.directory);
    }
    if (e.facts.todos)
      for (auto& item : e.facts.todos->items) {
        redact(item.key);
        redact(item.text);
      }
    redact(e.text_end);
    redact(e.pull_request);
  }
  for (auto& u : batch.sessions) {
    for (auto* text : {&u.title, &u.description, &u.parent_call_id, &u.agent_name, &u.project_hint, &u.cwd,
                       &u.git_branch, &u.model, &u.repo})
      redact(*text);
    if (!u.record) continue;
    for (auto* text : {&u.record->cwd, &u.record->git_branch, &u.record->model})
      redact(*text);
    if (!u.record->digest) continue;
    KeptDigest& digest = *u.record->digest;
    for (auto* text : {&digest.request, &digest.result, &digest.abstract})
      redact(*text);
    for (auto& error : digest.errors)
      redact(error.text);
  }
  for (auto& entry : batch.coverage)
    redact(entry.record_type);
  batch.secrets_masked = true;
}

namespace {

using redaction::Secret;
using redaction::Unescaped;

void find_all(std::string_view text, std::vector<Secret>& out, bool& doubtful) {
  std::size_t at = 0;
  std::size_t floor = 0;
  while (const Secret s = redaction::next_secret(text, at, floor, doubtful)) {
    out.push_back(s);
    floor = at = s.end;
  }
}

// Behind the closing quote of the string that begins at `begin`, or the end of the line.
std::size_t end_of_string(std::string_view line, std::size_t begin) {
  std::size_t i = begin;
  while (i < line.size() && line[i] != '"')
    i += line[i] == '\\' ? redaction::escape_length(line.substr(i)) : 1;
  return std::min(i, line.size());
}

// What a reader of the strings would see: once unescaped, and unescaped again.
void find_in_strings(std::string_view line, std::vector<Secret>& out) {
  Unescaped once;
  Unescaped twice;
  std::vector<Secret> found;
  bool ignored = false;
  const bool json = line.starts_with('{') || line.starts_with('[');
  for (std::size_t i = json ? line.find('"') : 0; i < line.size(); i = line.find('"', i)) {
    const std::size_t begin = json ? i + 1 : 0;
    const std::size_t end = json ? end_of_string(line, begin) : line.size();
    i = std::min(end + 1, line.size());
    const std::string_view string = line.substr(begin, end - begin);
    if (string.find('\\') == std::string_view::npos) continue;
    redaction::unescape(string, once);
    found.clear();
    find_all(once.text, found, ignored);
    for (const Secret& s : found)
      out.push_back({begin + once.origin[s.begin], begin + once.origin[s.end], s.kind});
    redaction::unescape(once.text, twice);
    if (!twice.changed) continue;
    found.clear();
    find_all(twice.text, found, ignored);
    for (const Secret& s : found)
      out.push_back({begin + once.origin[twice.origin[s.begin]], begin + once.origin[twice.origin[s.end]], s.kind});
  }
}

void sort_and_join(std::vector<Secret>& secrets) {
  std::sort(secrets.begin(), secrets.end(), [](const Secret& a, const Secret& b) { return a.begin < b.begin; });
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

bool is_number(std::string_view s) { return std::all_of(s.begin(), s.end(), ascii::is_digit); }

// Moves the ends of secrets to where a JSON string can be cut: not inside an escape sequence, not over its quotes.
// Outside strings JSON has only numbers that could be meant, and those stay numbers (kind empty); anything else there
// shows that the line is no JSON, and is masked as it stands.
void fit_to_json(std::string_view line, std::vector<Secret>& secrets) {
  if (!line.starts_with('{') && !line.starts_with('[')) return;
  std::size_t at = 0;
  bool inside = false;
  for (Secret& s : secrets) {
    while (at < s.begin) {
      const std::size_t unit = inside && line[at] == '\\' ? redaction::escape_length(line.substr(at)) : 1;
      if (at + unit > s.begin) {
        s.begin = at;
        break;
      }
      if (line[at] == '"') inside = !inside;
      at += unit;
    }
    if (!inside) {
      if (is_number(line.substr(s.begin, s.end - s.begin))) s.kind = {};
      continue;
    }
    while (at < s.end && line[at] != '"')
      at += line[at] == '\\' ? redaction::escape_length(line.substr(at)) : 1;
    s.end = at;
  }
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

std::size_t mask_line(std::span<char> line, What what) {
  const std::string_view text(line.data(), line.size());
  std::vector<Secret> secrets;
  redaction::find_private_in_line(text, secrets);
  if (what == What::all) {
    bool doubtful = false;
    find_all(text, secrets, doubtful);
    if ((doubtful || !secrets.empty()) && text.find('\\') != std::string_view::npos) find_in_strings(text, secrets);
  }
  if (secrets.empty()) return 0;
  sort_and_join(secrets);
  fit_to_json(text, secrets);
  sort_and_join(secrets);
  if (!secrets.empty()) replace(line, secrets);
  return secrets.size();
}

std::size_t mask_lines(std::span<char> lines, What what) {
  std::size_t masked = 0;
  while (!lines.empty()) {
    const void* newline = std::memchr(lines.data(), '\n', lines.size());
    const std::size_t length =
        newline == nullptr ? lines.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - lines.data());
    // What masking uncovers is masked too.
    for (int round = 0; round < 3; ++round) {
      const std::size_t n = mask_line(lines.first(length), what);
      if (n == 0) break;
      masked += n;
    }
    lines = lines.subspan(std::min(length + 1, lines.size()));
  }
  return masked;
}

}  // namespace

std::size_t mask_records(std::span<char> lines) { return mask_lines(lines, What::all); }

std::size_t mask_record(std::string& record) { return mask_records(std::span(record.data(), record.size())); }

std::size_t mask_private(std::span<char> lines) { return mask_lines(lines, What::only_private); }

bool may_be_private(std::string_view lines) { return redaction::may_be_private(lines); }

}  // namespace memd
