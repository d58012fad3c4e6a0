#include "daemon/ingest/watcher.hpp"

#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/polling_watcher.hpp"
#ifdef __linux__
#include "daemon/ingest/inotify_watcher.hpp"
#endif

#include <utility>

namespace memd {

std::unique_ptr<Watcher> make_watcher(boost::asio::io_context& loop, const Discovery& discovery,
                                      Watcher::Callbacks callbacks, WatchOptions options) {
#ifdef __linux__
  if (!options.only_poll) return std::make_unique<InotifyWatcher>(loop, discovery, std::move(callbacks), options);
#endif
  return std::make_unique<TreeWatcher>(loop, discovery, std::move(callbacks), options.poll_interval, "",
                                       make_change_bell(loop));
}

}  // namespace memd
