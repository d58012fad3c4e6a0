#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// Questions to the rows of a team's database, asked while other work is done.
namespace memd::team {

struct TeamQuestion {
  std::string project;
  std::vector<std::string> words;  // as tsquery writes them, with their quotes
  std::vector<std::string> without;
  TimeMs since = 0;                 // inclusive; 0: open
  TimeMs until = 0;                 // exclusive; 0: open
  std::vector<std::string> agents;  // empty: all
  int most = 20;
};

struct TeamHit {
  std::string session_uid;
  std::int64_t number = 0;  // of the exchange in its session
  std::string who;          // "ada@laptop"
  std::string agent;
  std::string title;
  TimeMs started_at = 0;
  std::int64_t length = 0;  // words
  double bm25 = 0;          // as RankingFeatures
  double coverage = 0;
  std::string question;
  std::string answer;
};

class TeamInquiries;

// A question under way. For one thread; TeamInquiries must outlive it.
class TeamInquiry {
 public:
  using Time = std::chrono::steady_clock::time_point;
  ~TeamInquiry();
  TeamInquiry(TeamInquiry&&) noexcept;

  // Waits until `deadline` and returns the hits, best first. Errc::busy: no answer came in time. Other errors as for
  // TeamDatabase. Call it once.
  Result<std::vector<TeamHit>> answer(Time deadline);

 private:
  friend class TeamInquiries;
  struct Line;  // a connection
  TeamInquiry(TeamInquiries& from, std::string url, std::string sql);
  void give_back();

  TeamInquiries* from_;
  std::string url_;
  std::string sql_;
  std::unique_ptr<Line> line_;
};

// Asks databases, and keeps the connections for the next question. Thread-safe.
class TeamInquiries {
 public:
  TeamInquiries();
  ~TeamInquiries();

  // Begins to ask; returns at once, but for the resolution of a host's name. The server gives up after `patience`.
  TeamInquiry ask(const std::string& url, const TeamQuestion& question, std::chrono::milliseconds patience);
  // The exchange with this number, if the login may see it: one hit or none.
  TeamInquiry look_up(const std::string& url, const std::string& project, const std::string& session_uid,
                      std::int64_t number, std::chrono::milliseconds patience);

 private:
  friend class TeamInquiry;
  std::mutex mutex_;
  std::multimap<std::string, std::unique_ptr<TeamInquiry::Line>> idle_;  // by URL; guarded by mutex_
};

}  // namespace memd::team
