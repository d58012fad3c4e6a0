#include "daemon/interchange/event_file_check.hpp"

#include "adapters/adapter.hpp"
#include "daemon/ingest/log_window.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/error.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace memd::interchange {
namespace {

constexpr std::size_t kChunk = 4 << 20;
constexpr std::size_t kLongestLine = 64 << 20;  // the tailer's limit

class Check {
 public:
  explicit Check(EventFileCheck& out) : out_(out), decoder_(find_adapter(Platform::imported)->open(source(out.path))) {}

  // Checks a line. kRecordPadding readable bytes follow it.
  void line(std::string_view bytes, bool ended) {
    ++number_;
    batch_.clear();
    if (!ended && !decoder_->is_complete(bytes) && !bytes.empty()) {
      ++out_.lines;
      refuse("unfinished_line");
      return;
    }
    decoder_->decode({bytes, 1, ended}, batch_);
    bool refused = false;
    for (const auto& entry : batch_.coverage) {
      if (entry.record_type == "(blank)") continue;
      ++out_.lines;
      if (entry.reason == "derived") ++out_.derived;
      refused = refused || (entry.disposition != Disposition::indexed && entry.reason != "derived");
    }
    out_.events += static_cast<std::int64_t>(batch_.events.size());
    out_.sessions += static_cast<std::int64_t>(batch_.sessions.size());
    if (refused) ++out_.refused;
    for (const auto& d : batch_.diagnostics)
      tell(refused && d.type != DiagnosticType::recovered_record, to_string(d.type),
           d.fields.empty() ? std::string_view() : d.fields.front().view());
  }

  void too_long() {
    ++number_;
    ++out_.lines;
    refuse("oversized_record");
  }

 private:
  static Source source(const std::string& path) {
    Source s;
    s.platform = Platform::imported;
    s.path = path;
    return s;
  }
  void refuse(std::string_view reason) {
    ++out_.refused;
    tell(true, reason, {});
  }
  void tell(bool refused, std::string_view reason, std::string_view field) {
    ++out_.problems_total;
    if (out_.problems.size() < kMostProblems)
      out_.problems.push_back({number_, refused, std::string(reason), std::string(field)});
  }

  EventFileCheck& out_;
  std::unique_ptr<RecordDecoder> decoder_;
  EventBatch batch_;
  std::int64_t number_ = 0;
};

}  // namespace

Result<EventFileCheck> check_event_file(const std::string& path,
                                        const std::function<void(double done, double total)>& progress) {
  EventFileCheck out;
  out.path = path;
  MEMD_TRY_ASSIGN(SourceFile file, SourceFile::open(path));
  out.bytes = file.stat().size;
  std::optional<ZstdLog> compressed;
  if (is_zstd_name(path)) compressed.emplace(std::move(file));
  const auto read_at = [&](std::uint64_t offset, std::span<char> into) -> Result<std::size_t> {
    if (!compressed) return file.read_at(offset, into);
    MEMD_TRY_ASSIGN(const std::string_view bytes, compressed->at(offset, into.size()));
    std::copy(bytes.begin(), bytes.end(), into.begin());
    return bytes.size();
  };
  Check check(out);
  std::string buffer;  // bytes not yet split into lines, and the padding
  std::uint64_t offset = 0;
  bool skipping = false;  // within an over-long line
  while (true) {
    const std::size_t kept = buffer.size();
    buffer.resize(kept + kChunk + kRecordPadding);
    MEMD_TRY_ASSIGN(const std::size_t n, read_at(offset, std::span(buffer).subspan(kept, kChunk)));
    offset += n;
    const std::size_t size = kept + n;
    std::memset(buffer.data() + size, 0, kRecordPadding);
    std::size_t at = 0;
    while (at < size) {
      const auto* newline = static_cast<const char*>(std::memchr(buffer.data() + at, '\n', size - at));
      if (newline == nullptr) break;
      const auto end = static_cast<std::size_t>(newline - buffer.data());
      if (skipping)
        check.too_long();
      else
        check.line(std::string_view(buffer).substr(at, end - at), true);
      skipping = false;
      at = end + 1;
    }
    if (n == 0) {
      if (skipping)
        check.too_long();
      else if (at < size)
        check.line(std::string_view(buffer).substr(at, size - at), false);
      if (compressed && compressed->end() != ZstdLog::End::whole)
        return Error(Errc::invalid_argument, path + " is no whole zstd file: compress the events anew");
      break;
    }
    if (size - at > kLongestLine) skipping = true;
    buffer.resize(size);
    buffer.erase(0, skipping ? size : at);
    const std::uint64_t done = compressed ? out.bytes - compressed->compressed_left() : offset;
    if (progress) progress(static_cast<double>(done), static_cast<double>(out.bytes));
  }
  return out;
}

}  // namespace memd::interchange
