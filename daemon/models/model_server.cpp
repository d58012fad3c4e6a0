#include "daemon/models/model_server.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>
#include <utility>

namespace memd::provider {

namespace {

using model_api::Dialect;

bool is_json(std::string_view content_type) {
  return content_type == "application/json" || content_type.ends_with("+json");
}

std::string without(std::string text, std::string_view secret) {
  for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != std::string::npos;)
    text.replace(at, secret.size(), "…");
  return text;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view header, TimeMs now) {
  std::int64_t seconds = 0;
  const auto [end, ec] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (ec == std::errc{} && end == header.data() + header.size() && seconds >= 0)
    return std::chrono::seconds(std::min<std::int64_t>(seconds, 86'400));
  std::tm date{};
  std::istringstream in{std::string(header)};
  in.imbue(std::locale::classic());
  in >> std::get_time(&date, "%a, %d %b %Y %H:%M:%S GMT");
  if (in.fail()) return std::nullopt;
  const TimeMs at = static_cast<TimeMs>(::timegm(&date)) * 1000;
  return std::chrono::milliseconds(std::clamp<TimeMs>(at - now, 0, kMsPerDay));
}

std::string_view usual_endpoint(Dialect dialect) {
  return dialect == Dialect::ollama ? "http://127.0.0.1:11434" : "https://api.openai.com/v1";
}

ModelServer::ModelServer(ServedModel model, std::string name, std::shared_ptr<http::Client> client)
    : model_(std::move(model)), name_(std::move(name)), client_(std::move(client)) {}

Error ModelServer::say(Errc code, const std::string& what) const {
  return Error(code, name_ + " at " + model_.base.text() + ": " + what);
}

ModelServer::Answer ModelServer::ask(Question question, const std::stop_token& stop) const {
  const auto key = read_api_key(model_.key);
  if (!key) return {{}, Failure{key.error(), true, true, {}}};

  http::Request request;
  request.url = model_.base;
  request.url.path += question.path;
  if (!key->empty()) request.headers.emplace_back("Authorization", "Bearer " + *key);
  request.body = std::move(question.body);
  request.connect_timeout = model_.connect_timeout;
  request.total_timeout = question.timeout;
  request.most_response_bytes = question.most_response_bytes;

  auto response = client_->post(request, stop);
  if (!response) return {{}, unreachable(response.error())};
  if (response->status != 200) return {{}, refused(*response, *key)};
  if (!is_json(response->content_type))
    return {{},
            Failure{say(Errc::protocol,
                        "it answers with " +
                            (response->content_type.empty() ? "an unnamed type of content" : response->content_type) +
                            " instead of JSON: is " + model_.key.section + ".endpoint the address of its API?"),
                    true,
                    true,
                    {}}};
  return {std::move(response->body), std::nullopt};
}

Failure ModelServer::unreachable(const Error& e) const {
  if (e.is(Errc::cancelled)) return {e, false, false, {}};
  const std::string& section = model_.key.section;
  const bool local = model_.dialect == Dialect::ollama;
  const std::string advice = e.is(Errc::protocol) ? "is " + section + ".endpoint right?"
                             : local              ? "is ollama running there? (ollama serve)"
                                                  : "is it running, and " + section + ".endpoint right?";
  const Errc code = e.is(Errc::protocol) ? Errc::protocol : Errc::unavailable;
  return {say(code, e.context + "; " + advice), true, code == Errc::protocol, {}};
}

Failure ModelServer::refused(const http::Response& r, const std::string& key) const {
  const std::string& section = model_.key.section;
  const std::string status = "status " + std::to_string(r.status);
  std::string complaint = without(model_api::parse_error_message(r.body), key);
  redact(complaint);  // some servers repeat the request
  if (!complaint.empty()) complaint = " (" + complaint + ")";
  const auto retry_after = parse_retry_after(r.retry_after, system_clock().now());
  switch (r.status) {
    case 400:
    case 413:
    case 422: return {say(Errc::invalid_argument, "it refuses the text: " + status + complaint), false, false, {}};
    case 401:
    case 403:
      // The server's message is left out, because it may repeat the key.
      return {say(Errc::unavailable,
                  "it refuses the key: " + status + "; see " + section + ".api_key_env and api_key_file"),
              true, true, retry_after};
    case 404:
      return {say(Errc::unavailable,
                  status + complaint +
                      (model_.dialect == Dialect::ollama
                           ? "; is the model there? (ollama pull " + model_.model + ")"
                           : "; are " + section + ".endpoint (with its /v1) and " + section + ".model right?")),
              true, true, retry_after};
    case 429:
      return {say(Errc::unavailable, "it is asked too much: " + status + complaint + "; memd waits"), true, false,
              retry_after};
    default: break;
  }
  if (r.status >= 300 && r.status < 400)
    return {say(Errc::protocol,
                "it sends memd elsewhere (" + status + "): put the final address into " + section + ".endpoint"),
            true,
            true,
            {}};
  return {say(Errc::unavailable, status + complaint + "; memd tries again"), true, r.status < 500, retry_after};
}

}  // namespace memd::provider
