#include "protocol/models/completions_api.hpp"

#include "protocol/models/model_api.hpp"
#include "schemas/ascii.hpp"
#include "schemas/json_writer.hpp"

#include <algorithm>
#include <utility>

namespace memd::completions_api {
namespace {

using model_api::nonsense;
namespace bj = boost::json;

// Models of OpenAI's own think before they answer, and that counts.
constexpr std::size_t kThoughts = 4096;

void write_message(json::Writer& w, std::string_view role, std::string_view content) {
  w.begin_object();
  w.member("role", role);
  w.member("content", content);
  w.end_object();
}

void write_number(json::Writer& w, std::string_view name, std::size_t value) {
  w.key(name);
  w.number(static_cast<std::uint64_t>(value));
}

const bj::object* object_in(const bj::object* object, std::string_view key) {
  const bj::value* found = object == nullptr ? nullptr : object->if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

std::string text_in(const bj::object* object, std::string_view key) {
  const bj::value* found = object == nullptr ? nullptr : object->if_contains(key);
  const bj::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

// 0 for what is no number, or one that no count of tokens is.
std::int64_t count_in(const bj::object* object, std::string_view key) {
  const bj::value* found = object == nullptr ? nullptr : object->if_contains(key);
  if (found == nullptr) return 0;
  boost::system::error_code ec;
  const auto number = found->to_number<std::int64_t>(ec);
  return ec ? 0 : std::clamp<std::int64_t>(number, 0, 100'000'000);
}

Result<Completion> checked(Completion out, const bj::object* message) {
  const bj::value* content = message == nullptr ? nullptr : message->if_contains("content");
  if (content == nullptr) return nonsense("the answer has no message with a \"content\"");
  if (const auto refusal = text_in(message, "refusal"); !refusal.empty()) return nonsense("the model declines");
  if (!content->is_string() && !content->is_null()) return nonsense("the \"content\" of the answer is no text");
  out.text = text_in(message, "content");
  if (ascii::trimmed(out.text).empty()) return nonsense("the answer is empty");
  return out;
}

Result<Completion> parse_ollama(const bj::object* object) {
  Completion out;
  out.model = text_in(object, "model");
  out.truncated = text_in(object, "done_reason") == "length";
  out.tokens_in = count_in(object, "prompt_eval_count");
  out.tokens_out = count_in(object, "eval_count");
  if (const bj::value* done = object == nullptr ? nullptr : object->if_contains("done"))
    if (done->is_bool() && !done->get_bool()) return nonsense("the answer is only a part of one");
  return checked(std::move(out), object_in(object, "message"));
}

Result<Completion> parse_openai(const bj::object* object) {
  const bj::value* list = object == nullptr ? nullptr : object->if_contains("choices");
  const bj::array* choices = list == nullptr ? nullptr : list->if_array();
  if (choices == nullptr || choices->empty()) return nonsense("the answer has no list \"choices\"");
  const bj::object* choice = choices->front().if_object();
  Completion out;
  out.model = text_in(object, "model");
  out.truncated = text_in(choice, "finish_reason") == "length";
  const bj::object* usage = object_in(object, "usage");
  out.tokens_in = count_in(usage, "prompt_tokens");
  out.tokens_out = count_in(usage, "completion_tokens");
  return checked(std::move(out), object_in(choice, "message"));
}

}  // namespace

std::string_view path_of(Dialect dialect) { return dialect == Dialect::ollama ? "/api/chat" : "/chat/completions"; }

std::string request_body(Dialect dialect, std::string_view model, const CompletionRequest& request,
                         const RequestOptions& options) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("model", model);
  w.key("messages");
  w.begin_array();
  if (!request.system.empty()) write_message(w, "system", request.system);
  write_message(w, "user", request.prompt);
  w.end_array();
  w.member_bool("stream", false);
  if (dialect == Dialect::ollama) {
    w.member_bool("think", false);
    w.key("options");
    w.begin_object();
    write_number(w, "num_predict", request.max_tokens);
    write_number(w, "num_ctx", options.context_tokens);
    w.member_raw("temperature", "0");
    w.end_object();
  } else if (options.is_openai_itself) {
    write_number(w, "max_completion_tokens", request.max_tokens + kThoughts);
  } else {
    write_number(w, "max_tokens", request.max_tokens);
    w.member_raw("temperature", "0");
  }
  w.end_object();
  return out;
}

Result<Completion> parse_answer(Dialect dialect, std::string_view body) {
  MEMD_TRY_ASSIGN(const bj::value document, model_api::parse_document(body));
  const bj::object* object = document.if_object();
  return dialect == Dialect::ollama ? parse_ollama(object) : parse_openai(object);
}

}  // namespace memd::completions_api
