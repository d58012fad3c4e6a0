#include "bench/continuity/corpus_prefix.hpp"
#include "schemas/time.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace memd::bench {
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TimeMs time_of(std::string_view line) {
  boost::system::error_code broken;
  const boost::json::value value = boost::json::parse(line, broken);
  if (broken || !value.is_object()) return 0;
  const auto* stamp = value.get_object().if_contains("timestamp");
  if (stamp == nullptr || !stamp->is_string()) return 0;
  return parse_rfc3339(std::string_view(stamp->get_string())).value_or(0);
}

}  // namespace

CorpusPrefix::CorpusPrefix(const fs::path& corpus, fs::path home) {
  const fs::path root = corpus / ".claude/projects";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".jsonl") continue;
    File file{entry.path(), home / ".claude/projects" / fs::relative(entry.path(), root), {}, 0, 0};
    const std::string bytes = bytes_of(file.from);
    for (std::size_t begin = 0; begin < bytes.size();) {
      const std::size_t end = std::min(bytes.find('\n', begin), bytes.size() - 1) + 1;
      file.lines.push_back({end, time_of(std::string_view(bytes).substr(begin, end - begin))});
      begin = end;
    }
    files_.push_back(std::move(file));
  }
  std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.from < b.from; });
}

void CorpusPrefix::write_up_to(File& file, std::size_t bytes) {
  if (bytes <= file.written) return;
  fs::create_directories(file.to.parent_path());
  const std::string all = bytes_of(file.from);
  std::ofstream out(file.to, std::ios::binary | std::ios::app);
  out.write(all.data() + file.written, static_cast<std::streamsize>(bytes - file.written));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.to.string());
  file.written = bytes;
}

CorpusPrefix::File& CorpusPrefix::file_of(const Transcript& transcript) {
  const auto at =
      std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.from == transcript.file; });
  if (at == files_.end()) throw std::runtime_error(transcript.file.string() + " is not in the corpus");
  return *at;
}

void CorpusPrefix::grow(const Transcript& transcript, std::size_t before, TimeMs time) {
  for (File& file : files_) {
    if (file.from == transcript.file) continue;
    std::size_t bytes = 0;
    // Records without a time belong to the one before them.
    for (; file.next < file.lines.size() && file.lines[file.next].time < time; ++file.next)
      bytes = file.lines[file.next].end;
    write_up_to(file, bytes);
  }
  append(transcript, before);
  const File& own = file_of(transcript);
  const fs::path beside = own.from.parent_path() / own.from.stem();
  if (!fs::is_directory(beside)) return;
  const std::string_view prefix = std::string_view(transcript.bytes).substr(0, own.written);
  for (const auto& entry : fs::recursive_directory_iterator(beside)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".jsonl") continue;
    if (prefix.find(entry.path().filename().string()) == std::string_view::npos) continue;
    const fs::path target = own.to.parent_path() / own.to.stem() / fs::relative(entry.path(), beside);
    fs::create_directories(target.parent_path());
    fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing);
  }
}

void CorpusPrefix::append(const Transcript& transcript, std::size_t end) {
  write_up_to(file_of(transcript),
              end < transcript.records.size() ? transcript.records[end].begin : transcript.bytes.size());
}

}  // namespace memd::bench
