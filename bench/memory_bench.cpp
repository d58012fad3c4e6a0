// Measures memories at scale: synthetic ones in one directory are indexed anew, searched, written, and edited by hand
// while the daemon's watcher runs.
//
//   memory_bench [MEMORIES = 10000] [QUESTIONS = 300] [EDITS = 60]
#include "bench/statistics.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/watcher.hpp"
#include "daemon/memories/indexer_thread.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/catalog/memory_search.hpp"
#include "store/files/whole_file.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace memd;
using SteadyClock = std::chrono::steady_clock;

double ms_since(SteadyClock::time_point start) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

double cpu_ms(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}
double process_cpu_ms() { return cpu_ms(CLOCK_PROCESS_CPUTIME_ID); }
double thread_cpu_ms() { return cpu_ms(CLOCK_THREAD_CPUTIME_ID); }

// Generates words with the frequencies of prose: Zipf over a synthetic vocabulary.
class Prose {
 public:
  explicit Prose(unsigned seed) : random_(seed) {
    static constexpr const char* kSyllables[] = {"ba", "cor", "del", "fi", "gan", "hol", "in",  "jo", "ke", "lum",
                                                 "ma", "ne",  "or",  "pa", "qui", "ra",  "sel", "ta", "ul", "ver"};
    for (int i = 0; i < 6000; ++i) {
      std::string word;
      for (int n = i; word.size() < 4 || n > 0; n /= 20)
        word += kSyllables[n % 20];
      words_.push_back(word);
    }
  }
  const std::string& word() {
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    const auto rank = static_cast<std::size_t>(std::pow(static_cast<double>(words_.size()), u)) - 1;
    return words_[std::min(rank, words_.size() - 1)];
  }
  std::string words(int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
      out += (i == 0 ? "" : i % 12 == 0 ? ".\n" : " ") + word();
    return out;
  }

 private:
  std::mt19937 random_;
  std::vector<std::string> words_;
};

void make_memories(const fs::path& directory, int count, Prose& prose) {
  fs::create_directories(directory);
  for (int i = 0; i < count; ++i) {
    const std::string slug = "learning-" + std::to_string(i);
    std::ofstream(directory / (slug + ".md"))
        << "---\ntype: learning\ntags:\n  - " << prose.word() << "\n  - made-up\ncreated: \"2026-01-10T10:00:00Z\"\n"
        << "updated: \"2026-01-10T10:30:00Z\"\nlinks: []\n---\n\n# " << prose.words(5) << "\n\n"
        << prose.words(120) << ". See `src/" << prose.word() << ".cpp`.\n";
  }
}

void row(const char* what, const std::vector<double>& samples) {
  std::printf("%-34s p50 %8.2f ms   p95 %8.2f ms   max %8.2f ms   (%zu)\n", what, bench::percentile(samples, 0.5),
              bench::percentile(samples, 0.95), bench::percentile(samples, 1), samples.size());
}

template <class T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

int measure(int memories, int questions, int edits) {
  char pattern[] = "/tmp/memory-bench-XXXXXX";
  const fs::path root = ::mkdtemp(pattern);
  const fs::path home = root / "home";
  const fs::path place = home / ".claude/memory";
  Prose prose(1);
  make_memories(place, memories, prose);

  auto writer = need(Writer::open(root / "memd.db", system_clock()));
  std::mutex writing;
  boost::asio::io_context loop{1};
  const Discovery discovery({}, home, {}, {});
  std::unique_ptr<Watcher> watcher;
  memories::IndexerParts parts;
  parts.database = root / "memd.db";
  parts.home = home;
  parts.perform = [&](std::function<Result<void>(Writer&)> task) {
    const std::lock_guard lock(writing);
    return task(*writer);
  };
  parts.watch = [&](std::vector<fs::path> directories) {
    boost::asio::post(loop, [&, directories = std::move(directories)] { watcher->watch_also(directories); });
  };
  memories::IndexerThread indexer(parts, system_clock());
  Watcher::Callbacks tell;
  tell.source_changed = [](const SourceCandidate&, const fs::path&) {};
  tell.changed = [](const fs::path&) {};
  tell.rescan = [&] { indexer.hint_everything(); };
  tell.also_changed = [&](const fs::path& path) {
    if (memories::may_be_memory(path)) indexer.hint(path);
  };
  watcher = make_watcher(loop, discovery, tell);
  watcher->start();
  auto guard = boost::asio::make_work_guard(loop);
  std::jthread looping([&] { loop.run(); });
  indexer.start();
  if (!indexer.settle(std::chrono::minutes(2))) throw std::runtime_error(indexer.trouble());

  std::vector<double> rebuilds;
  std::vector<double> rebuild_cpu;
  for (int i = 0; i < 5; ++i) {
    const auto start = SteadyClock::now();
    const double cpu = process_cpu_ms();
    need(indexer.rebuild("benchmark"));
    rebuilds.push_back(ms_since(start));
    rebuild_cpu.push_back(process_cpu_ms() - cpu);
  }
  row("rebuild", rebuilds);
  row("rebuild, CPU of all threads", rebuild_cpu);

  Reader reader(root / "memd.db");
  const auto ask = [&](const std::string& text) {
    catalog::MemorySearch question;
    question.now = system_clock().now();
    question.asked = search::parse_query(text, question.now);
    return need(reader.ask(question));
  };
  const auto first = SteadyClock::now();
  const auto found = ask("nothing of this");
  std::printf("%-34s %12.2f ms, of %lld memories\n", "first search of a connection", ms_since(first),
              static_cast<long long>(found.docs));
  std::vector<double> searches;
  std::vector<double> search_cpu;
  for (int i = 0; i < questions; ++i) {
    const std::string text = prose.words(2 + i % 6);
    const auto start = SteadyClock::now();
    const double cpu = process_cpu_ms();
    if (ask(text).hits.empty()) std::printf("nothing is found for %s\n", text.c_str());
    searches.push_back(ms_since(start));
    search_cpu.push_back(process_cpu_ms() - cpu);
  }
  row("search", searches);
  row("search, CPU", search_cpu);

  memory::MemoryDirectory directory({MemoryScope::global, MemoryDialect::plugin, place}, {}, system_clock());
  need(directory.rebuild());
  std::vector<double> writes;
  std::vector<double> write_cpu;
  for (int i = 0; i < edits; ++i) {
    Memory draft;
    draft.type = MemoryType::learning;
    draft.title = "Written " + std::to_string(i) + " " + prose.words(3);
    draft.tags = {"written"};
    draft.content = prose.words(80) + "\n";
    const auto start = SteadyClock::now();
    const double cpu = thread_cpu_ms();
    need(directory.create(draft));
    writes.push_back(ms_since(start));
    write_cpu.push_back(thread_cpu_ms() - cpu);
  }
  row("write a memory", writes);
  row("write a memory, CPU", write_cpu);
  (void)indexer.settle(std::chrono::seconds(20));

  std::vector<double> edited;
  for (int i = 0; i < edits; ++i) {
    const std::string mark = "handmade" + std::to_string(100000 + i);
    const fs::path file = place / ("learning-" + std::to_string(i * 37 % memories) + ".md");
    const std::string bytes = need(files::read_whole(file)) + "\nBy hand: " + mark + ".\n";
    // Half the edits replace the file by renaming, half write in place, as editors do.
    const auto start = SteadyClock::now();
    if (i % 2 == 0) {
      std::ofstream(place / "learning.swap") << bytes;
      fs::rename(place / "learning.swap", file);
    } else {
      std::ofstream(file) << bytes;
    }
    for (;;) {
      const auto answer = ask(mark);
      if (!answer.hits.empty() && answer.hits.front().content.find(mark) != std::string::npos) break;
      if (ms_since(start) > 5000) throw std::runtime_error("an edit was not found within 5 s");
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    edited.push_back(ms_since(start));
  }
  row("an edit by hand is found after", edited);

  indexer.stop();
  indexer.join();
  boost::asio::post(loop, [&] { watcher->stop(); });
  guard.reset();
  looping.join();
  fs::remove_all(root);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  try {
    return measure(number(1, 10'000), number(2, 300), number(3, 60));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "memory_bench: %s\n", e.what());
    return 1;
  }
}
