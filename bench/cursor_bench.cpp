// Measures one new bubble in a large Cursor database: the time from the commit of Cursor's transaction until a search
// finds it, and the bytes read for that (goal P12: 20 ms and 1 MB at 5 GB). Then measures the adapter alone.
//
//   cursor_bench [MEGABYTES] [DIRECTORY]     200 MB by default; a database that is there already is used as it is
#include "bench/statistics.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/source_file.hpp"
#include "store/reader.hpp"
#include "test/support/cursor_state.hpp"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace memd;
using Clock_ = std::chrono::steady_clock;

constexpr int kBubbles = 60;
constexpr int kLooks = 100;

double ms_since(Clock_::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock_::now() - start).count();
}

// Returns the bytes that this process read through read calls, from the page cache or the disk.
std::uint64_t bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string name;
  std::uint64_t value = 0;
  in >> name >> value;
  return value;
}

class Daemon {
 public:
  Daemon(const fs::path& home, const fs::path& store)
      : discovery_(all_adapters(), home, {}, {}), service_(discovery_, system_clock()) {
    auto writer = Writer::open(store, system_clock());
    if (!writer) throw std::runtime_error(writer.error().message());
    service_.on_commit([this] {
      const std::lock_guard lock(mutex_);
      ++commits_;
      committed_.notify_all();
    });
    if (auto r = service_.start(std::move(*writer)); !r) throw std::runtime_error(r.error().message());
  }
  void scan() {
    service_.scan();
    wait();
  }
  void wait() {
    if (!service_.block_until_idle(std::chrono::hours(2))) throw std::runtime_error("ingest did not end");
  }
  // Sends a hint and waits for the next commit.
  void hint(const fs::path& file) {
    std::unique_lock lock(mutex_);
    const auto before = commits_;
    service_.hint(file);
    if (!committed_.wait_for(lock, std::chrono::minutes(1), [&] { return commits_ > before; }))
      throw std::runtime_error("the bubble was not read");
  }

 private:
  const Discovery discovery_;
  IngestService service_;
  std::mutex mutex_;
  std::condition_variable committed_;
  std::uint64_t commits_ = 0;
};

struct Look {
  double ms = 0;
  std::uint64_t bytes = 0;
  std::size_t sessions = 0;
  std::size_t items = 0;
};

Look look(const Adapter& adapter, const FileView& files, Source& source,
          std::vector<std::pair<std::string, std::vector<SourceItem>>>& known, bool all) {
  Look result;
  const auto before = bytes_read();
  const auto start = Clock_::now();
  const auto reader = adapter.open_snapshot(source, files);
  const auto plan = reader->plan(source.mark).value();
  for (const auto& key : plan.sessions) {
    auto it = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == key; });
    if (it == known.end()) it = known.insert(known.end(), {key, {}});
    const auto session = reader->session(key, it->second).value();
    ++result.sessions;
    std::vector<SourceItem> now;
    for (std::size_t i = 0; i < session->items.size(); ++i) {
      const auto& item = session->items[i];
      const bool same = i < it->second.size() && (item.version == 0 || it->second[i].version == item.version);
      if (!same && !all) (void)reader->item(key, item.key).value();
      result.items += same ? 0 : 1;
      now.push_back({item.key, same ? it->second[i].version : item.version, false, false, {}});
    }
    it->second = std::move(now);
  }
  source.mark = plan.mark;
  result.ms = ms_since(start);
  result.bytes = bytes_read() - before;
  return result;
}

// Measures the adapter's cost of finding one new bubble, without the store.
void measure_adapter(const fs::path& file, test::CursorState& cursor, int conversations) {
  const Adapter& adapter = *find_adapter(Platform::cursor);
  const DiskView files;
  Source source;
  source.platform = Platform::cursor;
  source.path = file.string();
  source.format = SourceFormat::sqlite;
  std::vector<std::pair<std::string, std::vector<SourceItem>>> known;
  const Look first = look(adapter, files, source, known, true);
  std::printf("adapter alone, first look: %.0f ms, %.1f MB read, %zu conversations, %zu items\n", first.ms,
              static_cast<double>(first.bytes) / 1e6, first.sessions, first.items);
  std::vector<double> times;
  std::uint64_t most = 0;
  for (int i = 0; i < kLooks; ++i) {
    cursor.add_bubble(i % std::min(conversations, 3), test::CursorState::kBubbles + kBubbles + i);
    const Look next = look(adapter, files, source, known, false);
    times.push_back(next.ms);
    most = std::max(most, next.bytes);
  }
  std::printf("adapter alone, one new bubble: median %.2f ms, p95 %.2f ms, worst %.2f ms; at most %.0f kB read\n",
              bench::median(times), bench::percentile(times, 0.95), bench::percentile(times, 1),
              static_cast<double>(most) / 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const auto megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const fs::path dir =
      argc > 2 ? fs::path(argv[2]) : fs::temp_directory_path() / ("memd-cursor-bench-" + std::to_string(::getpid()));
  const fs::path file = dir / ".config/Cursor/User/globalStorage/state.vscdb";
  const fs::path store = dir / "store";
  try {
    fs::remove_all(store);
    fs::create_directories(store);
    const bool there = fs::exists(file);
    test::CursorState cursor(file);
    const int conversations = there ? 1 : cursor.fill(megabytes * 1'000'000);
    const double size = static_cast<double>(fs::file_size(file)) / 1e6;

    Daemon daemon(dir, store / "memd.db");
    const auto cold = Clock_::now();
    daemon.scan();
    const double cold_ms = ms_since(cold);

    Reader reader(store / "memd.db");
    std::vector<double> times;
    std::vector<double> bytes;
    for (int i = 0; i < kBubbles; ++i) {
      cursor.add_bubble(i % std::min(conversations, 3), test::CursorState::kBubbles + i);
      // A person types slower than this. Each bubble comes after a pause, so that its pass is not delayed.
      const auto quiet = Clock_::now();
      while (ms_since(quiet) < 250)
        ::usleep(10'000);
      const auto before = bytes_read();
      const auto start = Clock_::now();
      daemon.hint(file);
      times.push_back(ms_since(start));
      bytes.push_back(static_cast<double>(bytes_read() - before) / 1e3);
      daemon.wait();
    }
    measure_adapter(file, cursor, conversations);
    std::printf("Cursor database of %.0f MB, %d new bubbles, each searchable when committed\n", size, kBubbles);
    std::printf("%-40s %8.0f ms\n", "first read of all of it", cold_ms);
    std::printf("%-40s %8.1f ms   p95 %.1f ms   (goal 20 ms)\n", "one new bubble, median", bench::median(times),
                bench::percentile(times, 0.95));
    std::printf("%-40s %8.0f kB   worst %.0f kB   (goal 1000 kB)\n", "bytes read for it, median", bench::median(bytes),
                bench::percentile(bytes, 1));
    std::printf(
        "{\"mb\":%.0f,\"cold_ms\":%.0f,\"bubble_ms_p50\":%.2f,\"bubble_ms_p95\":%.2f,\"kb_read_p50\":%.0f,"
        "\"kb_read_max\":%.0f}\n",
        size, cold_ms, bench::median(times), bench::percentile(times, 0.95), bench::median(bytes),
        bench::percentile(bytes, 1));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cursor_bench: %s\n", e.what());
    if (argc <= 2) fs::remove_all(dir);
    return 1;
  }
  if (argc <= 2) fs::remove_all(dir);
  return 0;
}
