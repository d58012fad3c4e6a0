#pragma once

#include "daemon/cli/caller.hpp"
#include "daemon/host/settings.hpp"
#include "protocol/transport/loopback_server.hpp"
#include "schemas/base/result.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cli::web {

// Answers the requests of the page of `memd web`. Any thread.
//   GET  /          the page; GET /page.js its script. All else needs the token.
//   GET  /?TICKET   once: the page with the first list
//   POST /api/TOOL  calls a tool that reads, or memory_write: its arguments, its answer (Accept: text/plain: its text)
//   POST /api/open  {"session_id": ID}: the shell command that continues a session in its agent
//   POST /api/report  {"agent": KEY, "project": PART, "since": TIME}: the data of `memd report`
//   POST /api/memory_verify, /api/memory_graph  {"slug": SLUG, "cwd": DIR}: what `memd memory verify` and `graph` find
//   GET  /live      server-sent events: `stored` whenever the store has changed
class WebHistory {
 public:
  explicit WebHistory(const Settings& settings);
  ~WebHistory();

  http::PageResponse answer(const http::PageRequest& request);

  // Returns how long no page has been open, and no request was answered.
  std::chrono::milliseconds unused() const;
  // Whether a page was open at any time.
  bool was_opened() const { return was_opened_; }

 private:
  class Stream;
  http::PageResponse page_with_list();
  http::PageResponse call(std::string_view tool, const http::PageRequest& request);
  Result<mcp::ToolOutcome> open_command(const std::string& arguments) const;
  Result<mcp::ToolOutcome> report_of(const std::string& arguments) const;
  Result<mcp::ToolOutcome> look_at_memories(std::string_view what, const std::string& arguments) const;
  // Asks a caller that nobody else uses, and once another one if its daemon has gone.
  Result<mcp::ToolOutcome> ask(const std::function<Result<mcp::ToolOutcome>(Caller&)>& question);

  const Settings& settings_;
  const Settings writing_;  // a person at the page changes memories: nobody else has to consent
  std::mutex mutex_;
  std::vector<std::unique_ptr<Caller>> idle_;  // under the mutex
  std::atomic<int> streams_ = 0;
  std::atomic<bool> was_opened_ = false;
  std::atomic<std::chrono::steady_clock::rep> used_;
};

}  // namespace memd::cli::web
