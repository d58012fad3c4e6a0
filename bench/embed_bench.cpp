// Measures the speed of the built-in models, in CPU time of one core.
//   embed_bench [STORE]     embeds a store's exchanges as the workers do; without STORE synthetic turns only
#include "bench/statistics.hpp"
#include "bench/synthetic/prose.hpp"
#include "schemas/base/embedded.hpp"
#include "store/db/database.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/embedding/sentence_network.hpp"
#include "store/enrich/second_look.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/kernels.hpp"
#include "store/text/text_chunks.hpp"

#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace memd;

constexpr int kTurns = 20'000;
constexpr int kRounds = 5;

// Returns the CPU time of this thread, which other load on the machine hardly affects.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds(const std::function<void()>& run) {
  std::vector<double> samples;
  for (int i = 0; i < kRounds; ++i) {
    const double start = cpu_seconds();
    run();
    samples.push_back(cpu_seconds() - start);
  }
  return bench::median(samples);
}

void report(const char* what, double count, const char* unit, double taken) {
  std::printf("  %-34s %10.0f %s/s  %8.2f µs each\n", what, count / taken, unit, 1e6 * taken / count);
}

void measure(const embedding::StaticModel& model, const std::vector<std::string>& texts, const char* unit) {
  std::size_t bytes = 0;
  std::size_t tokens = 0;
  std::vector<std::vector<std::uint32_t>> ids;
  for (const std::string& t : texts) {
    bytes += t.size();
    ids.push_back(model.ids(t));
    tokens += ids.back().size();
  }
  const auto count = static_cast<double>(texts.size());
  std::printf("%zu %s of %.0f bytes, %.1f tokens\n", texts.size(), unit, static_cast<double>(bytes) / count,
              static_cast<double>(tokens) / count);
  double sink = 0;
  const double tokenize = seconds([&] {
    for (const std::string& t : texts)
      sink += static_cast<double>(model.ids(t).size());
  });
  report("tokens", count, unit, tokenize);
  std::printf("  %-34s %10.0f MB/s\n", "", static_cast<double>(bytes) / tokenize / 1e6);
  for (const vectors::Kernels* k : vectors::all_kernels()) {
    std::vector<float> sum(static_cast<std::size_t>(model.dimension()));
    const std::string name = "sums, " + std::string(k->name);
    report(name.c_str(), count, unit, seconds([&] {
             for (const auto& i : ids)
               model.sum(*k, i, sum);
           }));
    sink += sum[0];
  }
  const double all = seconds([&] {
    std::vector<std::int8_t> codes;
    for (const std::string& t : texts) {
      codes.clear();
      vectors::append_quantised(model.embed(t), codes);
      sink += codes[0];
    }
  });
  report("text to stored vector", count, unit, all);
  if (sink == 0.5) std::puts("");  // keeps the result from being optimised away
}

// The network of the second look: questions of some words, and texts, with each instruction set.
void measure_network(const std::vector<std::string>& texts) {
  const auto network = embedding::SentenceNetwork::load(embedded::sentence_network().bytes,
                                                        embedding::builtin_embedder().table().tokenizer())
                           .value();
  std::printf("\n%s, %d dimensions, ms a text\n%-10s", std::string(network.name()).c_str(), network.dimension(),
              "words");
  constexpr std::size_t kWords[] = {3, 8, 15, 30};
  for (const std::size_t words : kWords)
    std::printf("%9zu", words);
  std::puts("    texts");
  bench::Prose prose(2);
  std::vector<std::vector<std::string>> questions;
  for (const std::size_t words : kWords)
    for (auto& some = questions.emplace_back(); some.size() < 20;)
      some.push_back(prose.sentence(words));
  questions.push_back(texts);
  for (const vectors::Kernels* k : vectors::all_kernels()) {
    std::printf("%-10s", std::string(k->name).c_str());
    for (const auto& some : questions) {
      float sink = 0;
      const double taken = seconds([&] {
        for (const std::string& text : some)
          sink += network.embed(text, *k)[0];
      });
      std::printf("%9.2f", 1e3 * taken / static_cast<double>(some.size()) + (sink == 0.5F ? 1 : 0));
    }
    std::puts("");
  }
}

std::vector<std::string> second_look_texts(const char* file) {
  constexpr int kTexts = 100;
  auto db = sqlite::Database::open(file, sqlite::OpenMode::read_only);
  auto& q = db.prepare(
                  "SELECT user_message, assistant_response, answer_offset FROM exchanges WHERE user_message <> ''"
                  " ORDER BY exchange_pk * 7919 % 10007 LIMIT ?")
                .bind(kTexts);
  std::vector<std::string> out;
  std::size_t bytes = 0;
  while (q.step()) {
    out.push_back(second_look_text(q.text(0), q.text(1), q.int64(2)));
    bytes += out.back().size();
  }
  q.reset();
  std::printf("\ntexts of the second look: %.0f bytes each\n", static_cast<double>(bytes) / kTexts);
  return out;
}

std::vector<std::string> chunks_of_store(const char* file) {
  auto db = sqlite::Database::open(file, sqlite::OpenMode::read_only);
  auto& q = db.prepare("SELECT user_message, interventions, assistant_response, answer_offset FROM exchanges").bind();
  std::vector<std::string> out;
  int exchanges = 0;
  double taken = 0;
  while (q.step()) {
    ExchangeRow e;
    e.user_message = q.str(0);
    e.interventions = q.str(1);
    e.assistant_response = q.str(2);
    e.answer_offset = q.int64(3);
    const double start = cpu_seconds();
    auto chunks = enrichment::chunks_of(e);
    taken += cpu_seconds() - start;
    for (auto& c : chunks)
      out.push_back(std::move(c.text));
    ++exchanges;
  }
  q.reset();
  std::printf("%d exchanges, %.2f chunks each\n", exchanges, static_cast<double>(out.size()) / exchanges);
  report("chunks", static_cast<double>(out.size()), "chunks", taken);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const double start = cpu_seconds();
  const auto& builtin = embedding::builtin_embedder();
  const double loaded = cpu_seconds() - start;
  const embedding::StaticModel& model = builtin.table();
  std::printf("%s, %d dimensions, loaded in %.2f ms\n", builtin.model().name.c_str(), model.dimension(), 1e3 * loaded);

  bench::Prose prose(1);
  std::vector<std::string> turns;
  for (int i = 0; i < kTurns; ++i)
    turns.push_back(prose.sentence(15 + prose.below(20)) + (i % 4 == 0 ? " " + prose.path() : ""));
  measure(model, turns, "turns");

  std::vector<double> latency;
  for (int i = 0; i < 5000; ++i) {
    const std::string query = prose.sentence(4 + prose.below(9));
    const double before = cpu_seconds();
    const auto vector = model.embed(query);
    latency.push_back((cpu_seconds() - before) * (vector.empty() ? 0 : 1));
  }
  std::printf("queries of 4 to 12 words: p50 %.1f µs, p99 %.1f µs\n", 1e6 * bench::percentile(latency, 0.5),
              1e6 * bench::percentile(latency, 0.99));
  std::puts("(all-MiniLM-L6-v2 in ONNX Runtime: 62 to 204 texts/s, measured on two cores elsewhere)");

  if (argc > 1) measure(model, chunks_of_store(argv[1]), "chunks");
  turns.resize(100);
  measure_network(argc > 1 ? second_look_texts(argv[1]) : turns);
  return 0;
}
