#pragma once

#include "protocol/mcp/resource_registry.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {

inline constexpr std::uint64_t kUnknownVersion = 0;  // of what is there: none that it has

// Which resources the clients of this process want to be told of, and as what they know them. Used on the loop, but
// for what says otherwise.
class SubscriptionHub {
 public:
  // Called when somebody starts to watch: what changed since its version was taken has to be noticed.
  void on_added(std::function<void()> f) { on_added_ = std::move(f); }

  void add(const std::string& uri, std::uint64_t version);
  void remove(const std::string& uri);
  void add_list(std::uint64_t version);  // the list of resources
  void remove_list();
  bool idle() const { return watchers_ == 0; }  // from any thread

  struct Versions {
    std::vector<std::pair<std::string, std::optional<std::uint64_t>>> resources;  // nullopt: could not be told
    std::optional<std::uint64_t> list;                                            // likewise, or nobody wants it

    void forget();  // all are unknown
  };
  // What to look at; the versions are empty.
  Versions watched() const;
  bool list_is_watched() const { return list_watchers_ > 0; }

  struct Changes {
    std::vector<std::string> resources;
    bool list = false;
  };
  // Remembers what is found, and says what is new in it.
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

}  // namespace memd::mcp
