#include "bench/continuity/prefix_home.hpp"

#include <fstream>
#include <stdexcept>
#include <string_view>

namespace memd::bench {
namespace fs = std::filesystem;
namespace {

fs::path place_of(const Transcript& transcript, const fs::path& home) {
  return home / ".claude/projects" / transcript.file.parent_path().filename() / transcript.file.filename();
}

void write(const fs::path& file, std::string_view bytes, std::ios::openmode mode) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | mode);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

// Records without a time go with the one before them.
std::string older_records(const Transcript& agent, TimeMs end) {
  std::string out;
  TimeMs time = 0;
  for (const TranscriptRecord& r : agent.records) {
    if (r.time != 0) time = r.time;
    if (time != 0 && time < end) out.append(agent.bytes, r.begin, r.end - r.begin);
  }
  return out;
}

}  // namespace

void write_prefix(const Transcript& transcript, std::size_t before, const fs::path& home) {
  const auto& end = transcript.records.at(before);
  const std::string_view prefix = std::string_view(transcript.bytes).substr(0, end.begin);
  const fs::path place = place_of(transcript, home);
  write(place, prefix, std::ios::trunc);
  const fs::path beside = transcript.file.parent_path() / transcript.file.stem();
  if (!fs::is_directory(beside)) return;
  for (const auto& entry : fs::recursive_directory_iterator(beside)) {
    if (!entry.is_regular_file()) continue;
    const fs::path target = place.parent_path() / place.stem() / fs::relative(entry.path(), beside);
    if (entry.path().extension() == ".jsonl") {
      const std::string older = older_records(read_transcript(entry.path()), end.time);
      if (!older.empty()) write(target, older, std::ios::trunc);
    } else if (prefix.find(entry.path().filename().string()) != std::string_view::npos) {
      fs::create_directories(target.parent_path());
      fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing);
    }
  }
}

void append_records(const Transcript& transcript, std::size_t first, std::size_t end, const fs::path& home) {
  const std::size_t from = transcript.records.at(first).begin;
  const std::size_t to = end < transcript.records.size() ? transcript.records[end].begin : transcript.bytes.size();
  write(place_of(transcript, home), std::string_view(transcript.bytes).substr(from, to - from), std::ios::app);
}

}  // namespace memd::bench
