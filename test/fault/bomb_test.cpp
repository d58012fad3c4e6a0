// Compressed files that are small and decompress to very much.
#include "test/fault/memd_process.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Writes a zstd file of `piece`, repeated until it has `bytes`, and of `end`.
void write_bomb(const std::filesystem::path& file, const std::string& piece, std::size_t bytes,
                const std::string& end = {}) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::vector<char> buffer(ZSTD_CStreamOutSize());
  for (std::size_t written = 0; written <= bytes; written += piece.size()) {
    const bool last = written + piece.size() > bytes;
    const std::string& part = last ? end : piece;
    ZSTD_inBuffer in{part.data(), part.size(), 0};
    for (std::size_t left = 1; left != 0;) {
      ZSTD_outBuffer to{buffer.data(), buffer.size(), 0};
      left = ZSTD_compressStream2(context, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      out.write(buffer.data(), static_cast<std::streamsize>(to.pos));
      if (!last && in.pos == in.size) break;
    }
  }
  ZSTD_freeCCtx(context);
}

// The most memory that a process has used so far, in MB.
long most_memory(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6)) / 1024;
  return 0;
}

class Bombs : public testing::Test {
 protected:
  // Runs memd to its end and checks what it used.
  Ending run(std::vector<std::string> arguments) {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    for (const auto& more : {"--data-dir", data_.path().c_str(), "--home", home_.path().c_str()})
      arguments.emplace_back(more);
    MemdProcess process(arguments, dir_ / "said");
    long most = 0;
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (!process.wait(5ms) && std::chrono::steady_clock::now() < deadline)
      most = std::max(most, most_memory(process.id()));
    const auto ended = process.wait(0ms);
    EXPECT_TRUE(ended) << "it still runs";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(most, 400) << "MB";
#endif
    std::uintmax_t stored = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_.path()))
      if (entry.is_regular_file()) stored += entry.file_size();
    EXPECT_LT(stored, 64U << 20);
    return ended.value_or(Ending());
  }

  TempDir home_;
  TempDir data_;
  TempDir dir_;
};

TEST_F(Bombs, ThroughImport) {
  const auto file = dir_ / "bomb.jsonl.zst";
  write_bomb(file, std::string(1 << 20, '\0'), 128 << 20, "\n{}\n");
  ASSERT_LT(std::filesystem::file_size(file), 200'000U);
  const Ending ended = run({"import", file.string()});
  EXPECT_EQ(ended.signal, 0) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("bomb.jsonl.zst: 2 lines, ")) << "it was read to its end";
}

TEST_F(Bombs, AsAnAgentsLog) {
  const std::string day = ".codex/sessions/2026/02/01/rollout-2026-02-01T11-00-00-019c0000-0000-7000-8000-00000000000";
  write_bomb(home_ / (day + "1.jsonl.zst"), std::string(1 << 20, 'x'), 128 << 20);
  write_bomb(home_ / (day + "2.jsonl.zst"), std::string(1 << 20, '\n'), 2 << 20);
  const Ending ended = run({"ingest", "--once"});
  EXPECT_EQ(ended.signal, 0) << ended.said;
  const std::string bytes = std::to_string((128 << 20) + (2 << 20));
  EXPECT_THAT(run({"--json", "coverage"}).said,
              HasSubstr("\"bytes_total\":" + bytes + ",\"bytes_indexed\":0,\"bytes_skipped\":" + bytes))
      << "both were read to their ends";
}

}  // namespace
}  // namespace memd::test
