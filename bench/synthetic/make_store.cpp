// Writes a store of any number of exchanges through the store's own writer: rows, full text, files, ledger and queue
// are as after an ingest. The same arguments give the same result.
//
//   make_store FILE EXCHANGES [HOME] [--vectors]
//
// HOME: agents' histories, read first as by the daemon. --vectors: enriched as by the daemon, but without topics, which
// take most of the time.
#include "bench/synthetic/work_history.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "daemon/models/exchange_enricher.hpp"
#include "store/text/code_names.hpp"
#include "store/write/writer.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>

namespace {

namespace fs = std::filesystem;
using namespace memd;

constexpr std::size_t kExchangesInCommit = 4'000;

std::unique_ptr<Writer> open(const fs::path& file) {
  auto writer = Writer::open(file, system_clock());
  if (!writer) throw std::runtime_error(writer.error().message());
  return std::move(*writer);
}

void read_home(const fs::path& file, const fs::path& home) {
  const Discovery discovery(all_adapters(), home, {}, {});
  IngestOptions options;
  options.tailer.raw = RawMode::off;
  IngestService service(discovery, system_clock(), options);
  if (auto started = service.start(open(file)); !started) throw std::runtime_error(started.error().message());
  service.scan();
  if (!service.block_until_idle(std::chrono::minutes(30))) throw std::runtime_error("the ingest did not end");
}

void make_up(const fs::path& file, std::size_t exchanges) {
  const auto writer = open(file);
  bench::WorkHistory history(7);
  const auto must = [](const auto& result) {
    if (!result) throw std::runtime_error(result.error().message());
  };
  std::size_t made = 0;
  std::size_t uncommitted = 0;
  const auto start = std::chrono::steady_clock::now();
  while (made < exchanges) {
    const std::size_t length = std::min(history.usual_length(), exchanges - made);
    SourceSlice slice = history.session(length);
    must(writer->apply(slice));
    made += length;
    uncommitted += length;
    if (uncommitted < kExchangesInCommit) continue;
    uncommitted = 0;
    must(writer->commit());
    std::printf(
        "\r%zu exchanges, %.0f a second", made,
        static_cast<double>(made) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::fflush(stdout);
  }
  must(writer->commit());
  must(writer->optimize());
}

class NamesAlone final : public TermExtractor {
 public:
  explicit NamesAlone(std::unique_ptr<TermExtractor> usual) : usual_(std::move(usual)) {}
  int version() const override { return usual_->version(); }
  Result<ExchangeTerms> extract(const PendingExchange& exchange) override {
    return ExchangeTerms{enrichment::extract_identifiers(exchange), {}};
  }

 private:
  std::unique_ptr<TermExtractor> usual_;
};

void enrich(const fs::path& file) {
  const auto writer = open(file);
  const auto models = embedding::make_models(EmbeddingConfig{});
  EnrichmentParts parts;
  parts.database = file;
  std::mutex writing;  // the worker has two threads
  parts.perform = [&](const std::function<Result<void>(Writer&)>& task) {
    const std::lock_guard lock(writing);
    return task(*writer);
  };
  parts.wait_for_ingest = [](std::chrono::milliseconds) { return true; };
  parts.models = [&] { return models; };
  parts.terms = [&](const fs::path& database) {
    return std::make_unique<NamesAlone>(make_store_terms(database, models->builtin));
  };
  EnrichmentOptions options;
  options.in_background = false;
  options.hold = std::chrono::milliseconds(200);
  options.most_exchanges = 4096;
  EnrichmentWorker worker(std::move(parts), system_clock(), options);
  worker.start();
  worker.include_unsettled(true);
  if (!worker.block_until_idle(std::chrono::hours(2))) throw std::runtime_error("the vectors were not made");
  worker.stop();
  worker.join();
  if (auto done = writer->optimize(); !done) throw std::runtime_error(done.error().message());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: make_store FILE EXCHANGES [HOME] [--vectors]\n", stderr);
    return 2;
  }
  try {
    const fs::path file = argv[1];
    if (fs::exists(file)) throw std::runtime_error(file.string() + " exists");
    fs::create_directories(fs::absolute(file).parent_path());
    const bool vectors = std::string_view(argv[argc - 1]) == "--vectors";
    if (argc - (vectors ? 1 : 0) > 3) read_home(file, argv[3]);
    make_up(file, std::strtoull(argv[2], nullptr, 10));
    if (vectors) enrich(file);
    std::printf("\n%s: %.1f MB\n", argv[1], static_cast<double>(fs::file_size(file)) / 1e6);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "make_store: %s\n", e.what());
    return 1;
  }
  return 0;
}
