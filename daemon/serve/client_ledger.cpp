#include "daemon/serve/client_ledger.hpp"

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/subscriptions.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd {
namespace {

using Kind = jsonrpc::Envelope::Kind;

constexpr std::size_t kMostClientsKept = 64 * 1024;  // length limit of a line kept for a retry, in bytes

// Tools that only read. Any other tool is taken for one that writes.
constexpr std::array<std::string_view, 14> kReadingTools{
    "resume_context", "semantic_search", "get_exchange", "recent_turns",      "session_summary",
    "topic_search",   "temporal_query",  "file_history", "list_observations", "list_sessions",
    "capabilities",   "memory_search",   "memory_read",  "memory_health"};
constexpr std::array<std::string_view, 9> kReadingMethods{
    "tools/list",   "resources/list", "resources/read",      "resources/templates/list",
    "prompts/list", "prompts/get",    "completion/complete", "server/discover",
    "ping"};

bool only_reads(const jsonrpc::Envelope& e) {
  if (e.method == "tools/call") return std::ranges::find(kReadingTools, e.tool) != kReadingTools.end();
  return std::ranges::find(kReadingMethods, e.method) != kReadingMethods.end();
}

bool take(std::multiset<std::string>& ids, const std::string& id) {
  const auto it = ids.find(id);
  if (it == ids.end()) return false;
  ids.erase(it);
  return true;
}

}  // namespace

void ClientLedger::from_client(std::string_view line) {
  for (const jsonrpc::Envelope& e : reader_.read(line)) {
    if (e.kind == Kind::request && e.method == "subscriptions/listen") {
      subscriptions_[e.id] = {std::string(line)};
    } else if (e.kind == Kind::request) {
      const bool handshake = e.method == "initialize";
      if (handshake) {
        initialize_line_ = line;
        initialize_id_ = e.id;
        initialize_answered_ = false;
      }
      if (e.method == "resources/subscribe" && line.front() == '{') watched_[e.about_id] = line;  // not in a batch
      if (e.method == "resources/unsubscribe") watched_.erase(e.about_id);
      // The first page of the list. A client of the handshake era that requested it is notified of changes.
      if (e.method == "resources/list" && !initialize_line_.empty() && list_line_.empty() && line.front() == '{')
        list_line_ = line;
      const bool reads = only_reads(e);
      const bool kept = reads && line.front() == '{' && line.size() <= kMostClientsKept;
      in_flight_.insert_or_assign(e.id, InFlight{kept ? std::string(line) : std::string(), reads || handshake});
    } else if (e.method == "notifications/initialized") {
      initialized_line_ = line;
    } else if (e.method == "notifications/cancelled" && subscriptions_.erase(e.about_id) == 0) {
      in_flight_.erase(e.about_id);  // a cancelled request gets no response
    }
  }
}

bool ClientLedger::from_daemon(std::string_view line) {
  for (const jsonrpc::Envelope& e : reader_.read(line)) {
    if (e.kind == Kind::response) {
      if (take(swallow_responses_, e.id)) return false;
      if (e.id == initialize_id_) initialize_answered_ = true;
      if (in_flight_.erase(e.id) == 0) subscriptions_.erase(e.id);  // a subscription ends with its response
    } else if (e.method == "notifications/subscriptions/acknowledged") {
      if (take(swallow_acks_, e.about_id)) return false;
      if (const auto it = subscriptions_.find(e.about_id); it != subscriptions_.end()) it->second.acknowledged = true;
    }
  }
  return true;
}

std::vector<std::string> ClientLedger::reads_to_ask_again() {
  std::vector<std::string> lines;
  for (auto& [id, request] : in_flight_) {
    // The replay requests the list itself.
    if (!request.line.empty() && request.line != list_line_) {
      lines.push_back(std::exchange(request.line, {}));
      asked_again_.insert(id);
    }
  }
  return lines;
}

std::vector<std::string> ClientLedger::fail_in_flight(std::string_view message) {
  std::vector<std::string> answers;
  const bool shaking_hands = !initialize_id_.empty() && !initialize_answered_;
  for (auto& [id, request] : std::exchange(in_flight_, {})) {
    if ((shaking_hands && id == initialize_id_) || asked_again_.contains(id))
      in_flight_.emplace(id, request);
    else
      answers.push_back(jsonrpc::error_line(id, jsonrpc::kInternalError, message,
                                            request.reads ? jsonrpc::kRetryable : jsonrpc::kNotRetryable));
  }
  asked_again_.clear();  // each request is retried once
  return answers;
}

std::vector<std::string> ClientLedger::fail_everything(std::string_view message) {
  if (!initialize_answered_) {
    initialize_line_.clear();
    initialize_id_.clear();
    initialized_line_.clear();
  }
  return fail_in_flight(message);
}

std::vector<std::string> ClientLedger::replay() {
  swallow_responses_.clear();
  swallow_acks_.clear();
  std::vector<std::string> lines;
  if (!initialize_line_.empty()) {
    if (initialize_answered_) swallow_responses_.insert(initialize_id_);
    lines.push_back(initialize_line_);
  }
  if (!initialized_line_.empty()) lines.push_back(initialized_line_);
  const std::size_t subscriptions = watched_.size() + subscriptions_.size() + (list_line_.empty() ? 0 : 1);
  if (subscriptions > 0) lines.push_back(mcp::resuming_line(subscriptions));
  const auto ask_again = [&](const std::string& line) {
    for (const jsonrpc::Envelope& e : reader_.read(line))
      if (!in_flight_.contains(e.id)) swallow_responses_.insert(e.id);  // already answered by the lost daemon
    lines.push_back(line);
  };
  if (!list_line_.empty()) ask_again(list_line_);
  for (const auto& [uri, line] : watched_)
    ask_again(line);
  for (const auto& [id, subscription] : subscriptions_) {
    if (subscription.acknowledged) swallow_acks_.insert(id);
    lines.push_back(subscription.line);
  }
  return lines;
}

}  // namespace memd
