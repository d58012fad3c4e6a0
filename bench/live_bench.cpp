// Measures everything at once: a process writes like six agents into copies of a history, clients keep querying a real
// daemon, and for each agent the time from a written turn until it is found is measured (P3). Also counts error answers
// and how often the daemon made a writing agent wait for its database.
//
//   live_bench MEMD HOME [TURNS [CLIENTS]]     HOME a history to start from; 60 measured turns an agent, 8 clients
#include "bench/served_memd.hpp"
#include "bench/statistics.hpp"
#include "bench/synthetic/agents.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace memd::bench;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";

double ms_since(Time start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

std::string search(int id, const std::string& query) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":"semantic_search","arguments":{"query":)" + json_string(query) +
         R"(,"n_results":3}}})";
}

// The writing process. Reads "<agent number> <word>\n", writes a turn with that word, and answers "ok\n". In between it
// writes a turn of one agent after the other every 20 ms. Ends with its input and reports how often it had to wait.
[[noreturn]] void write_like_agents(const fs::path& home_path, int in, int out) {
  SyntheticHome home(home_path, static_cast<std::uint64_t>(::getpid()));
  const auto now = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  std::map<std::size_t, std::unique_ptr<SyntheticSession>> sessions;
  std::map<std::size_t, int> turns;
  const auto write_turn = [&](std::size_t agent, const std::string& word) {
    auto& session = sessions[agent];
    if (!session || ++turns[agent] % 40 == 0) session = home.start(kSyntheticAgents[agent % 6], now());
    Turn turn = make_turn(home.prose(), now(), 3);
    turn.prompt += " " + word;
    session->write(turn);
    session->flush();
  };
  std::string received;
  std::size_t noise = 0;
  while (true) {
    pollfd ready{in, POLLIN, 0};
    if (::poll(&ready, 1, 20) == 0) {
      write_turn(6 + noise++ % 6, "");
      continue;
    }
    char chunk[256];
    const ssize_t n = ::read(in, chunk, sizeof chunk);
    if (n <= 0) break;
    received.append(chunk, static_cast<std::size_t>(n));
    const auto nl = received.find('\n');
    if (nl == std::string::npos) continue;
    const auto space = received.find(' ');
    write_turn(static_cast<std::size_t>(std::atoi(received.c_str())), received.substr(space + 1, nl - space - 1));
    received.erase(0, nl + 1);
    if (::write(out, "ok\n", 3) != 3) break;
  }
  const std::string last = std::to_string(home.busy_errors()) + " " + std::to_string(noise) + "\n";
  static_cast<void>(!::write(out, last.data(), last.size()));
  std::_Exit(0);
}

class AgentProcess {
 public:
  explicit AgentProcess(const fs::path& home) {
    int to[2];
    int from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
      ::close(to[1]);
      ::close(from[0]);
      write_like_agents(home, to[0], from[1]);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  void write_turn(std::size_t agent, const std::string& word) {
    const std::string line = std::to_string(agent) + " " + word + "\n";
    if (::write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) throw std::runtime_error("write");
    read_line();
  }
  std::string finish() {
    ::close(to_);
    const std::string last = read_line();
    ::waitpid(pid_, nullptr, 0);
    return last;
  }

 private:
  std::string read_line() {
    std::string line;
    char c = 0;
    while (::read(from_, &c, 1) == 1 && c != '\n')
      line.push_back(c);
    return line;
  }
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

struct Asked {
  std::vector<double> ms;
  std::uint64_t errors = 0;
  std::string first_error;
};

void keep_asking(const Setup& setup, int serial, const std::atomic<bool>& stop, Asked& asked) {
  Connection connection(setup.socket());
  connection.ask(kInitialize);
  Prose prose(static_cast<std::uint64_t>(serial) + 100);
  int id = 10;
  while (!stop) {
    const auto start = Clock::now();
    std::string answer;
    if (id % 5 == 0)
      answer = connection.ask(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id) +
                              R"(,"method":"tools/call","params":{"name":"recent_turns","arguments":{"n_turns":3}}})");
    else
      answer = connection.ask(search(++id, prose.sentence(1 + prose.below(6))));
    asked.ms.push_back(ms_since(start));
    const bool failed =
        answer.find("\"isError\":true") != std::string::npos || answer.find("\"error\":{") != std::string::npos;
    if (failed && asked.errors++ == 0) asked.first_error = answer.substr(0, 300);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // thinking time of a person or an agent
  }
}

int run(const char* memd, const fs::path& history, int measured, int clients) {
  Setup setup(memd);
  copy_history(history, setup.home);
  AgentProcess agents(setup.home);  // forks before there are threads
  Child child(setup.memd, setup.arguments({"--stdio"}));
  child.ask(kInitialize);
  Connection prober(setup.socket());
  prober.ask(kInitialize);
  while (prober.ask(R"({"jsonrpc":"2.0","id":2,"method":"memd/status","params":{}})").find("\"idle\":true") ==
         std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));

  std::atomic<bool> stop{false};
  std::vector<Asked> asked(static_cast<std::size_t>(clients));
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] { keep_asking(setup, i, stop, asked[static_cast<std::size_t>(i)]); });

  std::printf("%-14s %8s %8s %8s %8s   turn written to found, ms (goal p50 10, p95 50, p99 150)\n", "agent", "p50",
              "p95", "p99", "max");
  int id = 1000;
  int lost = 0;
  for (std::size_t agent = 0; agent < kSyntheticAgents.size(); ++agent) {
    std::vector<double> ms;
    for (int i = 0; i < measured; ++i) {
      const std::string word = "zyx" + std::to_string(agent) + "q" + std::to_string(i) + "wv";
      agents.write_turn(agent, word);
      const auto start = Clock::now();
      while (prober.ask(search(++id, word)).find("\"exchange_id\"") == std::string::npos && ms_since(start) < 10'000) {
      }
      if (ms_since(start) >= 10'000) ++lost;
      ms.push_back(ms_since(start));
    }
    std::printf("%-14s %8.2f %8.2f %8.2f %8.2f\n", std::string(kSyntheticAgents[agent]).c_str(), percentile(ms, 0.5),
                percentile(ms, 0.95), percentile(ms, 0.99), percentile(ms, 1.0));
    std::fflush(stdout);
  }
  stop = true;
  for (auto& thread : threads)
    thread.join();
  Asked all;
  for (const auto& a : asked) {
    all.ms.insert(all.ms.end(), a.ms.begin(), a.ms.end());
    all.errors += a.errors;
    if (all.first_error.empty()) all.first_error = a.first_error;
  }
  const std::string last = agents.finish();
  std::printf("%d clients: %zu answers, p50 %.2f p95 %.2f p99 %.2f ms, %llu errors\n", clients, all.ms.size(),
              percentile(all.ms, 0.5), percentile(all.ms, 0.95), percentile(all.ms, 0.99),
              static_cast<unsigned long long>(all.errors));
  std::printf(
      "databases: %d times a writing agent met SQLITE_BUSY; %s turns written in the background; %d never found\n",
      std::atoi(last.c_str()), last.substr(last.find(' ') + 1).c_str(), lost);
  if (!all.first_error.empty()) std::printf("first error: %s\n", all.first_error.c_str());
  child.close();
  return lost == 0 && all.errors == 0 && std::atoi(last.c_str()) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: live_bench MEMD HOME [TURNS [CLIENTS]]\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 60, argc > 4 ? std::atoi(argv[4]) : 8);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "live_bench: %s\n", e.what());
    return 1;
  }
}
