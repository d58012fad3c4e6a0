#include "protocol/mcp/sampling.hpp"

#include "protocol/mcp/request_params.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace memd::mcp {
namespace {

namespace bj = boost::json;

std::string digest(std::string_view text) { return sha256_hex(text).substr(0, 32); }

void append_text(const bj::value& block, std::string& out) {
  if (!block.is_object() || string_member(block, "type") != "text") return;
  if (const auto text = string_member(block, "text")) out.append(*text);
}

constexpr std::string_view kModelKey = "model-";
constexpr std::string_view kPersonKey = "person-";

std::string key_of(const CompletionRequest& request) {
  return std::string(kModelKey) +
         digest(request.system + '\0' + request.prompt + '\0' + std::to_string(request.max_tokens));
}

// Holds one of the limited places for waiting calls during its lifetime. False if all were taken.
class Place {
 public:
  Place(std::atomic<std::size_t>& taken, std::size_t all) : taken_(taken), got_(taken.fetch_add(1) < all) {}
  ~Place() { taken_.fetch_sub(1); }
  Place(const Place&) = delete;
  explicit operator bool() const { return got_; }

 private:
  std::atomic<std::size_t>& taken_;
  const bool got_;
};

}  // namespace

std::string question_digest(std::string_view tool, const bj::object& arguments) {
  std::vector<std::string> members;
  for (const auto& argument : arguments) {
    std::string text;
    json::append_string(text, std::string_view(argument.key()));
    members.push_back(text + ":" + bj::serialize(argument.value()));
  }
  std::sort(members.begin(), members.end());
  std::string text(tool);
  for (const std::string& member : members)
    text.append("\n").append(member);
  return digest(text);
}

Result<InputRound> InputRounds::find(std::string_view state, std::string_view question) const {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.state == state; });
  if (it == kept_.end() || clock_.now() - it->since > limits_.age_ms)
    return Error(Errc::invalid_argument,
                 "requestState is unknown or has expired: send the call again without requestState and inputResponses");
  if (it->round.question != question)
    return Error(Errc::invalid_argument,
                 "requestState belongs to another call: send it with the same tool and arguments it was given for");
  return it->round;
}

std::string InputRounds::keep(InputRound round) {
  std::size_t bytes = 0;
  for (const auto& [key, answer] : round.answers)
    bytes += key.size() + answer.text.size() + answer.model.size();
  for (const auto& [key, consent] : round.consents)
    bytes += key.size() + sizeof consent;
  const std::lock_guard lock(mutex_);
  while (!kept_.empty() && (kept_.size() >= limits_.rounds || bytes_ + bytes > limits_.bytes ||
                            clock_.now() - kept_.front().since > limits_.age_ms))
    drop_oldest();
  bytes_ += bytes;
  kept_.push_back({random_id(), std::move(round), clock_.now(), bytes});
  return kept_.back().state;
}

void InputRounds::drop_oldest() {
  bytes_ -= kept_.front().bytes;
  kept_.pop_front();
}

void InputRounds::forget(std::string_view state) {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.state == state; });
  if (it == kept_.end()) return;
  bytes_ -= it->bytes;
  kept_.erase(it);
}

std::string sampling_params(const CompletionRequest& request) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("messages");
  w.begin_array();
  w.begin_object();
  w.member("role", "user");
  w.key("content");
  w.begin_object();
  w.member("type", "text");
  w.member("text", request.prompt);
  w.end_object();
  w.end_object();
  w.end_array();
  if (!request.system.empty()) w.member("systemPrompt", request.system);
  w.member_number("maxTokens", static_cast<std::uint64_t>(request.max_tokens));
  w.end_object();
  return out;
}

Result<Completion> read_sampling_result(const bj::value& result) {
  if (!result.is_object()) return Error(Errc::protocol, "the client's answer for its model is no object");
  Completion out;
  if (const bj::value* content = member(result, "content"); content != nullptr) {
    if (content->is_array())  // 2025-11-25 and later
      for (const bj::value& block : content->get_array())
        append_text(block, out.text);
    else
      append_text(*content, out.text);
  }
  if (out.text.empty()) return Error(Errc::protocol, "the client's model answered without text");
  out.model = string_member(result, "model").value_or("");
  out.truncated = string_member(result, "stopReason") == "maxTokens";
  return out;
}

std::string elicitation_params(std::string_view question) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("message", question);
  w.member_raw("requestedSchema", R"({"type":"object","properties":{}})");
  w.end_object();
  return out;
}

Result<Consent> read_elicitation_result(const bj::value& result) {
  const auto action = result.is_object() ? string_member(result, "action") : std::nullopt;
  if (action == "accept") return Consent::accepted;
  if (action == "decline") return Consent::declined;
  if (action == "cancel") return Consent::cancelled;
  return Error(Errc::protocol, "the client's answer for its person is neither accept, decline nor cancel");
}

Result<std::vector<bj::value>> ClientWait::ask(std::string_view method, std::vector<std::string> params,
                                               std::stop_token stop) {
  const Place place(waits, max_waits);
  if (!place) return Error(Errc::busy, "the client is busy with other calls, ask again when they are done");
  return client.ask(method, std::move(params), std::move(stop), patience);
}

Result<Consent> LegacyElicitation::confirm(const std::string& question, std::stop_token stop) {
  MEMD_TRY_ASSIGN(const auto answers, wait_.ask(kCreateElicitation, {elicitation_params(question)}, std::move(stop)));
  return read_elicitation_result(answers.front());
}

Result<std::vector<Completion>> SamplingModel::complete(std::span<const CompletionRequest> requests,
                                                        std::stop_token stop) {
  std::vector<std::string> params;
  for (const CompletionRequest& request : requests)
    params.push_back(sampling_params(request));
  MEMD_TRY_ASSIGN(const auto answers, wait_.ask(kCreateMessage, std::move(params), std::move(stop)));
  std::vector<Completion> out;
  for (const bj::value& answer : answers) {
    MEMD_TRY_ASSIGN(out.emplace_back(), read_sampling_result(answer));
  }
  return out;
}

void InputRoundClient::take(const bj::value& responses) {
  if (!responses.is_object()) return;
  const auto keep = [this](const std::string& key, auto read, auto& answers) {
    if (read)
      answers.insert_or_assign(key, *std::move(read));
    else
      failures_.insert_or_assign(key, read.error());
  };
  for (const auto& response : responses.get_object()) {
    const std::string key(response.key());
    if (round_.asked.erase(key) == 0) continue;
    if (key.starts_with(kPersonKey))
      keep(key, read_elicitation_result(response.value()), round_.consents);
    else
      keep(key, read_sampling_result(response.value()), round_.answers);
  }
}

Result<std::vector<Completion>> InputRoundClient::complete(std::span<const CompletionRequest> requests,
                                                           std::stop_token stop) {
  if (stop.stop_requested()) return Error(Errc::cancelled, "the call was cancelled");
  const std::lock_guard lock(mutex_);
  std::vector<Completion> out;
  bool missing = false;
  for (const CompletionRequest& request : requests) {
    const std::string key = key_of(request);
    if (const auto failure = failures_.find(key); failure != failures_.end()) return failure->second;
    if (const auto answer = round_.answers.find(key); answer != round_.answers.end()) {
      out.push_back(answer->second);
      continue;
    }
    missing = true;
    note(key, kCreateMessage, sampling_params(request));
  }
  if (missing) return Error(Errc::input_required, "the client's model is asked first");
  return out;
}

Result<Consent> InputRoundClient::confirm(const std::string& question, std::stop_token stop) {
  if (stop.stop_requested()) return Error(Errc::cancelled, "the call was cancelled");
  const std::lock_guard lock(mutex_);
  const std::string key = std::string(kPersonKey) + digest(question);
  if (const auto failure = failures_.find(key); failure != failures_.end()) return failure->second;
  if (const auto answer = round_.consents.find(key); answer != round_.consents.end()) return answer->second;
  note(key, kCreateElicitation, elicitation_params(question));
  return Error(Errc::input_required, "the person at the client is asked first");
}

// The caller holds the lock.
void InputRoundClient::note(const std::string& key, std::string_view method, const std::string& params) {
  if (std::any_of(open_.begin(), open_.end(), [&](const auto& one) { return one.first == key; })) return;
  std::string text;
  json::Writer w(text);
  w.begin_object();
  w.member("method", method);
  w.member_raw("params", params);
  w.end_object();
  open_.emplace_back(key, std::move(text));
}

InputRound InputRoundClient::next_round() && {
  round_.asked.clear();
  for (const auto& [key, request] : open_)
    round_.asked.insert(key);
  return std::move(round_);
}

}  // namespace memd::mcp
