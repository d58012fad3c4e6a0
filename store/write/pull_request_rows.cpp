#include "store/write/pull_request_rows.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace memd::assembly {
namespace {

// Of a call's line; what stands behind it may be cut off where the call is read back from its row.
constexpr std::size_t kPullRequestCallBytes = 100;
constexpr std::size_t kMostBytes = 300;  // of an address
constexpr std::string_view kScheme = "https://";
constexpr std::array<std::string_view, 4> kKinds{"/pull/", "/pulls/", "/-/merge_requests/", "/pull-requests/"};
constexpr std::array<std::string_view, 2> kOpeners{"gh pr create", "glab mr create"};

// What tools that open one are called, whatever their server: "mcp__github__create_pull_request", "createPullRequest".
constexpr std::array<std::string_view, 3> kOpeningTools{"createpullrequest", "createmergerequest", "openpullrequest"};
// Where their JSON tells the address for people; GitHub's "url" may be the one for programs.
constexpr std::array<std::string_view, 3> kAddressKeys{"html_url", "web_url", "url"};

bool opens_pull_requests(std::string_view tool) {
  std::string letters;
  for (const char c : tool)
    if (c != '_' && c != '-') letters += ascii::lower(c);
  return std::any_of(kOpeningTools.begin(), kOpeningTools.end(),
                     [&](std::string_view name) { return letters.ends_with(name); });
}

bool is_of_address(char c) {
  return ascii::is_alnum(c) || std::string_view("-._~:/").find(c) != std::string_view::npos;
}

void save(sqlite::Database& db, EventRows& events, const SessionWork& session, std::string_view url, const Event& event,
          std::int64_t seq) {
  events.write();  // which the row refers to
  const auto exchange = session.has_draft ? std::optional(session.draft.number) : std::nullopt;
  db.prepare(
        "INSERT OR IGNORE INTO pull_requests (session_pk, event_seq, url, exchange_number, time)"
        " VALUES (?, ?, ?, ?, ?)")
      .bind(session.pk, seq, url, exchange, event.time)
      .run();
}

}  // namespace

bool is_pull_request(std::string_view address) {
  if (address.size() > kMostBytes || !address.starts_with(kScheme)) return false;
  if (!std::all_of(address.begin(), address.end(), is_of_address)) return false;
  const auto number = address.find_last_not_of("0123456789") + 1;
  if (number == address.size()) return false;
  const std::string_view before = address.substr(0, number);
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](std::string_view k) { return before.ends_with(k); });
  if (kind == kKinds.end()) return false;
  // A host, an owner and a name.
  const std::string_view where = before.substr(kScheme.size(), before.size() - kScheme.size() - kind->size());
  return !where.starts_with('/') && !where.ends_with('/') && std::count(where.begin(), where.end(), '/') >= 2;
}

std::vector<std::string> pull_requests_in(std::string_view output) {
  std::vector<std::string> out;
  while (!output.empty()) {
    const auto end = std::min(output.find('\n'), output.size());
    const std::string_view line = ascii::trimmed(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (is_pull_request(line) && std::find(out.begin(), out.end(), line) == out.end()) out.emplace_back(line);
  }
  return out;
}

std::string pull_request_in_json(std::string_view json) {
  for (const std::string_view key : kAddressKeys) {
    for (auto at = json.find(key); at != std::string_view::npos; at = json.find(key, at + 1)) {
      if (at == 0 || json[at - 1] != '"') continue;
      // The document may be a string of another.
      const auto begin = json.find_first_not_of("\\\": \t\r\n", at + key.size());
      if (begin == std::string_view::npos) break;
      const auto end = std::find_if_not(json.begin() + static_cast<std::ptrdiff_t>(begin), json.end(), is_of_address);
      const auto length = static_cast<std::size_t>(end - json.begin()) - begin;
      const std::string_view address = json.substr(begin, length);
      const std::string_view behind = json.substr(begin + length, 1);
      if ((behind == "\"" || behind == "\\") && is_pull_request(address) && !address.starts_with("https://api."))
        return std::string(address);
    }
  }
  return {};
}

void save_pull_requests(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                        const Event& result, std::int64_t seq) {
  if (opens_pull_requests(call.tool)) {
    const std::string url = pull_request_in_json(result.text);
    if (!url.empty()) save(db, events, session, url, result, seq);
    return;
  }
  const std::string_view line = std::string_view(call.summary).substr(0, kPullRequestCallBytes);
  const bool opens = std::any_of(kOpeners.begin(), kOpeners.end(),
                                 [&](std::string_view o) { return line.find(o) != std::string_view::npos; });
  if (!opens) return;
  for (const std::string& url : pull_requests_in(result.text))
    save(db, events, session, url, result, seq);
}

void save_linked_pull_request(sqlite::Database& db, EventRows& events, const SessionWork& session, const Event& link,
                              std::int64_t seq) {
  const std::string_view text = link.summary;
  for (auto at = text.find(kScheme); at != std::string_view::npos; at = text.find(kScheme, at + 1)) {
    const auto word = text.substr(at, text.find(' ', at) - at);
    if (is_pull_request(word)) return save(db, events, session, word, link, seq);
  }
}

}  // namespace memd::assembly
