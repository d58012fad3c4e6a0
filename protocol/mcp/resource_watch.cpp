#include "protocol/mcp/resource_watch.hpp"

#include "protocol/mcp/server_state.hpp"
#include "schemas/base/error.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace memd::mcp {

namespace {

constexpr std::uint64_t kGone = 1;  // version of a resource that does not exist; others are above 1
constexpr int kMaxRetries = 5;      // of an incomplete read, without a new hint

std::optional<std::uint64_t> version_or_nothing(const ResourceRegistry::Version& version) {
  if (version) return *version;
  if (version.error().is(Errc::not_found)) return kGone;
  return std::nullopt;
}

bool tells_all(const SubscriptionHub::Versions& found, bool with_list) {
  return (found.list || !with_list) && std::all_of(found.resources.begin(), found.resources.end(),
                                                   [](const auto& r) { return r.second.has_value(); });
}

}  // namespace

void SubscriptionHub::Versions::forget() {
  for (auto& [uri, version] : resources)
    version = kUnknownVersion;
  list = kUnknownVersion;
}

void SubscriptionHub::added() {
  ++watchers_;
  if (on_added_) on_added_();
}

// A second watcher does not change the version: it may get one notification too many, but the first never misses one.
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

SubscriptionHub::Versions find_versions(const ResourceRegistry& resources, SubscriptionHub::Versions wanted,
                                        bool with_list, std::stop_token stop) {
  ToolContext context(std::move(stop));
  for (auto& [uri, version] : wanted.resources)
    version = version_or_nothing(resources.version(uri, context));
  if (with_list) wanted.list = version_or_nothing(resources.list_version(context));
  return wanted;
}

ResourceWatch::ResourceWatch(boost::asio::io_context& loop, const Executors& executors,
                             const ResourceRegistry* resources, SubscriptionHub& hub, Tell tell,
                             std::chrono::milliseconds interval)
    : executors_(executors),
      resources_(resources),
      hub_(hub),
      tell_(std::move(tell)),
      interval_(interval),
      timer_(loop) {
  hub_.on_added([this] { hint(); });
}

void ResourceWatch::hint() {
  if (resources_ == nullptr || hub_.idle() || hinted_.exchange(true)) return;
  executors_.to_loop([this] { schedule(); });
}

void ResourceWatch::schedule() {
  if (looking_ || stop_.stop_requested()) return;
  const auto now = std::chrono::steady_clock::now();
  if (!last_look_ || now - *last_look_ >= interval_) return look();
  timer_.expires_at(*last_look_ + interval_);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (!ec && !stop_.stop_requested()) look();
  });
}

void ResourceWatch::look() {
  hinted_ = false;  // before the store is read: a later commit causes another read
  if (hub_.idle()) return;
  looking_ = true;
  last_look_ = std::chrono::steady_clock::now();
  executors_.to_worker([this, wanted = hub_.watched(), list = hub_.list_is_watched(), stop = stop_.get_token()] {
    auto found = std::make_shared<SubscriptionHub::Versions>();
    try {
      *found = find_versions(*resources_, wanted, list, stop);
    } catch (const std::exception&) {
      *found = wanted;
    }
    executors_.to_loop([this, found, list] {
      looking_ = false;
      const auto changes = hub_.update(*found);
      if (!stop_.stop_requested() && (changes.list || !changes.resources.empty())) tell_(changes);
      retries_ = tells_all(*found, list) ? 0 : retries_ + 1;
      if (retries_ > 0 && retries_ <= kMaxRetries) hinted_ = true;
      if (hinted_) schedule();
    });
  });
}

void ResourceWatch::stop() {
  stop_.request_stop();
  timer_.cancel();
}

}  // namespace memd::mcp
