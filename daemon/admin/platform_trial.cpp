#include "daemon/admin/platform_trial.hpp"

#include "adapters/described/described_adapter.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/log_decoding.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace memd::admin {
namespace {

constexpr std::size_t kFirstEvents = 8;
constexpr std::size_t kTextLimit = 200;

// Reads one file as an ingest into an empty store would.
class FileTrial {
 public:
  FileTrial(const Adapter& adapter, const SourceCandidate& candidate) : adapter_(adapter) {
    source_.platform = candidate.platform;
    source_.path = candidate.path;
    source_.format = candidate.format;
    out_.path = candidate.path;
    out_.format = to_string(candidate.format);
  }

  TrialFile read(const FileView& files) && {
    const auto reader = adapter_.open_snapshot(source_, files);
    const auto done = reader ? read_snapshot(*reader) : read_log(files);
    if (!done) out_.trouble = done.error().message();
    take_batch();
    return std::move(out_);
  }

 private:
  Result<void> read_log(const FileView& files) {
    MEMD_TRY_ASSIGN(std::string text, files.read(source_.path));
    out_.bytes = text.size();
    source_.session_uid = adapter_.session_uid({source_.platform, source_.path, source_.format, text.size()},
                                               std::string_view(text).substr(0, kHeadBytes));
    text.append(kRecordPadding, ' ');
    const auto decoder = adapter_.open(source_);
    decode_log(std::string_view(text).substr(0, out_.bytes), source_, *decoder, batch_);
    if (source_.cursor < out_.bytes)
      batch_.cover("(unfinished)", Disposition::skipped, "unfinished", out_.bytes - source_.cursor);
    return {};
  }

  Result<void> read_snapshot(SnapshotReader& reader) {
    MEMD_TRY_ASSIGN(const auto plan, reader.plan({}));
    out_.bytes = plan.size;
    for (const auto& key : plan.sessions) {
      MEMD_TRY_ASSIGN(const auto session, reader.session(key, {}));
      if (!session) continue;
      source_.session_uid = session->session_uid;
      const auto decoder = adapter_.open(source_);
      const auto decode = [&](const SnapshotReader::Item& item, std::uint64_t number) -> Result<void> {
        MEMD_TRY_ASSIGN(std::string bytes, reader.item(key, item.key));
        const std::size_t size = bytes.size();
        bytes.append(kRecordPadding, ' ');
        EventBatch batch;
        decoder->decode({std::string_view(bytes).substr(0, size), number, false}, batch);
        for (const auto& line : batch.coverage)  // the bytes are those of the source
          batch_.cover(line.record_type, line.disposition, line.reason, item.ledger_bytes, line.records);
        for (auto& e : batch.events)
          batch_.events.push_back(std::move(e));
        if (number == 0) sessions_.insert(session->session_uid);
        return {};
      };
      if (session->head) MEMD_TRY(decode(*session->head, 0));
      for (std::size_t i = 0; i < session->items.size(); ++i)
        MEMD_TRY(decode(session->items[i], i + 1));
    }
    for (const auto& line : plan.rest)
      if (line.records > 0) batch_.cover(line.record_type, line.disposition, line.reason, line.bytes, line.records);
    return {};
  }

  void take_batch() {
    std::set<std::uint64_t> responses;
    for (const Event& e : batch_.events) {
      sessions_.insert(e.session_uid);
      out_.prompts += e.kind == EventKind::user_msg;
      out_.answers += e.kind == EventKind::assistant_msg;
      out_.calls += e.kind == EventKind::tool_call;
      out_.results += e.kind == EventKind::tool_result;
      if (e.response_key != 0 && responses.insert(e.response_key).second) out_.tokens += e.usage.total();
      if (out_.first.size() < kFirstEvents)
        out_.first.push_back({std::string(e.kind == EventKind::lifecycle ? e.lifecycle : to_string(e.kind)),
                              format_rfc3339(e.time), e.tool, beginning_of(e)});
    }
    sessions_.erase("");
    out_.sessions = static_cast<std::int64_t>(sessions_.size());
    for (const auto& line : batch_.coverage) {
      if (line.disposition == Disposition::unknown) out_.bytes_unknown += line.bytes;
      out_.ledger.push_back(ledger_line(line));
    }
    std::ranges::stable_sort(out_.ledger, std::greater(), &LedgerLine::bytes);
  }

  static std::string beginning_of(const Event& e) {
    if (e.lifecycle == "usage") return std::to_string(e.usage.total()) + " tokens";
    const std::string& text = e.kind == EventKind::tool_call || e.text.empty() ? e.summary : e.text;
    std::string line = ascii::one_line(std::string_view(text).substr(0, 4 * kTextLimit));
    line.resize(utf8_prefix(line, kTextLimit).size());
    return e.kind == EventKind::tool_result && e.is_error ? "failed: " + line : line;
  }

  const Adapter& adapter_;
  Source source_;
  EventBatch batch_;
  std::set<std::string> sessions_;
  TrialFile out_;
};

}  // namespace

Result<PlatformTrial> try_platform(described::Description agent, const TrialPlaces& places) {
  PlatformTrial out{agent.key, agent.name, {}, {}};
  const Platform platform = parse_platform(agent.key).value_or(own_platform(agent.key));
  const described::DescribedAdapter adapter(platform, std::move(agent));
  const std::array<const Adapter*, 1> adapters{&adapter};
  std::map<Platform, std::vector<std::filesystem::path>> overrides;
  if (!places.path.empty()) overrides[platform] = {std::filesystem::absolute(places.path).lexically_normal()};
  const Discovery discovery(adapters, places.home, overrides, {}, places.directory_of);
  for (const auto& root : discovery.root_paths())
    out.roots.push_back(root.string());
  const DiskView files{SourceRoots(discovery.root_paths())};
  for (const auto& candidate : discovery.find_all())
    out.files.push_back(FileTrial(adapter, candidate).read(files));
  return out;
}

}  // namespace memd::admin
