#include "protocol/mcp/subscription_hub.hpp"

namespace memd::mcp {

void SubscriptionHub::Versions::forget() {
  for (auto& [uri, version] : resources)
    version = kUnknownVersion;
  list = kUnknownVersion;
}

void SubscriptionHub::added() {
  ++watchers_;
  if (on_added_) on_added_();
}

// A second watcher leaves the version alone: it may be told once too often, the first never too seldom.
void SubscriptionHub::add(const std::string& uri, std::uint64_t version) {
  Watched& watched = resources_[uri];
  if (watched.watchers++ == 0 || version == kUnknownVersion) watched.version = version;
  added();
}

void SubscriptionHub::remove(const std::string& uri) {
  const auto it = resources_.find(uri);
  if (it == resources_.end()) return;
  if (--it->second.watchers == 0) resources_.erase(it);
  --watchers_;
}

void SubscriptionHub::add_list(std::uint64_t version) {
  if (list_watchers_++ == 0 || version == kUnknownVersion) list_version_ = version;
  added();
}

void SubscriptionHub::remove_list() {
  --list_watchers_;
  --watchers_;
}

SubscriptionHub::Versions SubscriptionHub::watched() const {
  Versions out;
  for (const auto& [uri, watched] : resources_)
    out.resources.emplace_back(uri, std::nullopt);
  return out;
}

SubscriptionHub::Changes SubscriptionHub::update(const Versions& found) {
  Changes out;
  for (const auto& [uri, version] : found.resources) {
    const auto it = resources_.find(uri);
    if (it == resources_.end() || !version || *version == it->second.version) continue;
    it->second.version = *version;
    out.resources.push_back(uri);
  }
  if (list_watchers_ > 0 && found.list && *found.list != list_version_) {
    list_version_ = *found.list;
    out.list = true;
  }
  return out;
}

}  // namespace memd::mcp
