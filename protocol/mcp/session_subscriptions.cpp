#include "protocol/mcp/call.hpp"
#include "protocol/mcp/offered_methods.hpp"
#include "protocol/mcp/params.hpp"
#include "protocol/mcp/resource_watch.hpp"
#include "protocol/mcp/session.hpp"

#include <utility>

// Subscriptions of both eras. A worker finds out how the resource reads now before the client is told that it is
// watched, so no change between the two goes by.
namespace memd::mcp {
namespace {

using jsonrpc::kInvalidParams;
using jsonrpc::kInvalidRequest;

constexpr std::string_view kTooMany = "too many subscriptions on this connection";

}  // namespace

bool Session::take_resumed() {
  if (resuming_ <= 0) return false;
  --resuming_;
  return true;
}

void Session::handle_subscribe(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch) {
  const bool resumed = take_resumed();
  const auto uri = string_member(request.params, "uri");
  if (!uri) return answer_error(request, kInvalidParams, "params.uri has to be the URI of a resource", batch);
  if (subscriptions_.resources() >= profile_.limits().max_watched_resources)
    return answer_error(request, kInvalidRequest, kTooMany, batch);
  auto version = std::make_shared<std::uint64_t>(0);
  auto call = make_call(request, std::move(request.params), legacy_.value_or(kLatestLegacy), std::move(batch));
  call->not_found_code = kResourceNotFound;
  call->work = [this, version](const Call& c, ToolContext& context) -> Result<std::string> {
    MEMD_TRY_ASSIGN(*version, profile_.resources()->version(*string_member(c.params, "uri"), context));
    return std::string("{}");
  };
  call->subscribes = *string_member(call->params, "uri");
  call->on_success = [this, version, resumed, watched = call->subscribes] {
    subscriptions_.subscribe(watched, resumed ? kUnknownVersion : *version);
  };
  admit(std::move(call));
}

void Session::handle_unsubscribe(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch) {
  const auto uri = string_member(request.params, "uri");
  if (!uri) return answer_error(request, kInvalidParams, "params.uri has to be the URI of a resource", batch);
  // A worker may still be looking for what was subscribed to just before.
  for (const auto& [id, call] : in_flight_)
    if (!uri->empty() && call->subscribes == *uri) call->on_success = {};
  subscriptions_.unsubscribe(std::string(*uri));
  answer(batch, jsonrpc::result_line(request.id, "{}"));
}

// A legacy client that has seen the list is told when it changes.
void Session::watch_list_with(Call& call) {
  const bool resumed = take_resumed();
  if (subscriptions_.watches_list()) return;
  auto version = std::make_shared<std::uint64_t>(0);
  call.work = [this, version, list = std::move(call.work)](const Call& c, ToolContext& context) -> Result<std::string> {
    MEMD_TRY_ASSIGN(*version, profile_.resources()->list_version(context));
    return list(c, context);
  };
  call.on_success = [this, version, resumed] { subscriptions_.watch_list(resumed ? kUnknownVersion : *version); };
}

void Session::handle_listen(jsonrpc::Request& request) {
  const bool resumed = take_resumed();
  const boost::json::value* wanted = member(request.params, "notifications");
  auto filter = wanted != nullptr ? read_filter(*wanted) : std::nullopt;
  if (!filter)
    return answer_error(request, kInvalidParams,
                        "params.notifications has to be an object: toolsListChanged, resourcesListChanged, "
                        "resourceSubscriptions (a list of URIs)",
                        nullptr);
  if (profile_.resources() == nullptr) {
    filter->resources.clear();
    filter->resources_list_changed = false;
  }
  if (subscriptions_.streams() >= profile_.limits().max_subscriptions ||
      subscriptions_.resources() + filter->resources.size() > profile_.limits().max_watched_resources)
    return answer_error(request, kInvalidRequest, kTooMany, nullptr);

  // What there is to watch; a resource that is not there is left out of the acknowledgement.
  struct Opening {
    SubscriptionFilter filter;
    SubscriptionHub::Versions versions;
  };
  auto opening = std::make_shared<Opening>();
  opening->filter = std::move(*filter);
  auto call = make_call(request, std::move(request.params), Revision::v2026_07_28, nullptr);
  const auto open = [this, opening, resumed, id = call->id] {
    const std::string accepted = opening->filter.to_json();
    transport_->write_line(
        jsonrpc::notification_line("notifications/subscriptions/acknowledged",
                                   R"({"notifications":)" + accepted + R"(,"_meta":)" + subscription_meta(id) + "}"));
    if (resumed) opening->versions.forget();
    subscriptions_.open(id, std::move(opening->filter), opening->versions);
  };
  if (opening->filter.resources.empty() && !opening->filter.resources_list_changed) return open();
  call->on_success = open;
  call->work = [this, opening](const Call&, ToolContext& context) -> Result<std::string> {
    const ResourceRegistry& resources = *profile_.resources();
    for (const std::string& uri : std::exchange(opening->filter.resources, {})) {
      const auto version = resources.version(uri, context);
      if (!version && !version.error().is(Errc::not_found) && !version.error().is(Errc::invalid_argument))
        return version.error();
      if (!version) continue;
      opening->filter.resources.push_back(uri);
      opening->versions.resources.emplace_back(uri, *version);
    }
    if (opening->filter.resources_list_changed) {
      MEMD_TRY_ASSIGN(opening->versions.list, resources.list_version(context));
    }
    return std::string();
  };
  admit(std::move(call));
}

}  // namespace memd::mcp
