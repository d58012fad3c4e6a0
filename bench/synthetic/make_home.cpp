// Writes a home directory with the history of six agents, of any size. The same arguments give the same result.
//
//   make_home DIRECTORY MEGABYTES [AGENT…]     all agents in equal parts unless named
#include "bench/synthetic/agents.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  using namespace memd::bench;
  if (argc < 3) {
    std::fputs("usage: make_home DIRECTORY MEGABYTES [AGENT...]\n", stderr);
    return 2;
  }
  try {
    std::vector<std::string_view> agents(argv + 3, argv + argc);
    if (agents.empty()) agents.assign(kSyntheticAgents.begin(), kSyntheticAgents.end());
    const double goal = std::atof(argv[2]) * 1e6 / static_cast<double>(agents.size());
    SyntheticHome home(argv[1], 1);
    std::int64_t time = 1'767'225'600'000;  // 2026-01-01
    std::uint64_t sessions = 0;
    std::uint64_t turns = 0;
    home.begin_bulk();
    for (const auto agent : agents) {
      double written = 0;
      while (written < goal) {
        const auto session = home.start(agent, time);
        ++sessions;
        for (std::size_t n = 5 + home.prose().below(60); n > 0 && written < goal; --n) {
          const Turn turn = make_turn(home.prose(), time += 60'000, 1 + home.prose().below(10));
          session->write(turn);
          ++turns;
          std::size_t text = turn.prompt.size() + turn.answer.size() + 2000;
          for (const auto& call : turn.calls)
            text += call.command.size() + call.output.size() + 900;
          written += static_cast<double>(text);
        }
        session->flush();
      }
    }
    home.end_bulk();
    std::printf("%s: %.1f MB, %llu sessions, %llu turns\n", argv[1], static_cast<double>(home.bytes()) / 1e6,
                static_cast<unsigned long long>(sessions), static_cast<unsigned long long>(turns));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "make_home: %s\n", e.what());
    return 1;
  }
  return 0;
}
