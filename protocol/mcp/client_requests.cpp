#include "protocol/mcp/client_requests.hpp"

#include "protocol/mcp/request_params.hpp"
#include "protocol/mcp/server_state.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/json_writer.hpp"

#include <openssl/rand.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace memd::mcp {
namespace {

constexpr std::size_t kMaxReason = 500;  // bytes kept of a client's error message

constexpr std::size_t kIdBytes = 16;

}  // namespace

std::string random_id() {
  std::string bytes(kIdBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1)
    throw ErrorException(Error(Errc::io, "no random numbers are available"));
  return hexadecimal(bytes);
}

struct ClientRequests::Round {
  std::mutex mutex;
  std::condition_variable_any settled;
  std::vector<boost::json::value> answers;
  std::size_t open = 0;
  std::optional<Error> failure;

  bool is_settled() const { return open == 0 || failure; }
  void fail(Error error) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(error);
    settled.notify_all();
  }
};

ClientRequests::ClientRequests(const Executors& executors, std::function<void(std::string_view)> send)
    : executors_(executors), send_(std::move(send)), prefix_("memd-" + random_id().substr(0, 8) + "-") {}

ClientRequests::~ClientRequests() = default;

Result<std::vector<boost::json::value>> ClientRequests::ask(std::string_view method, std::vector<std::string> params,
                                                            std::stop_token stop, std::chrono::milliseconds patience) {
  auto round = std::make_shared<Round>();
  round->open = params.size();
  round->answers.resize(params.size());
  executors_.to_loop(
      [this, round, method = std::string(method), params = std::move(params)] { send(method, params, round); });
  std::unique_lock lock(round->mutex);
  const bool in_time = round->settled.wait_for(lock, stop, patience, [&] { return round->is_settled(); });
  // An answer that comes after the call was cancelled does not count, even if it is there before this thread wakes up.
  if (in_time && !round->failure && !stop.stop_requested()) return std::move(round->answers);
  Error error;
  if (round->failure)
    error = *round->failure;
  else if (stop.stop_requested())
    error = Error(Errc::cancelled, "the call was cancelled while the client was asked");
  else
    error = Error(Errc::unavailable, "the client did not answer in time");
  lock.unlock();
  executors_.to_loop([this, round] { give_up(round); });
  return error;
}

void ClientRequests::send(std::string_view method, const std::vector<std::string>& params,
                          const std::shared_ptr<Round>& round) {
  if (ended_) return round->fail(Error(Errc::unavailable, "the client answers nothing any more"));
  for (std::size_t i = 0; i < params.size(); ++i) {
    std::string id;
    json::append_string(id, prefix_ + std::to_string(++last_));
    waiting_.emplace(id, Waiting{round, i});
    send_(jsonrpc::request_line(id, method, params[i]));
  }
}

void ClientRequests::on_response(jsonrpc::Response& response) {
  const auto it = waiting_.find(response.id);
  if (it == waiting_.end()) return;  // given up meanwhile, or never asked
  const Waiting waiting = std::move(it->second);
  waiting_.erase(it);
  if (response.is_error)
    return waiting.round->fail(Error(Errc::unavailable, "the client refused: " + response.error.substr(0, kMaxReason)));
  const std::lock_guard lock(waiting.round->mutex);
  waiting.round->answers[waiting.index] = std::move(response.result);
  --waiting.round->open;
  waiting.round->settled.notify_all();
}

void ClientRequests::give_up(const std::shared_ptr<Round>& round) {
  std::erase_if(waiting_, [&](const auto& entry) {
    if (entry.second.round != round) return false;
    send_(jsonrpc::notification_line("notifications/cancelled", R"({"requestId":)" + entry.first + "}"));
    return true;
  });
}

std::string working_directory_line(std::string_view directory) {
  std::string params;
  json::Writer w(params);
  w.begin_object();
  w.member("directory", directory);
  w.end_object();
  return jsonrpc::notification_line(kWorkingDirectory, params);
}

void ClientRoots::set_offered(bool offered) {
  offered_ = offered;
  changed();
}

std::vector<std::string> ClientRoots::list(const std::stop_token& stop) {
  if (!offered_) return {};
  const std::lock_guard lock(asking_);
  const std::uint64_t version = version_;
  if (known_version_ == version) return known_;
  const auto answers = client_.ask("roots/list", {"{}"}, stop, patience_);
  if (!answers && stop.stop_requested()) return {};  // the next call asks again
  known_.clear();
  known_version_ = version;
  const boost::json::value none = boost::json::object();
  const boost::json::value& answer = answers && answers->front().is_object() ? answers->front() : none;
  const boost::json::value* roots = member(answer, "roots");
  if (roots == nullptr || !roots->is_array()) return {};
  for (const boost::json::value& root : roots->get_array())
    if (const auto uri = root.is_object() ? string_member(root, "uri") : std::nullopt) known_.emplace_back(*uri);
  return known_;
}

void ClientRequests::end() {
  ended_ = true;
  for (const auto& [id, waiting] : waiting_)
    waiting.round->fail(Error(Errc::unavailable, "the client has gone"));
  waiting_.clear();
}

}  // namespace memd::mcp
