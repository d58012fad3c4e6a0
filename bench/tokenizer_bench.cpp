// Measures tokenizer speed: memd's tokenizer beside `porter unicode61 remove_diacritics 2`, over the texts of a store.
// tokenizer_bench STORE [MEGABYTES]. Both must give the same tokens for text without other scripts; that is checked.
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/text/script.hpp"

#include <ctime>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace memd {
namespace {

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Sum {
  std::size_t tokens = 0;
  std::size_t hash = 0;
};

int add(void* context, int, const char* token, int size, int start, int) {
  auto& sum = *static_cast<Sum*>(context);
  ++sum.tokens;
  sum.hash = sum.hash * 31 + static_cast<unsigned char>(token[size - 1]) + static_cast<std::size_t>(size + start);
  return SQLITE_OK;
}

struct Texts {
  std::vector<std::string> all;
  std::size_t bytes = 0;
  void take(std::string text) {
    bytes += text.size();
    all.push_back(std::move(text));
  }
};

Sum run(const tokenizer::Fts5Instance& by, const Texts& texts) {
  Sum sum;
  for (const std::string& text : texts.all)
    by.tokenize(text, FTS5_TOKENIZE_DOCUMENT, &sum, add);
  return sum;
}

void compare(const char* name, const Texts& texts, const tokenizer::Fts5Instance& ours,
             const tokenizer::Fts5Instance& built_in, bool same) {
  if (texts.bytes == 0) return;
  constexpr int kRounds = 5;
  double best[2] = {1e9, 1e9};
  Sum sums[2];
  for (int round = 0; round < kRounds; ++round)
    for (const int which : {0, 1}) {
      const double start = cpu_seconds();
      sums[which] = run(which == 0 ? ours : built_in, texts);
      best[which] = std::min(best[which], cpu_seconds() - start);
    }
  const double megabytes = static_cast<double>(texts.bytes) / 1e6;
  std::printf("%-14s %8.1f MB  memd %7.1f MB/s  built-in %7.1f MB/s  ×%.2f  %zu and %zu tokens\n", name, megabytes,
              megabytes / best[0], megabytes / best[1], best[1] / best[0], sums[0].tokens, sums[1].tokens);
  if (same && (sums[0].tokens != sums[1].tokens || sums[0].hash != sums[1].hash)) {
    std::fprintf(stderr, "the tokens differ\n");
    std::exit(1);
  }
}

int run_bench(const char* store, std::size_t most_bytes) {
  auto db = sqlite::Database::open(store, sqlite::OpenMode::read_only);
  Texts plain;
  Texts other;
  auto& q = db.prepare("SELECT user_message, interventions, assistant_response, tool_text FROM exchanges");
  while (q.step() && plain.bytes < most_bytes)
    for (int column = 0; column < 4; ++column)
      (tokenizer::has_other_scripts(q.text(column)) ? other : plain).take(q.str(column));
  q.reset();
  fts5_api* const api = tokenizer::fts5_of(db.handle());
  const tokenizer::Fts5Instance ours(api, "memd");
  const tokenizer::Fts5Instance built_in(api, "porter", {"unicode61", "remove_diacritics", "2"});
  compare("as built-in", plain, ours, built_in, true);
  compare("other scripts", other, ours, built_in, false);
  return 0;
}

}  // namespace
}  // namespace memd

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "tokenizer_bench STORE [MEGABYTES]\n");
    return 2;
  }
  try {
    return memd::run_bench(argv[1], (argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100) * 1'000'000);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tokenizer_bench: %s\n", e.what());
    return 1;
  }
}
