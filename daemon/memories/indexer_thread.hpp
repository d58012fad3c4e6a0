#pragma once

#include "daemon/background_thread.hpp"
#include "daemon/memories/memory_indexer.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace memd::memories {

// The thread of a MemoryIndexer. Sleeps until it is hinted about changes; hints in quick succession are processed
// together. Members are thread-safe. Owns the indexer.
class IndexerThread {
 public:
  IndexerThread(IndexerParts parts, const Clock& clock);
  ~IndexerThread();  // stops and waits

  void start();                                  // begins with a full comparison
  void hint(const std::filesystem::path& path);  // this file or directory changed
  void hint_everything();                        // hints were lost
  void hint_commit();                            // sessions may have begun in other projects
  void hint_project(const std::string& directory);
  // Waits until the full comparison of the start, and one with this directory if it is not empty, have been made. False
  // at the deadline, and while a comparison fails (trouble()).
  bool await_look(const std::string& directory, std::chrono::milliseconds deadline);
  // Rebuilds the rows and waits for it. Errc::cancelled: memd is stopping.
  Result<void> rebuild(std::string reason);
  // Waits until all earlier hints are processed and the vectors beside memories are written. False at the deadline.
  bool settle(std::chrono::milliseconds deadline);
  void stop();  // does not wait
  void join();
  std::string trouble() const;  // error because of which the rows may differ from the files; empty: none
  struct Looked {
    TimeMs at = 0;                                        // 0: not yet
    std::map<std::filesystem::path, std::string> unread;  // path and reason
    std::set<std::filesystem::path> stale_indexes;        // as MemoryIndexer::stale_indexes()
  };
  Looked looked() const;  // time and findings of the last comparison

 private:
  struct Hints {
    std::set<std::filesystem::path> paths;
    std::set<std::string> projects;
    bool everything = false;
    bool thorough = false;
    bool commit = false;
    std::vector<std::pair<std::string, std::promise<Result<void>>>> rebuilds;
    bool empty() const { return paths.empty() && projects.empty() && !everything && !commit && rebuilds.empty(); }
  };
  template <class F>
  void tell(F&& change);
  void wake();
  BackgroundThread::Next round(const std::stop_token& stop);
  void gather(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void deal_with(Hints hints);

  const Clock& clock_;
  MemoryIndexer indexer_;
  mutable std::mutex mutex_;
  std::condition_variable_any told_more_;  // ends a wait of gather()
  std::condition_variable settled_;
  Hints hints_;             // guarded by mutex_, as are the members below
  std::uint64_t told_ = 0;  // count of hints
  std::uint64_t dealt_with_ = 0;
  std::map<std::string, std::uint64_t> awaited_;  // directories of await_look(), and the count that each was told at
  int waiting_ = 0;                               // callers of settle(): while there are any, nothing is delayed
  bool has_vectors_to_keep_ = false;
  BackgroundThread::Time idle_work_at_{};  // when vectors are written, or what failed is tried again
  bool is_running_ = false;                // between start() and stop()
  std::string trouble_;
  Looked looked_;
  BackgroundThread thread_;  // last: it uses the members above
};

}  // namespace memd::memories
