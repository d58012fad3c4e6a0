#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/share.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// Questions to the rows of a team's database, asked while other work is done.
namespace memd::team {

// An exchange of another machine.
struct TeamHead {
  std::string session_uid;
  std::int64_t number = 0;  // of the exchange in its session
  std::string who;          // "ada@laptop"
  std::string agent;
  std::string title;
  TimeMs started_at = 0;  // of an observation its time
};

struct TeamTurn : TeamHead {
  std::string question;
  std::string answer;
};

struct TeamHit : TeamTurn {
  std::int64_t length = 0;  // words
  double bm25 = 0;          // as RankingFeatures
  double coverage = 0;
  std::optional<double> cosine{};  // nullopt: not known
  double dense_z = 0;
};

struct TeamNeighbour : TeamTurn {  // without texts if the question named it
  std::int64_t length = 0;         // words
  double cosine = 0;               // of the nearest one of its vectors
  // Of the question to the texts of the share, all of them or a sample.
  double highest = 0;
  double mean = 0;
  double deviation = 0;
  std::int64_t sample = 0;  // number of vectors
};

struct TeamFileUse : TeamTurn {
  TeamFileChange change;
};

struct TeamFinding : TeamHead {
  std::string type;  // of an observation
  std::string content;
};

// A memory of another machine.
struct TeamMemoryHit {
  std::string slug;
  std::string who;
  std::string type;
  std::string title;
  std::string tags;  // separated by blanks
  TimeMs updated = 0;
  std::string content;
  std::int64_t length = 0;  // words
  double bm25 = 0;          // as RankingFeatures
  double coverage = 0;
};

// Conditions of all questions.
struct TeamScope {
  std::string project;
  TimeMs since = 0;                 // inclusive; 0: open
  TimeMs until = 0;                 // exclusive; 0: open
  std::vector<std::string> agents;  // empty: all
  int most = 20;                    // rows of the answer
};

// The questions; each has the type of its answer's rows.
struct TeamSearch {
  using Row = TeamHit;             // best first
  std::vector<std::string> words;  // as tsquery writes them, with their quotes
  std::vector<std::string> without;
};
struct TeamNear {
  using Row = TeamNeighbour;  // nearest first
  std::string model;
  std::vector<std::int8_t> vector;        // of the question
  std::vector<std::string> session_uids;  // of exchanges to be compared, too
  std::vector<std::int64_t> numbers;      // of them
  std::vector<std::string> without;       // as TeamSearch
};
struct TeamTurns {
  using Row = TeamTurn;  // newest first
  std::string session_uid;
  std::int64_t before = 0;  // a number
};
struct TeamFileHistory {
  using Row = TeamFileUse;  // newest first
  std::string path;         // its end, or a path that ends with what is below the project's directory
};
struct TeamObservations {
  using Row = TeamFinding;  // newest first
  std::string type;         // empty: all
};

struct TeamMemories {              // of the scope only the project and the number of rows count
  using Row = TeamMemoryHit;       // best first; without words those changed last
  std::vector<std::string> words;  // as TeamSearch
  std::vector<std::string> without;
  std::string type;  // empty: all
};
struct TeamMemoryOfSlug {     // of the scope only the project counts
  using Row = TeamMemoryHit;  // one, that was changed last; no words, so no weights
  std::string slug;
};

class TeamInquiries;
struct TeamLine;  // a connection

// A question under way. For one thread; TeamInquiries must outlive it.
template <class Row>
class TeamInquiry {
 public:
  using Time = std::chrono::steady_clock::time_point;
  ~TeamInquiry();
  TeamInquiry(TeamInquiry&&) noexcept;

  // Waits until `deadline` and returns the rows. Errc::busy: no answer came in time. Other errors as for TeamDatabase.
  // Call it once.
  Result<std::vector<Row>> answer(Time deadline);

 private:
  friend class TeamInquiries;
  TeamInquiry(TeamInquiries& from, std::string url, std::string sql);

  TeamInquiries* from_;
  std::string url_;
  std::string sql_;
  std::unique_ptr<TeamLine> line_;
};

// Asks databases, and keeps some connections for the next question. Thread-safe.
class TeamInquiries {
 public:
  TeamInquiries();
  ~TeamInquiries();

  // Begins to ask what the login may see; returns at once, but for the resolution of a host's name. The server gives up
  // after `patience`.
  template <class Question>
  TeamInquiry<typename Question::Row> ask(const std::string& url, const TeamScope& scope, const Question& question,
                                          std::chrono::milliseconds patience);

 private:
  template <class Row>
  friend class TeamInquiry;
  std::unique_ptr<TeamLine> take(const std::string& url);
  void give_back(const std::string& url, std::unique_ptr<TeamLine> line);

  std::mutex mutex_;
  std::multimap<std::string, std::unique_ptr<TeamLine>> idle_;  // by URL; guarded by mutex_
};

}  // namespace memd::team
