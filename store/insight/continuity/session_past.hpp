#pragma once

#include "schemas/query.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What a session had been before a moment of it: the rows, and exactly those. Plain values, one thread at a time;
// store/read/session_past loads them.
namespace memd::continuity {

enum class BoundaryKind { end, compaction, microcompaction };
std::string_view to_string(BoundaryKind kind);

// Where the past of a session ends.
struct Boundary {
  BoundaryKind kind = BoundaryKind::end;
  std::int64_t seq = 0;  // of the marker; events with smaller numbers came before
  TimeMs time = 0;
  std::string detail;                       // what the platform says of it: "auto, 167094 tokens before"
  std::int64_t number = 0;                  // among the session's boundaries, from 1; 0: the end
  std::int64_t count = 0;                   // boundaries of the session
  std::optional<std::int64_t> summary_seq;  // the platform's own summary of what came before
};

struct BoundaryChoice {
  enum class At { latest_compaction, end, number } at = At::latest_compaction;
  std::int64_t number = 0;  // of At::number
};

struct PastEvent {
  std::int64_t seq = 0;
  TimeMs time = 0;
  EventKind kind{};
  std::optional<std::int64_t> pair_seq;
  std::string tool;
  std::string summary;  // one line
  std::string path;     // of the file a call is about; absolute where the agent says so
  ToolFacts facts;
  std::size_t text_bytes = 0;  // of what the store once read of it, at most 3 more than there were
  bool failed = false;
  bool derived = false;      // by memd, from what another event says
  bool modifies = false;     // a call that changes the file
  std::size_t age = 0;       // messages and calls between it and the boundary
  std::size_t exchange = 0;  // index into SessionPast::exchanges

  // Whether `summary` is the whole text.
  bool is_told_by_summary() const { return text_bytes <= summary.size() + 3 && !summary.ends_with("…"); }
};

enum class Speaker { user, meanwhile, agent };  // meanwhile: words of the person while the agent worked

// One message.
struct PastText {
  Speaker speaker{};
  std::string_view text;  // inside SessionPast::exchanges
  std::size_t age = 0;
  std::size_t exchange = 0;
};

struct SessionPast {
  Boundary boundary;
  std::vector<ExchangeRow>
      exchanges;                  // oldest first; the first of the session, then the latest; texts end at the boundary
  std::vector<PastEvent> events;  // oldest first, of those exchanges; no subagents, no thinking
  std::vector<PastText> texts;    // oldest first
  std::string cwd;                // at the boundary
  std::string branch;
  bool worked_on = false;               // messages or calls stand behind the boundary
  std::int64_t exchanges_left_out = 0;  // between the first and the latest
  // Full texts of events, where the caller has fetched them: see texts_to_fetch().
  std::map<std::int64_t, std::string> full_texts;

  SessionPast() = default;
  SessionPast(SessionPast&&) = default;
  SessionPast& operator=(SessionPast&&) = default;

  const PastEvent* event(std::int64_t seq) const;
  // The full text of an event; empty if it was not fetched.
  std::string_view full_text(std::int64_t seq) const;
};

// At most so many exchanges and events are loaded, the latest before the boundary.
inline constexpr std::int64_t kPastExchanges = 80;
inline constexpr std::int64_t kPastEvents = 6000;

// A message of the last exchange that came behind the boundary.
struct MessageBehind {
  std::int64_t seq = 0;
  Speaker speaker = Speaker::agent;
  std::string summary;  // as its event has it
};

// The columns of an exchange hold the texts of all its messages, also of those behind the boundary. Takes what came
// behind out of the last exchange, and cuts all into messages (SessionPast::texts). A message of the past may come out
// short where two begin alike; one of the future never comes in.
void cut_messages(SessionPast& past, std::span<const MessageBehind> behind);

}  // namespace memd::continuity
