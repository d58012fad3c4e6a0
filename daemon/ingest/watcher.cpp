#include "daemon/ingest/watcher.hpp"

#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/polling_watcher.hpp"
#ifdef __linux__
#include "daemon/ingest/inotify_watcher.hpp"
#else
#include "daemon/ingest/kqueue_bell.hpp"
#endif

#include <utility>

namespace memd {

std::unique_ptr<Watcher> make_watcher(boost::asio::io_context& loop, const Discovery& discovery,
                                      Watcher::Callbacks callbacks, WatchOptions options) {
#ifdef __linux__
  if (!options.only_poll) return std::make_unique<InotifyWatcher>(loop, discovery, std::move(callbacks), options);
  std::unique_ptr<ChangeBell> bell;
#else
  auto bell = make_kqueue_bell(loop);
#endif
  return std::make_unique<TreeWatcher>(loop, discovery, std::move(callbacks), options.poll_interval, "",
                                       std::move(bell));
}

}  // namespace memd
