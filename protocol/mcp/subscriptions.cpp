#include "protocol/mcp/subscriptions.hpp"

#include "protocol/jsonrpc/message.hpp"
#include "schemas/json_writer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace memd::mcp {
namespace {

namespace bj = boost::json;

constexpr std::string_view kToolsChanged = "notifications/tools/list_changed";
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
  if (tools_list_changed) w.member_bool("toolsListChanged", true);
  if (resources_list_changed) w.member_bool("resourcesListChanged", true);
  if (!resources.empty()) {
    w.key("resourceSubscriptions");
    w.begin_array();
    for (const std::string& uri : resources)
      w.string(uri);
    w.end_array();
  }
  w.end_object();
  return out;
}

std::optional<SubscriptionFilter> read_filter(const bj::value& notifications) {
  if (!notifications.is_object()) return std::nullopt;
  const bj::object& wanted = notifications.get_object();
  SubscriptionFilter out;
  out.tools_list_changed = is_true(wanted, "toolsListChanged");
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

std::vector<std::string> Subscriptions::tools_changed(bool legacy) const {
  std::vector<std::string> out;
  if (legacy) out.push_back(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  for (const auto& [id, filter] : streams_)
    if (filter.tools_list_changed) out.push_back(line(kToolsChanged, id));
  return out;
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

}  // namespace memd::mcp
