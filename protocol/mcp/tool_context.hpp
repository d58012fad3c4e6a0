#pragma once

#include "schemas/base/result.hpp"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd {
class LanguageModel;
}

namespace memd::mcp {

// The user's reply to a question: yes; no; dismissed without an answer.
enum class Consent : std::uint8_t { accepted, declined, cancelled };

// Asks the user of a client that supports elicitation. Thread-safe.
class Elicitation {
 public:
  virtual ~Elicitation() = default;
  // Asks a question, whose text must end with the consequence of a yes. Errors: unavailable, cancelled, busy; in the
  // stateless era input_required, like LanguageModel: the question is answered when the handler runs again.
  virtual Result<Consent> confirm(const std::string& question, std::stop_token stop) = 0;
};

// A running tool's link to its caller. Lives as long as the call. Thread-safe.
class ToolContext {
 public:
  using ProgressSink = std::function<void(double done, double total, std::string_view message)>;

  ToolContext() = default;
  // Without `stage_sink`, stages are reported as progress.
  explicit ToolContext(std::stop_token token, ProgressSink progress_sink = {}, ProgressSink stage_sink = {})
      : stop(std::move(token)), progress_sink_(std::move(progress_sink)), stage_sink_(std::move(stage_sink)) {}

  // Requested when the client cancels the call, goes away, or the server stops.
  std::stop_token stop;

  // The client's own model; null: the client offers none. Lives as long as the call. In the stateless era the
  // first complete() fails with Errc::input_required; the client then calls the tool again with the same arguments, the
  // handler runs from its start, and the same requests are answered.
  LanguageModel* client_model = nullptr;

  // Asks the client's user; null: the client does not support elicitation. Lives as long as the call.
  Elicitation* elicitation = nullptr;

  // The directory in which the client started its own end of the connection; empty: not known.
  std::string directory;

  // Returns the directories that the client works in, as file: URIs; empty: it offers none. May wait for the client, so
  // call it before leasing a reader.
  std::vector<std::string> client_roots() const { return roots_ ? roots_(stop) : std::vector<std::string>(); }
  using RootsSource = std::function<std::vector<std::string>(const std::stop_token& stop)>;
  void set_roots(RootsSource roots) { roots_ = std::move(roots); }

  // Reports progress to the client, if it requested that. `done` has to grow. Drops reports that come too close
  // together. `total` 0: unknown.
  void progress(double done, double total, std::string_view message) const {
    if (progress_sink_) progress_sink_(done, total, message);
  }

  // Stores the current stage of the work. It is sent to the client only when nothing was reported for a while: use it
  // for steps that are mostly quick.
  void stage(double done, double total, std::string_view message) const {
    if (stage_sink_)
      stage_sink_(done, total, message);
    else
      progress(done, total, message);
  }

 private:
  RootsSource roots_;
  ProgressSink progress_sink_;
  ProgressSink stage_sink_;
};

}  // namespace memd::mcp
