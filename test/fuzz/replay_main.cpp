#include "test/fuzz/fuzz_target.hpp"
#include "test/support/temp_dir.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

// Feeds stored inputs to a fuzz target without libFuzzer: each file unchanged, truncated, and with damaged bytes. The
// damage is the same in every run.
// Usage: fuzz_replay TARGET DIRECTORY...
// Directories that do not exist and expected outputs of golden cases (events.json) are skipped. It is an error if there
// is no file at all.

namespace {

constexpr int kVariants = 4;
constexpr std::size_t kMaxBytes = 256 * 1024;

// Copies the input to a block of exactly its size, so that AddressSanitizer detects a read past the end.
void replay(const memd::fuzz::FuzzTarget& target, const std::string& bytes) {
  const auto exact = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  target(exact.get(), bytes.size());
}

void replay_variants(const memd::fuzz::FuzzTarget& target, const std::string& bytes) {
  replay(target, bytes);
  if (bytes.empty()) return;
  std::mt19937 random(static_cast<unsigned>(bytes.size()));
  for (int i = 0; i < kVariants; ++i) {
    replay(target, bytes.substr(0, random() % bytes.size()));
    auto damaged = bytes;
    for (auto n = 1 + random() % 4; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    replay(target, damaged);
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const auto& targets = memd::fuzz::fuzz_targets();
  const auto target = targets.find(argc > 1 ? argv[1] : "");
  if (target == targets.end()) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET DIRECTORY...; targets:");
    for (const auto& [name, function] : targets)
      std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  int files = 0;
  for (int i = 2; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) continue;
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file() || entry.path().filename() == "events.json") continue;
      std::string bytes = memd::test::bytes_of(entry.path());
      bytes.resize(std::min(bytes.size(), kMaxBytes));
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      replay_variants(target->second, bytes);
      ++files;
    }
  }
  std::printf("%d files\n", files);
  return files > 0 ? 0 : 1;
}
