#include "protocol/models/model_api.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace memd::model_api {
namespace {

namespace bj = boost::json;

constexpr std::size_t kLongestComplaint = 200;

std::string short_line(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestComplaint)) {
    const bool plain = static_cast<unsigned char>(c) > ' ' && c != 0x7F;
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  // Do not end in the middle of a character.
  if (text.size() > kLongestComplaint) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U)
      out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0U) out.pop_back();
    out += "…";
  }
  return out;
}

}  // namespace

std::string_view to_string(Dialect dialect) { return dialect == Dialect::ollama ? "ollama" : "openai"; }

Error protocol_error(std::string what) { return Error(Errc::protocol, std::move(what)); }

Result<bj::value> parse_document(std::string_view body) {
  boost::system::error_code ec;
  auto value = bj::parse({body.data(), body.size()}, ec);
  if (ec) return protocol_error("the answer is not valid JSON (" + ec.message() + ")");
  return value;
}

std::string parse_error_message(std::string_view body) {
  const auto document = parse_document(body);
  if (!document) return {};
  const bj::object* object = document->if_object();
  const bj::value* said = nullptr;
  if (object != nullptr) {
    for (const char* key : {"error", "message", "detail"})
      if (said == nullptr) said = object->if_contains(key);
    if (said != nullptr && said->is_object()) said = said->get_object().if_contains("message");
  }
  if (said == nullptr || !said->is_string()) return {};
  const auto& text = said->get_string();
  return short_line({text.data(), text.size()});
}

}  // namespace memd::model_api

namespace memd::embeddings_api {
namespace {

using Vector = std::vector<float>;
using Vectors = std::vector<Vector>;
namespace bj = boost::json;

using model_api::protocol_error;

Result<Vector> to_unit_vector(const bj::value& value) {
  const bj::array* numbers = value.if_array();
  if (numbers == nullptr || numbers->empty()) return protocol_error("a vector of the answer is not a list of numbers");
  Vector out;
  out.reserve(numbers->size());
  double squares = 0;
  for (const bj::value& n : *numbers) {
    boost::system::error_code ec;
    const auto number = n.to_number<double>(ec);
    if (ec) return protocol_error("a vector of the answer holds something that is not a number");
    if (!std::isfinite(number) || std::abs(number) > 1e18)
      return protocol_error("a vector of the answer holds a number that is not finite");
    out.push_back(static_cast<float>(number));
    squares += number * number;
  }
  const double length = std::sqrt(squares);
  if (length < 1e-12) return protocol_error("a vector of the answer is all zero");
  for (float& x : out)
    x = static_cast<float>(static_cast<double>(x) / length);
  return out;
}

Result<void> check_lengths(const Vectors& vectors) {
  for (const Vector& v : vectors)
    if (v.size() != vectors.front().size())
      return protocol_error("the answer mixes vectors of " + std::to_string(vectors.front().size()) + " and of " +
                            std::to_string(v.size()) + " numbers");
  return {};
}

Error wrong_count(std::size_t got, std::size_t wanted) {
  return protocol_error("the answer has " + std::to_string(got) + " vectors for " + std::to_string(wanted) + " texts");
}

Result<Vectors> parse_ollama(const bj::value& document, std::size_t texts) {
  const bj::object* object = document.if_object();
  const bj::value* list = object == nullptr ? nullptr : object->if_contains("embeddings");
  const bj::array* rows = list == nullptr ? nullptr : list->if_array();
  if (rows == nullptr) return protocol_error("the answer has no list \"embeddings\"");
  if (rows->size() != texts) return wrong_count(rows->size(), texts);
  Vectors out;
  for (const bj::value& row : *rows) {
    MEMD_TRY_ASSIGN(auto vector, to_unit_vector(row));
    out.push_back(std::move(vector));
  }
  return out;
}

Result<Vectors> parse_openai(const bj::value& document, std::size_t texts) {
  const bj::object* object = document.if_object();
  const bj::value* list = object == nullptr ? nullptr : object->if_contains("data");
  const bj::array* rows = list == nullptr ? nullptr : list->if_array();
  if (rows == nullptr) return protocol_error("the answer has no list \"data\"");
  if (rows->size() != texts) return wrong_count(rows->size(), texts);
  Vectors out(texts);
  std::size_t place = 0;
  for (const bj::value& row : *rows) {
    const bj::object* entry = row.if_object();
    const bj::value* embedding = entry == nullptr ? nullptr : entry->if_contains("embedding");
    if (embedding == nullptr) return protocol_error("an entry of \"data\" has no \"embedding\"");
    std::size_t index = place++;
    if (const bj::value* given = entry->if_contains("index")) {  // they may come in any order
      boost::system::error_code ec;
      index = given->to_number<std::size_t>(ec);
      if (ec || index >= texts) return protocol_error("an entry of \"data\" has an \"index\" that was not asked for");
    }
    if (!out[index].empty()) return protocol_error("the answer has two vectors for one text");
    MEMD_TRY_ASSIGN(out[index], to_unit_vector(*embedding));
  }
  return out;
}

}  // namespace

std::string_view path_of(Dialect dialect) { return dialect == Dialect::ollama ? "/api/embed" : "/embeddings"; }

std::string request_body(Dialect, std::string_view model, std::span<const std::string_view> texts,
                         std::optional<int> dimensions) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("model", model);
  w.member_texts("input", texts);
  if (dimensions) w.member_number("dimensions", static_cast<std::int64_t>(*dimensions));
  w.end_object();
  return out;
}

Result<Vectors> parse_answer(Dialect dialect, std::string_view body, std::size_t texts) {
  MEMD_TRY_ASSIGN(const bj::value document, model_api::parse_document(body));
  MEMD_TRY_ASSIGN(auto vectors,
                  dialect == Dialect::ollama ? parse_ollama(document, texts) : parse_openai(document, texts));
  MEMD_TRY(check_lengths(vectors));
  return vectors;
}

}  // namespace memd::embeddings_api

namespace memd::completions_api {
namespace {

using model_api::protocol_error;
namespace bj = boost::json;

// Additional tokens for OpenAI's own models, whose reasoning counts as output.
constexpr std::size_t kThoughts = 4096;

void write_message(json::Writer& w, std::string_view role, std::string_view content) {
  w.begin_object();
  w.member("role", role);
  w.member("content", content);
  w.end_object();
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

// Returns a token count, limited to 0…100,000,000; 0 for anything but an integer.
std::int64_t count_in(const bj::object* object, std::string_view key) {
  const bj::value* found = object == nullptr ? nullptr : object->if_contains(key);
  if (found == nullptr) return 0;
  boost::system::error_code ec;
  const auto number = found->to_number<std::int64_t>(ec);
  return ec ? 0 : std::clamp<std::int64_t>(number, 0, 100'000'000);
}

Result<Completion> checked(Completion out, const bj::object* message) {
  const bj::value* content = message == nullptr ? nullptr : message->if_contains("content");
  if (content == nullptr) return protocol_error("the answer has no message with a \"content\"");
  if (const auto refusal = text_in(message, "refusal"); !refusal.empty()) return protocol_error("the model declines");
  if (!content->is_string() && !content->is_null()) return protocol_error("the \"content\" of the answer is no text");
  out.text = text_in(message, "content");
  if (ascii::trimmed(out.text).empty()) return protocol_error("the answer is empty");
  return out;
}

Result<Completion> parse_ollama(const bj::object* object) {
  Completion out;
  out.model = text_in(object, "model");
  out.truncated = text_in(object, "done_reason") == "length";
  out.tokens_in = count_in(object, "prompt_eval_count");
  out.tokens_out = count_in(object, "eval_count");
  if (const bj::value* done = object == nullptr ? nullptr : object->if_contains("done"))
    if (done->is_bool() && !done->get_bool()) return protocol_error("the answer is only a part of one");
  return checked(std::move(out), object_in(object, "message"));
}

Result<Completion> parse_openai(const bj::object* object) {
  const bj::value* list = object == nullptr ? nullptr : object->if_contains("choices");
  const bj::array* choices = list == nullptr ? nullptr : list->if_array();
  if (choices == nullptr || choices->empty()) return protocol_error("the answer has no list \"choices\"");
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
    w.member_number("num_predict", request.max_tokens);
    w.member_number("num_ctx", options.context_tokens);
    w.member_raw("temperature", "0");
    w.end_object();
  } else if (options.is_openai_itself) {
    w.member_number("max_completion_tokens", request.max_tokens + kThoughts);
  } else {
    w.member_number("max_tokens", request.max_tokens);
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
