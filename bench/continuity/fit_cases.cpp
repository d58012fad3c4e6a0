#include "bench/continuity/fit_cases.hpp"

#include "bench/continuity/prefix_home.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "store/read/ingestion.hpp"
#include "store/text/token_estimate.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace memd::bench {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kWholeTokens = 2000;
constexpr std::size_t kComplementTokens = 1000;

class StoredFreshness final : public tools::FreshnessProvider {
 public:
  explicit StoredFreshness(const fs::path& database) {
    Reader reader(database);
    if (auto rows = reader.ask(PlatformFreshnessQuery{})) rows_ = std::move(*rows);
  }
  std::vector<PlatformFreshness> freshness() const override { return rows_; }
  std::uint64_t generation() const override { return 1; }

 private:
  std::vector<PlatformFreshness> rows_;
};

class FileText final : public tools::RawText {
 public:
  Result<std::string> event_text(const EventSource& where, EventKind kind) const override {
    return read_event_text(where.platform, where.path, kind, where.raw);
  }
};

template <class T>
T value_of(Result<T> result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message());
  return std::move(*result);
}

void take_in(const fs::path& home, const fs::path& database) {
  const Discovery discovery(all_adapters(), home, {}, {});
  IngestService service(discovery, system_clock());
  auto writer = value_of(Writer::open(database, system_clock()), database.string());
  if (auto started = service.start(std::move(writer)); !started) throw std::runtime_error(started.error().message());
  service.scan();
  if (!service.block_until_idle(std::chrono::minutes(5))) throw std::runtime_error("not read: " + home.string());
}

tools::ResumeMaterial material(const tools::ToolServices& services, Reader& reader, const FitCase& c,
                               const std::string& complement) {
  tools::ResumeParams params;
  params.session_id = make_session_uid(Platform::claude_code, c.session);
  params.before = "compaction";  // the last of its store
  params.complement = complement;
  return value_of(tools::load_resume_material(services, reader, params), c.session);
}

void load_material(const fs::path& database, FitCase& c) {
  std::vector<AdapterDescription> adapters;
  for (const Adapter* adapter : all_adapters())
    adapters.push_back(adapter->describe());
  ReaderPool pool(database, 1);
  const StoredFreshness freshness(database);
  const FileText text;
  const tools::ToolServices services{pool, system_clock(), freshness, text, adapters, database, {}, {}};
  Reader reader(database);
  c.whole = material(services, reader, c, "never");
  if (!c.platform_summary.empty()) c.complement = material(services, reader, c, "always");
}

}  // namespace

std::vector<FitCase> load_fit_cases(const fs::path& corpus, const fs::path& stores, std::size_t window) {
  std::vector<FitCase> out;
  for (const fs::path& file : compacted_transcripts(corpus)) {
    const Transcript transcript = read_transcript(file);
    const auto all = compactions(transcript, window);
    for (std::size_t i = 0; i < all.size(); ++i) {
      FitCase c;
      c.session = transcript.native_id();
      c.number = i + 1;
      c.held_out = is_held_out(c.session);
      c.known = read_known(transcript, all[i].boundary);
      c.items = used_again(transcript, all[i].next_used, c.known);
      c.platform_summary = all[i].platform_summary;
      const fs::path place = stores / fmt::format("{}.{}", c.session, c.number);
      if (!fs::exists(place / "complete")) {
        fs::remove_all(place);
        write_prefix(transcript, all[i].boundary, place / "home");
        append_records(transcript, all[i].boundary, all[i].resumed, place / "home");
        take_in(place / "home", place / "memd.db");
        std::ofstream(place / "complete");
      }
      load_material(place / "memd.db", c);
      out.push_back(std::move(c));
    }
  }
  return out;
}

std::vector<Score> score_case(const FitCase& c, const continuity::Weights& weights, const std::string& name) {
  std::vector<Score> out;
  const auto add = [&](const tools::ResumeMaterial& of, std::size_t tokens, const std::string& beside,
                       const std::string& method) {
    const auto answer = value_of(tools::pack_resume_answer(of, tokens, weights), c.session);
    const std::string text = beside + render_text(answer);
    out.push_back({method, tokens, estimate_tokens(text), find_items(text, c.items, c.known), 0});
  };
  add(c.whole, kWholeTokens, "", name);
  if (c.complement) add(*c.complement, kComplementTokens, c.platform_summary + "\n", "summary + " + name);
  return out;
}

}  // namespace memd::bench
