#pragma once

#include "schemas/exchange_row.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The rows of a session before a given moment, without anything later. Plain values, one thread at a time; loaded by
// store/read/session_past.
namespace memd::continuity {

enum class BoundaryKind { end, compaction, microcompaction };
std::string_view to_string(BoundaryKind kind);

// The end of the past of a session.
struct Boundary {
  BoundaryKind kind = BoundaryKind::end;
  std::int64_t seq = 0;  // of the marker; events with smaller numbers are the past
  TimeMs time = 0;
  std::string detail;                       // the platform's note: "auto, 167094 tokens before"
  std::int64_t number = 0;                  // index among the session's boundaries, from 1; 0: the end
  std::int64_t count = 0;                   // number of the session's boundaries
  std::optional<std::int64_t> summary_seq;  // the platform's own summary of the past
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
  std::string path;     // of the file that a call concerns; absolute if the agent gives it so
  ToolFacts facts;
  std::size_t text_bytes = 0;  // length of the text when the store read it, at most 3 too high
  bool failed = false;
  bool derived = false;      // by memd, from another event
  bool modifies = false;     // a call that changes the file
  std::size_t age = 0;       // number of messages and calls between it and the boundary
  std::size_t exchange = 0;  // index into SessionPast::exchanges

  // Returns whether the agent calls it a failure, or stored an exit code and calls it none, as some do.
  bool has_failed() const { return failed || facts.exit_code.value_or(0) != 0; }
  // Returns whether `summary` is the whole text.
  bool is_complete_in_summary() const { return text_bytes <= summary.size() + 3 && !summary.ends_with("…"); }
};

enum class Speaker { user, meanwhile, agent };  // meanwhile: a message of the user while the agent worked

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
  bool worked_on = false;               // messages or calls follow the boundary
  std::int64_t exchanges_left_out = 0;  // between the first and the latest
  // Full texts of events that the caller has loaded; see texts_to_fetch().
  std::map<std::int64_t, std::string> full_texts;

  SessionPast() = default;
  SessionPast(SessionPast&&) = default;
  SessionPast& operator=(SessionPast&&) = default;

  const PastEvent* event(std::int64_t seq) const;
  // Returns the full text of an event; empty if it was not loaded.
  std::string_view full_text(std::int64_t seq) const;
};

// Maximum number of exchanges and events that are loaded, the latest before the boundary.
inline constexpr std::int64_t kPastExchanges = 80;
inline constexpr std::int64_t kPastEvents = 6000;

// A message of the last exchange that follows the boundary.
struct MessageAfterBoundary {
  std::int64_t seq = 0;
  Speaker speaker = Speaker::agent;
  std::string summary;  // as stored in its event
};

// Splits the exchanges into messages (SessionPast::texts). The columns of the last exchange also hold messages after
// the boundary, which are removed first. A message before the boundary may come out short when two start alike; a
// message after it is never included.
void cut_messages(SessionPast& past, std::span<const MessageAfterBoundary> after_boundary);

}  // namespace memd::continuity
