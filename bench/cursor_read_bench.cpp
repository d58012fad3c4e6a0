#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "test/support/cursor_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

// What it costs to find one new bubble in a Cursor database of a given size: the adapter alone, without the store.
// usage: cursor_read_bench [MEGABYTES] [FILE]; an existing FILE is used as it is.
namespace {

using namespace memd;
using Clock = std::chrono::steady_clock;

std::uint64_t bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string name;
  std::uint64_t value = 0;
  in >> name >> value;
  return value;
}

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
  const auto start = Clock::now();
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
  result.ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  result.bytes = bytes_read() - before;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const auto megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const auto folder = std::filesystem::temp_directory_path() / "memd-cursor-bench";
  const std::filesystem::path file =
      argc > 2 ? std::filesystem::path(argv[2]) : folder / "Cursor/User/globalStorage/state.vscdb";
  if (argc <= 2) std::filesystem::remove_all(folder);
  const bool there = std::filesystem::exists(file);
  test::CursorState cursor(file);
  const int conversations = there ? 1 : cursor.fill(megabytes * 1'000'000);
  std::printf("%.1f MB on disk, %d conversations\n", static_cast<double>(std::filesystem::file_size(file)) / 1e6,
              conversations);

  const Adapter& adapter = *find_adapter(Platform::cursor);
  const DiskView files;
  Source source;
  source.platform = Platform::cursor;
  source.path = file.string();
  source.format = SourceFormat::sqlite;
  std::vector<std::pair<std::string, std::vector<SourceItem>>> known;
  const Look first = look(adapter, files, source, known, true);
  std::printf("first look: %.0f ms, %.1f MB read, %zu conversations, %zu items\n", first.ms,
              static_cast<double>(first.bytes) / 1e6, first.sessions, first.items);

  std::vector<double> times;
  std::uint64_t most = 0;
  for (int i = 0; i < 100; ++i) {
    cursor.add_bubble(i % std::min(conversations, 3), test::CursorState::kBubbles + i);
    const Look next = look(adapter, files, source, known, false);
    times.push_back(next.ms);
    most = std::max(most, next.bytes);
  }
  std::sort(times.begin(), times.end());
  std::printf("one new bubble: median %.2f ms, p95 %.2f ms, worst %.2f ms; at most %.0f kB read\n", times[50],
              times[95], times[99], static_cast<double>(most) / 1e3);
  if (argc <= 2) std::filesystem::remove_all(folder);
  return 0;
}
