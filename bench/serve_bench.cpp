// Measures a real daemon over real sockets and pipes: spawn to initialize (P4), a written line until it is found (P3),
// calls a second (P10), and answers during a large ingest. Uses a scratch home and data directory.
//
//   serve_bench MEMD HOME      MEMD is the binary, HOME a history to ingest
#include "bench/served_memd.hpp"
#include "bench/statistics.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace memd::bench;
namespace fs = std::filesystem;

double ms_since(Time start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void row(const char* what, const std::vector<double>& ms, const char* goal) {
  std::printf("%-52s p50 %8.2f  p95 %8.2f  p99 %8.2f ms  (n=%zu; goal %s)\n", what, percentile(ms, 0.5),
              percentile(ms, 0.95), percentile(ms, 0.99), ms.size(), goal);
  std::fflush(stdout);
}

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";

std::string call(int id, const std::string& tool, const std::string& arguments) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"(","arguments":)" + arguments + "}}";
}

void spawn_to_initialize(const Setup& setup) {
  std::vector<double> cold;
  for (int i = 0; i < 5; ++i) {
    stop_daemon(setup);
    const auto start = std::chrono::steady_clock::now();
    Child child(setup.memd, setup.arguments({"--stdio"}));
    child.ask(kInitialize);
    cold.push_back(ms_since(start));
    child.close();
  }
  std::vector<double> warm;
  for (int i = 0; i < 50; ++i) {
    const auto start = std::chrono::steady_clock::now();
    Child child(setup.memd, setup.arguments({"--stdio"}));
    child.ask(kInitialize);
    warm.push_back(ms_since(start));
    child.close();
  }
  row("spawn --stdio to initialize, daemon running (P4)", warm, "5 ms");
  row("spawn --stdio to initialize, daemon not running (P4)", cold, "50 ms");
}

void append_to_found(const Setup& setup) {
  std::vector<double> ms;
  Connection connection(setup.socket());
  connection.ask(kInitialize);
  for (int i = 0; i < 200; ++i) {
    const std::string word = "zyx" + std::to_string(i) + "qwv";
    append_prompt(setup.transcript(), i, "please look at " + word);
    const auto start = std::chrono::steady_clock::now();
    while (connection.ask(call(i + 10, "semantic_search", R"({"query":")" + word + R"(","n_results":1})"))
               .find("\"exchange_id\"") == std::string::npos) {
      if (ms_since(start) > 10'000) throw std::runtime_error("the line was never found");
    }
    ms.push_back(ms_since(start));
  }
  row("line written to found by semantic_search (P3)", ms, "p50 10, p95 50, p99 150 ms");
}

void call_rate(const Setup& setup, const char* label, const std::string& tool, const std::string& arguments,
               const char* goal) {
  constexpr int kConnections = 32;
  constexpr int kThreads = 2;
  constexpr int kWindow = 4;  // requests in flight on a connection
  constexpr int kCalls = 3000;
  std::vector<std::vector<double>> latencies(kThreads);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      latencies[static_cast<std::size_t>(t)] = hammer(setup.socket(), kConnections / kThreads, kWindow, kCalls,
                                                      [&](int id) { return call(id, tool, arguments); });
    });
  for (auto& thread : threads)
    thread.join();
  const double seconds = ms_since(start) / 1000;
  std::vector<double> all;
  for (const auto& l : latencies)
    all.insert(all.end(), l.begin(), l.end());
  std::printf("%-52s %8.0f calls/s, p50 %.2f p99 %.2f ms  (32 connections, window %d; goal %s)\n", label,
              static_cast<double>(all.size()) / seconds, percentile(all, 0.5), percentile(all, 0.99), kWindow, goal);
  std::fflush(stdout);
}

void answers_during_ingest(const Setup& setup, const fs::path& home) {
  Connection connection(setup.socket());
  connection.ask(kInitialize);
  std::atomic<bool> copying{true};
  std::thread copier([&] {
    copy_history(home, setup.home);
    copying = false;
  });
  std::vector<double> status;
  std::vector<double> search;
  std::vector<double> recent;
  int id = 1000;
  bool busy = true;
  while (busy) {
    auto start = std::chrono::steady_clock::now();
    const std::string s =
        connection.ask(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id) + R"(,"method":"memd/status","params":{}})");
    status.push_back(ms_since(start));
    start = std::chrono::steady_clock::now();
    connection.ask(call(++id, "semantic_search", R"({"query":"error in the test of the parser"})"));
    search.push_back(ms_since(start));
    start = std::chrono::steady_clock::now();
    connection.ask(call(++id, "recent_turns", R"({"n_turns":5})"));
    recent.push_back(ms_since(start));
    busy = copying || s.find("\"idle\":true") == std::string::npos;
  }
  copier.join();
  row("status while a history arrives and is ingested", status, "milliseconds");
  row("semantic_search meanwhile", search, "milliseconds");
  row("recent_turns meanwhile", recent, "milliseconds");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: serve_bench MEMD HOME\n", stderr);
    return 2;
  }
  try {
    Setup setup(argv[1]);
    append_prompt(setup.transcript(), 100'000, "the first prompt");
    spawn_to_initialize(setup);
    append_to_found(setup);
    answers_during_ingest(setup, argv[2]);
    spawn_to_initialize(setup);
    call_rate(setup, "capabilities over the socket (P10)", "capabilities", "{}", "50,000/s, p99 3 ms");
    call_rate(setup, "semantic_search over the socket", "semantic_search", R"({"query":"parser test"})", "none");
    stop_daemon(setup);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "serve_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
