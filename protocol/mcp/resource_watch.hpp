#pragma once

#include "protocol/mcp/offers.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace memd::mcp {

struct Executors;  // server_state.hpp

inline constexpr std::uint64_t kUnknownVersion = 0;  // differs from the version of every resource

// Counts the watchers of each resource over all connections of a process, and stores the version last reported to them.
// Loop thread, except idle().
class SubscriptionHub {
 public:
  // `f` is called when a watch begins, to detect changes since its version was read.
  void on_added(std::function<void()> f) { on_added_ = std::move(f); }

  void add(const std::string& uri, std::uint64_t version);
  void remove(const std::string& uri);
  void add_list(std::uint64_t version);  // the list of resources
  void remove_list();
  bool idle() const { return watchers_ == 0; }  // from any thread

  struct Versions {
    std::vector<std::pair<std::string, std::optional<std::uint64_t>>> resources;  // nullopt: could not be read
    std::optional<std::uint64_t> list;                                            // likewise, or nobody watches it

    void forget();  // makes all versions unknown
  };
  // The watched resources, without versions.
  Versions watched() const;
  bool list_is_watched() const { return list_watchers_ > 0; }

  struct Changes {
    std::vector<std::string> resources;
    bool list = false;
  };
  // Stores the versions found and returns the changes.
  Changes update(const Versions& found);

 private:
  struct Watched {
    std::size_t watchers = 0;
    std::uint64_t version = 0;
  };
  void added();

  std::map<std::string, Watched, std::less<>> resources_;
  std::size_t list_watchers_ = 0;
  std::uint64_t list_version_ = 0;
  std::atomic<std::size_t> watchers_{0};
  std::function<void()> on_added_;
};

// Reads the versions of the watched resources after a commit and reports the changes. Debounces hints: reads begin at
// least `interval` apart. Does nothing while no resource is watched. Loop thread, except hint().
// Borrows everything.
class ResourceWatch {
 public:
  using Tell = std::function<void(const SubscriptionHub::Changes&)>;
  // `resources` may be null: then hint() does nothing.
  ResourceWatch(boost::asio::io_context& loop, const Executors& executors, const ResourceRegistry* resources,
                SubscriptionHub& hub, Tell tell, std::chrono::milliseconds interval = std::chrono::seconds(1));

  // Call it when something may have changed. Any thread; cheap.
  void hint();
  void stop();

 private:
  void schedule();
  void look();

  const Executors& executors_;
  const ResourceRegistry* const resources_;
  SubscriptionHub& hub_;
  const Tell tell_;
  const std::chrono::milliseconds interval_;
  boost::asio::steady_timer timer_;
  std::optional<std::chrono::steady_clock::time_point> last_look_;
  std::atomic<bool> hinted_{false};
  bool looking_ = false;
  int retries_ = 0;
  std::stop_source stop_;
};

// Reads the versions of the `wanted` resources. A version that cannot be read becomes nullopt. A resource that does not
// exist has a special version. Call it on a worker.
SubscriptionHub::Versions find_versions(const ResourceRegistry& resources, SubscriptionHub::Versions wanted,
                                        bool with_list, std::stop_token stop);

}  // namespace memd::mcp
