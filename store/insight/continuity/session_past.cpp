#include "store/insight/continuity/session_past.hpp"

#include "schemas/base/reflected_name.hpp"
#include "store/text/plain_text.hpp"

#include <algorithm>

namespace memd::continuity {
namespace {

constexpr std::size_t kSummaryBytes = 120;  // maximum length of a message's one-line summary; a cut one ends with "…"

// A message as recorded by its event.
struct Mark {
  std::int64_t seq = 0;
  std::string summary;
  std::size_t age = 0;
};

struct Marks {
  std::vector<Mark> agent;
  std::vector<Mark> meanwhile;
};

bool begins_with(std::string_view text, const std::string& summary) {
  // The summary of the whole text matches the start of the text.
  return first_line(text.substr(0, std::min<std::size_t>(text.size(), 4 * kSummaryBytes)), kSummaryBytes) == summary;
}

// Returns the start of the next message that matches the mark, at a paragraph at or after `from`; npos if there is
// none.
std::size_t find_message(std::string_view column, std::size_t from, const std::string& summary) {
  for (std::size_t at = from; at < column.size();) {
    if (begins_with(column.substr(at), summary)) return at;
    const auto next = column.find("\n\n", at);
    if (next == std::string_view::npos) break;
    at = next + 2;
  }
  return std::string_view::npos;
}

struct Piece {
  std::size_t begin = 0;
  std::size_t age = 0;
};

// Assigns each message its earliest possible position. No message is then placed too late, and the cut is at or before
// the first message after the boundary.
std::size_t place_messages(std::string_view column, const std::vector<Mark>& marks, std::int64_t boundary,
                           std::vector<Piece>& out) {
  std::size_t from = 0;
  for (const Mark& mark : marks) {
    const std::size_t at = find_message(column, from, mark.summary);
    if (mark.seq >= boundary) return at == std::string_view::npos ? from : at;
    if (at == std::string_view::npos) continue;
    out.push_back({at, mark.age});
    from = std::min(column.size(), std::max(at + 1, column.find("\n\n", at)));
    while (from < column.size() && column[from] == '\n')
      ++from;
  }
  return column.size();
}

void add_texts(SessionPast& past, std::size_t exchange, Speaker speaker, std::string& column,
               const std::vector<Mark>& marks, std::size_t age) {
  std::vector<Piece> pieces;
  const std::size_t end = place_messages(column, marks, past.boundary.seq, pieces);
  column.resize(std::min(end, column.size()));
  while (!column.empty() && column.back() == '\n')
    column.pop_back();
  if (column.empty()) return;
  if (pieces.empty() || pieces.front().begin > 0)
    pieces.insert(pieces.begin(), {0, pieces.empty() ? age : pieces.front().age});
  const std::string_view whole = column;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t next = i + 1 < pieces.size() ? pieces[i + 1].begin : whole.size();
    past.texts.push_back({speaker, whole.substr(pieces[i].begin, next - pieces[i].begin), pieces[i].age, exchange});
  }
}

}  // namespace

void cut_messages(SessionPast& past, std::span<const MessageAfterBoundary> after_boundary) {
  std::vector<Marks> marks(past.exchanges.size());
  const std::size_t oldest = past.events.empty() ? 0 : past.events.front().age;
  std::vector<std::size_t> opened(past.exchanges.size(), oldest);  // ages of the first and the last event by exchange
  std::vector<std::size_t> ended(past.exchanges.size(), oldest);
  for (const PastEvent& e : past.events) {
    Marks& m = marks[e.exchange];
    if (e.seq == past.exchanges[e.exchange].first_seq) opened[e.exchange] = e.age;
    ended[e.exchange] = e.age;
    if (e.kind == EventKind::assistant_msg)
      m.agent.push_back({e.seq, e.summary, e.age});
    else if (e.kind == EventKind::human_intervention ||
             (e.kind == EventKind::user_msg && e.seq != past.exchanges[e.exchange].first_seq))
      m.meanwhile.push_back({e.seq, e.summary, e.age});
  }
  if (!marks.empty()) {
    for (const MessageAfterBoundary& m : after_boundary)
      (m.speaker == Speaker::agent ? marks.back().agent : marks.back().meanwhile).push_back({m.seq, m.summary, 0});
    auto& meanwhile = marks.back().meanwhile;
    std::sort(meanwhile.begin(), meanwhile.end(), [](const Mark& a, const Mark& b) { return a.seq < b.seq; });
  }
  for (std::size_t i = 0; i < past.exchanges.size(); ++i) {
    ExchangeRow& row = past.exchanges[i];
    if (!row.user_message.empty()) past.texts.push_back({Speaker::user, row.user_message, opened[i], i});
    add_texts(past, i, Speaker::meanwhile, row.interventions, marks[i].meanwhile, ended[i]);
    add_texts(past, i, Speaker::agent, row.assistant_response, marks[i].agent, ended[i]);
  }
}

std::string_view to_string(BoundaryKind kind) { return reflect::enum_name(kind, "end"); }

const PastEvent* SessionPast::event(std::int64_t seq) const {
  const auto it =
      std::lower_bound(events.begin(), events.end(), seq, [](const PastEvent& e, std::int64_t s) { return e.seq < s; });
  return it != events.end() && it->seq == seq ? &*it : nullptr;
}

std::string_view SessionPast::full_text(std::int64_t seq) const {
  const auto it = full_texts.find(seq);
  return it == full_texts.end() ? std::string_view{} : std::string_view(it->second);
}

}  // namespace memd::continuity
