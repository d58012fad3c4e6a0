#include "daemon/sharing/sharing_thread.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/silent_places.hpp"
#include "daemon/log.hpp"
#include "daemon/sharing/exchange.hpp"
#include "schemas/base/error.hpp"
#include "store/read/shares.hpp"
#include "store/reader.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace memd::sharing {
namespace {

using namespace std::chrono_literals;

// Between rounds that did something: what is written meanwhile goes into one segment.
constexpr auto kAfterWork = 700ms;
constexpr auto kSilentPlace = 5s;  // between looks at a file system that reports no changes
constexpr auto kAnyPlace = 5min;
constexpr auto kAfterTrouble = 30s;

std::string name_of(const ShareRow& share) { return share.place + "\n" + share.project; }

}  // namespace

SharingThread::SharingThread(MemoryHost& host, Watch watch, Await await)
    : host_(host),
      watch_(std::move(watch)),
      await_(std::move(await)),
      store_(Reader::in_background(host.settings().layout.database())),
      thread_("memd-share", [this](const std::stop_token& stop) { return round(stop); }) {}

void SharingThread::hint(const std::filesystem::path& path) {
  {
    const std::lock_guard lock(mutex_);
    if (!watched_.contains(path) && !watched_.contains(path.parent_path())) return;
  }
  thread_.hint();
}

BackgroundThread::Next SharingThread::round(const std::stop_token& stop) {
  const auto shares = store_.ask(SharesQuery{});
  if (!shares) return {};
  std::set<std::string> known;
  for (const ShareRow& share : *shares)
    known.insert(name_of(share));
  known_.swap(known);
  // The connections of a share that was left end with all others, which are made again.
  if (!std::ranges::includes(known_, known)) sharing_.reset();
  if (known_.empty() && known.empty()) return {};
  if (!sharing_ && !known_.empty()) {
    auto opened = Sharing::open(host_);
    if (!opened) {
      log::error("sharing: {}", opened.error().message());
      return {};
    }
    sharing_.emplace(std::move(*opened));
  }
  bool did_something = false;
  BackgroundThread::Time::duration pause = kAnyPlace;
  std::set<std::filesystem::path> watched;
  std::vector<UniqueFd> sockets;
  for (const ShareRow& share : *shares) {
    if (stop.stop_requested()) return {};
    const auto done = sharing_->is_as_before(share) ? Exchanged() : sharing_->sync(share, stop);
    std::string& trouble = troubles_[name_of(share)];
    const std::string now = done ? done->waiting_why : done.error().is(Errc::cancelled) ? "" : done.error().message();
    if (now != trouble && !now.empty()) log::error("sharing {}: {}", share.project, now);
    trouble = now;
    if (!done) pause = std::min<BackgroundThread::Time::duration>(pause, kAfterTrouble);
    did_something = did_something || (done && done->sent_segments + done->taken_segments > 0);
    auto news = done ? sharing_->wait_for_news(share) : TeamServer::News();
    if (news.are_here) pause = {};
    if (news.socket)
      sockets.push_back(std::move(news.socket));
    else if (const auto remote = is_remote(share.place); remote && *remote)
      pause = std::min<BackgroundThread::Time::duration>(pause, kLookAtHostEvery);
    else if (!file_system_of(share.place).silent.empty())
      pause = std::min<BackgroundThread::Time::duration>(pause, kSilentPlace);
    if (const auto place = sharing_->place_of(share))
      for (auto& directory : place->watched())
        watched.insert(std::move(directory));
  }
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    changed = watched_ != watched;
    if (changed) watched_ = watched;
  }
  if (changed && watch_) watch_({watched.begin(), watched.end()});
  const bool awaited = std::exchange(awaits_, !sockets.empty());
  if (await_ && (awaits_ || awaited)) await_(std::move(sockets));
  if (did_something || changed) return {std::chrono::steady_clock::now() + kAfterWork, BackgroundThread::Hints::ignore};
  return {std::chrono::steady_clock::now() + pause};
}

}  // namespace memd::sharing
