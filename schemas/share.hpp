#pragma once

#include "schemas/base/timestamp.hpp"

#include <cstdint>
#include <string>
#include <vector>

// Rows of what is shared (schemas/sql/0002_shares.sql, schemas/sql/team).
namespace memd {

struct ShareRow {
  std::int64_t pk = 0;
  std::string place;
  std::string project;
  std::string project_key;  // on this machine; empty: no agent has worked in one of the name yet
  std::string share_id;
  std::string invitation;  // empty: not sealed
};

struct SharedSessionRow {
  std::string session_uid;
  std::int64_t next_seq = 0;
  std::uint64_t last_event = 0;
  TimeMs ingested_at = 0;
  bool is_out = false;
};

struct SharedSegmentRow {
  std::string name;
  std::string machine;
  std::string session_uid;
  std::int64_t events = 0;
  std::int64_t bytes = 0;
  TimeMs known_at = 0;
};

// A file that an exchange changed, as a row of a team's database.
struct TeamFileChange {
  std::string path;  // below the project's directory; of other files the whole
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

struct TeamObservation {
  std::string type;
  TimeMs time = 0;
  std::string content;
};

// The vectors of an exchange, by the model that is part of memd: one for each chunk of its text, as signed bytes.
using TeamVectors = std::vector<std::vector<std::int8_t>>;

// An exchange as a row of a team's database.
struct TeamExchange {
  std::int64_t number = 0;  // in its session
  std::int64_t hash = 0;    // of its text
  TimeMs started_at = 0;
  std::int64_t length = 0;  // words
  std::string words;        // as tsvector writes them
  std::string question;
  std::string answer;
  std::vector<TeamFileChange> changes{};
  std::vector<TeamObservation> observations{};
  TeamVectors vectors{};
};

// A memory of a project, likewise.
struct TeamMemory {
  std::string slug;
  std::string hash;  // of its texts
  std::string type;
  std::string title;
  std::string tags;  // separated by blanks
  TimeMs updated = 0;
  std::int64_t length = 0;  // words
  std::string words;        // as TeamExchange, of title, tags and content
  std::string content;
};

// What syncs of shares did.
struct SyncSums {
  std::int64_t sent_segments = 0;
  std::int64_t sent_events = 0;
  std::int64_t taken_segments = 0;
  std::int64_t taken_events = 0;
  std::int64_t waiting = 0;  // segments of others that cannot be read now

  void add(const SyncSums& o) {
    sent_segments += o.sent_segments;
    sent_events += o.sent_events;
    taken_segments += o.taken_segments;
    taken_events += o.taken_events;
    waiting += o.waiting;
  }
};

}  // namespace memd
