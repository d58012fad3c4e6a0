#include "protocol/mcp/subscriptions.hpp"

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/offered_methods.hpp"
#include "protocol/mcp/request_params.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace memd::mcp {
namespace {

namespace bj = boost::json;
using jsonrpc::kInvalidParams;
using jsonrpc::kInvalidRequest;

constexpr std::string_view kResourcesChanged = "notifications/resources/list_changed";
constexpr std::string_view kUpdated = "notifications/resources/updated";

bool holds(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool is_true(const bj::object& filter, std::string_view name) {
  const bj::value* v = filter.if_contains(name);
  return v != nullptr && v->is_bool() && v->get_bool();
}

// `stream` empty: a legacy connection.
std::string line(std::string_view method, std::string_view stream, std::string_view uri = {}) {
  std::string params;
  json::Writer w(params);
  w.begin_object();
  if (!stream.empty()) w.member_raw("_meta", subscription_meta(stream));
  if (!uri.empty()) w.member("uri", uri);
  w.end_object();
  return jsonrpc::notification_line(method, params);
}

constexpr std::string_view kTooMany = "too many subscriptions on this connection";
constexpr std::string_view kUriIsMissing = "params.uri has to be the URI of a resource";

// The resources that a stream watches, resolved by a worker.
struct Opening {
  SubscriptionFilter filter;
  SubscriptionHub::Versions versions;
};

// Reads the versions of the watched resources. Removes resources that do not exist from the filter.
Result<std::string> find_versions_of(Opening& opening, const ResourceRegistry& resources, ToolContext& context) {
  for (const std::string& uri : std::exchange(opening.filter.resources, {})) {
    const auto version = resources.version(uri, context);
    if (!version && !version.error().is(Errc::not_found) && !version.error().is(Errc::invalid_argument))
      return version.error();
    if (!version) continue;
    opening.filter.resources.push_back(uri);
    opening.versions.resources.emplace_back(uri, *version);
  }
  if (opening.filter.resources_list_changed) {
    MEMD_TRY_ASSIGN(opening.versions.list, resources.list_version(context));
  }
  return std::string();
}

}  // namespace

std::string resuming_line(std::size_t count) {
  return jsonrpc::notification_line(kResuming, R"({"subscriptions":)" + std::to_string(count) + "}");
}

std::string subscription_meta(std::string_view id) {
  return R"({"io.modelcontextprotocol/subscriptionId":)" + std::string(id) + "}";
}

std::string SubscriptionFilter::to_json() const {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  if (resources_list_changed) w.member_bool("resourcesListChanged", true);
  if (!resources.empty()) w.member_texts("resourceSubscriptions", resources);
  w.end_object();
  return out;
}

std::optional<SubscriptionFilter> read_filter(const bj::value& notifications) {
  if (!notifications.is_object()) return std::nullopt;
  const bj::object& wanted = notifications.get_object();
  SubscriptionFilter out;
  out.resources_list_changed = is_true(wanted, "resourcesListChanged");
  const bj::value* uris = wanted.if_contains("resourceSubscriptions");
  if (uris == nullptr || uris->is_null()) return out;
  if (!uris->is_array()) return std::nullopt;
  for (const bj::value& uri : uris->get_array()) {
    if (!uri.is_string()) return std::nullopt;
    std::string text(std::string_view(uri.get_string()));
    if (!holds(out.resources, text)) out.resources.push_back(std::move(text));
  }
  return out;
}

void Subscriptions::open(const std::string& id, SubscriptionFilter filter, const SubscriptionHub::Versions& versions) {
  for (const auto& [uri, version] : versions.resources)
    hub_.add(uri, version.value_or(0));
  if (filter.resources_list_changed) hub_.add_list(versions.list.value_or(0));
  streams_.insert_or_assign(id, std::move(filter));
}

bool Subscriptions::close(const std::string& id) {
  const auto it = streams_.find(id);
  if (it == streams_.end()) return false;
  leave(it->second);
  streams_.erase(it);
  return true;
}

void Subscriptions::leave(const SubscriptionFilter& filter) {
  for (const std::string& uri : filter.resources)
    hub_.remove(uri);
  if (filter.resources_list_changed) hub_.remove_list();
}

std::optional<std::string> Subscriptions::any_stream() const {
  if (streams_.empty()) return std::nullopt;
  return streams_.begin()->first;
}

void Subscriptions::subscribe(const std::string& uri, std::uint64_t version) {
  if (holds(legacy_, uri)) return;
  legacy_.push_back(uri);
  hub_.add(uri, version);
}

void Subscriptions::unsubscribe(const std::string& uri) {
  if (std::erase(legacy_, uri) > 0) hub_.remove(uri);
}

void Subscriptions::watch_list(std::uint64_t version) {
  if (std::exchange(legacy_list_, true)) return;
  hub_.add_list(version);
}

std::size_t Subscriptions::resources() const {
  std::size_t n = legacy_.size();
  for (const auto& [id, filter] : streams_)
    n += filter.resources.size();
  return n;
}

void Subscriptions::clear() {
  for (const auto& [id, filter] : std::exchange(streams_, {}))
    leave(filter);
  for (const std::string& uri : std::exchange(legacy_, {}))
    hub_.remove(uri);
  if (std::exchange(legacy_list_, false)) hub_.remove_list();
}

std::vector<std::string> Subscriptions::changed(const SubscriptionHub::Changes& changes) const {
  std::vector<std::string> out;
  if (changes.list && legacy_list_) out.push_back(line(kResourcesChanged, {}));
  for (const auto& [id, filter] : streams_)
    if (changes.list && filter.resources_list_changed) out.push_back(line(kResourcesChanged, id));
  for (const std::string& uri : changes.resources) {
    if (holds(legacy_, uri)) out.push_back(line(kUpdated, {}, uri));
    for (const auto& [id, filter] : streams_)
      if (holds(filter.resources, uri)) out.push_back(line(kUpdated, id, uri));
  }
  return out;
}

bool SubscriptionMethods::take_resumed() {
  if (resuming_ <= 0) return false;
  --resuming_;
  return true;
}

void SubscriptionMethods::subscribe(jsonrpc::Request& request, Revision revision, std::shared_ptr<BatchReply> batch) {
  const bool resumed = take_resumed();
  const auto uri = string_member(request.params, "uri");
  if (!uri) return replies_.answer_error(request, kInvalidParams, kUriIsMissing, batch);
  if (subscriptions_.resources() >= profile_.limits().max_watched_resources)
    return replies_.answer_error(request, kInvalidRequest, kTooMany, batch);
  auto version = std::make_shared<std::uint64_t>(0);
  std::string watched(*uri);
  auto call = std::make_shared<Call>(std::move(request.id), std::move(request.params), revision, std::move(batch));
  call->not_found_code = kResourceNotFound;
  call->names_resource = true;
  call->subscribes = watched;
  call->work = [this, version](const Call& c, ToolContext& context) -> Result<std::string> {
    MEMD_TRY_ASSIGN(*version, profile_.resources()->version(*string_member(c.params, "uri"), context));
    return std::string("{}");
  };
  call->on_success = [this, version, resumed, watched = std::move(watched)] {
    subscriptions_.subscribe(watched, resumed ? kUnknownVersion : *version);
  };
  calls_.admit(std::move(call));
}

void SubscriptionMethods::unsubscribe(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch) {
  const auto uri = string_member(request.params, "uri");
  if (!uri) return replies_.answer_error(request, kInvalidParams, kUriIsMissing, batch);
  calls_.do_not_watch(*uri);  // a worker may still look up what was subscribed to just before
  subscriptions_.unsubscribe(std::string(*uri));
  replies_.answer(batch, jsonrpc::result_line(request.id, "{}"));
}

void SubscriptionMethods::watch_list_with(Call& call) {
  const bool resumed = take_resumed();
  if (subscriptions_.watches_list()) return;
  auto version = std::make_shared<std::uint64_t>(0);
  call.work = [this, version, list = std::move(call.work)](const Call& c, ToolContext& context) -> Result<std::string> {
    MEMD_TRY_ASSIGN(*version, profile_.resources()->list_version(context));
    return list(c, context);
  };
  call.on_success = [this, version, resumed] { subscriptions_.watch_list(resumed ? kUnknownVersion : *version); };
}

void SubscriptionMethods::listen(jsonrpc::Request& request) {
  const bool resumed = take_resumed();
  const boost::json::value* wanted = member(request.params, "notifications");
  auto filter = wanted != nullptr ? read_filter(*wanted) : std::nullopt;
  if (!filter)
    return replies_.answer_error(request, kInvalidParams,
                                 "params.notifications has to be an object: resourcesListChanged, "
                                 "resourceSubscriptions (a list of URIs)",
                                 nullptr);
  if (profile_.resources() == nullptr) {
    filter->resources.clear();
    filter->resources_list_changed = false;
  }
  if (subscriptions_.streams() >= profile_.limits().max_subscriptions ||
      subscriptions_.resources() + filter->resources.size() > profile_.limits().max_watched_resources)
    return replies_.answer_error(request, kInvalidRequest, kTooMany, nullptr);

  auto opening = std::make_shared<Opening>();
  opening->filter = std::move(*filter);
  const auto open = [this, opening, resumed, id = request.id] {
    const std::string accepted = opening->filter.to_json();
    replies_.write(
        jsonrpc::notification_line("notifications/subscriptions/acknowledged",
                                   R"({"notifications":)" + accepted + R"(,"_meta":)" + subscription_meta(id) + "}"));
    if (resumed) opening->versions.forget();
    subscriptions_.open(id, std::move(opening->filter), opening->versions);
  };
  if (opening->filter.resources.empty() && !opening->filter.resources_list_changed) return open();
  auto call = std::make_shared<Call>(std::move(request.id), std::move(request.params), Revision::v2026_07_28, nullptr);
  call->on_success = open;
  call->work = [this, opening](const Call&, ToolContext& context) {
    return find_versions_of(*opening, *profile_.resources(), context);
  };
  calls_.admit(std::move(call));
}

void SubscriptionMethods::tell_resources_changed(const SubscriptionHub::Changes& changes) {
  for (const std::string& line : subscriptions_.changed(changes))
    replies_.write(line);
}

// Sends a cancellation and a final result: the specification asks for one in one place and the other in another.
void SubscriptionMethods::end_streams() {
  while (const auto id = subscriptions_.any_stream()) {
    subscriptions_.close(*id);
    replies_.write(jsonrpc::notification_line("notifications/cancelled", R"({"requestId":)" + *id + "}"));
    replies_.write(jsonrpc::result_line(*id, profile_.subscription_end_result(*id)));
  }
}

}  // namespace memd::mcp
