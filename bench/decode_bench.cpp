// Measures the decoding speed of Claude Code transcripts, beside bare parsing of the same lines. Reads everything into
// memory first.
//
//   decode_bench HOME     HOME holds .claude/projects
#include "adapters/adapter.hpp"

#include <simdjson.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace od = simdjson::ondemand;
using namespace memd;

struct File {
  Source source;
  std::string bytes;  // + kRecordPadding
  std::vector<RawRecord> lines;
};

std::vector<File> load(const fs::path& home) {
  const Adapter& adapter = *find_adapter(Platform::claude_code);
  std::vector<File> files;
  for (const auto& root : adapter.roots({home, {}})) {
    if (!fs::is_directory(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const auto candidate = adapter.classify(root, entry.path());
      if (!candidate || candidate->format != SourceFormat::jsonl || !entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      File& file = files.emplace_back();
      file.bytes.assign(std::istreambuf_iterator<char>(in), {});
      file.source.path = candidate->path;
      file.source.session_uid = adapter.session_uid(*candidate, std::string_view(file.bytes).substr(0, kHeadBytes));
      file.bytes.resize(file.bytes.size() + kRecordPadding, ' ');
    }
  }
  for (File& file : files) {  // views are made only once the strings no longer move
    const std::string_view text(file.bytes.data(), file.bytes.size() - kRecordPadding);
    for (std::size_t at = 0; at < text.size();) {
      const auto newline = text.find('\n', at);
      const auto end = std::min(newline, text.size());
      file.lines.push_back({text.substr(at, end - at), at, newline != std::string_view::npos});
      at = end + 1;
    }
  }
  return files;
}

double median_seconds(const std::function<void()>& run) {
  std::array<double, 5> seconds{};
  for (double& s : seconds) {
    const auto start = std::chrono::steady_clock::now();
    run();
    s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[2];
}

// Visits the type of every value and materialises none.
std::size_t touch(od::value value) {
  std::size_t n = 1;
  const auto type = value.type();
  if (type.error()) return n;
  if (type.value_unsafe() == od::json_type::object) {
    od::object object;
    if (value.get_object().get(object)) return n;
    for (auto field : object)
      n += field.error() ? 0 : touch(field.value());
  } else if (type.value_unsafe() == od::json_type::array) {
    od::array array;
    if (value.get_array().get(array)) return n;
    for (auto element : array)
      n += element.error() ? 0 : touch(element.value());
  }
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: decode_bench HOME\n");
    return 2;
  }
  const auto files = load(argv[1]);
  std::size_t bytes = 0, records = 0, events = 0;
  for (const auto& file : files) {
    bytes += file.bytes.size() - kRecordPadding;
    records += file.lines.size();
  }
  const double mb = static_cast<double>(bytes) / 1e6;
  const Adapter& adapter = *find_adapter(Platform::claude_code);

  const double decode = median_seconds([&] {
    events = 0;
    EventBatch batch;  // as in ingest: one reused batch for each slice
    for (const auto& file : files) {
      const auto decoder = adapter.open(file.source);
      std::size_t held = 0;
      for (const auto& line : file.lines) {
        decoder->decode(line, batch);
        held += line.bytes.size();
        if (held < (1U << 22)) continue;
        events += batch.events.size();
        batch.clear();
        held = 0;
      }
      events += batch.events.size();
      batch.clear();
    }
  });
  std::size_t values = 0;
  const double ondemand = median_seconds([&] {
    od::parser parser;
    for (const auto& file : files)
      for (const auto& line : file.lines) {
        od::document doc;
        od::value value;
        if (!parser.iterate(line.bytes.data(), line.bytes.size(), line.bytes.size() + kRecordPadding).get(doc) &&
            !doc.get_value().get(value))
          values += touch(value);
      }
  });
  const double dom = median_seconds([&] {
    simdjson::dom::parser parser;
    for (const auto& file : files)
      for (const auto& line : file.lines)
        values += parser.parse(line.bytes.data(), line.bytes.size(), false).error() == 0;
  });
  const double boost_json = median_seconds([&] {
    for (const auto& file : files)
      for (const auto& line : file.lines) {
        boost::json::monotonic_resource memory;
        boost::system::error_code error;
        values += boost::json::parse(line.bytes, error, &memory).is_object();
      }
  });

  std::printf("%zu files, %zu records, %.1f MB, %zu events (%zu values touched)\n", files.size(), records, mb, events,
              values);
  std::printf("%-28s %8.0f MB/s\n", "decode to events", mb / decode);
  std::printf("%-28s %8.0f MB/s\n", "simdjson on-demand, all types", mb / ondemand);
  std::printf("%-28s %8.0f MB/s  (decode is %.0f%% of it)\n", "simdjson DOM", mb / dom, 100 * dom / decode);
  std::printf("%-28s %8.0f MB/s  (decode is %.1f times as fast)\n", "Boost.JSON", mb / boost_json, boost_json / decode);
  return 0;
}
