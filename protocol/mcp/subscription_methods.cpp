#include "protocol/mcp/subscription_methods.hpp"

#include "protocol/mcp/offered_methods.hpp"
#include "protocol/mcp/request_params.hpp"

#include <utility>

namespace memd::mcp {
namespace {

using jsonrpc::kInvalidParams;
using jsonrpc::kInvalidRequest;

constexpr std::string_view kTooMany = "too many subscriptions on this connection";
constexpr std::string_view kUriIsMissing = "params.uri has to be the URI of a resource";

// What a stream watches, found out by a worker.
struct Opening {
  SubscriptionFilter filter;
  SubscriptionHub::Versions versions;
};

// A resource that does not exist is left out of the filter.
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
                                 "params.notifications has to be an object: toolsListChanged, resourcesListChanged, "
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

void SubscriptionMethods::tell_tools_changed(bool shook_hands) {
  for (const std::string& line : subscriptions_.tools_changed(shook_hands))
    replies_.write(line);
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
