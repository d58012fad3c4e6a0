#pragma once

#include "adapters/cursor/places.hpp"
#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cursor {

// Reads a transcript under ~/.cursor/projects/<slug>/agent-transcripts: JSON lines, or plain text under "user:" and
// "assistant:". Transcripts have no ids and results, and times only in the prompts of newer versions (prompt_text.hpp),
// so one is read only if neither the IDE's nor cursor-agent's database contains the conversation. Items are numbered
// lines or paragraphs, because the files grow at the end. One thread at a time; `files` must outlive it.
class TranscriptReader : public SnapshotReader {
 public:
  TranscriptReader(const FileView& files, SourcePlace place);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;  // bytes up to the next part count as part of this one in the ledger
    std::uint64_t bytes = 0;
    std::string_view role;  // of plain text parts
    TimeMs time = 0;        // stated by the newest prompt up to this part; 0: by none
  };
  Result<void> load();
  void cut_lines();
  void cut_text();
  Result<bool> is_in_database() const;
  std::string folder() const;

  const FileView& files_;
  SourcePlace place_;
  bool loaded_ = false;
  bool is_text_ = false;
  bool has_messages_ = false;
  std::string content_;
  TimeMs written_ = 0;
  std::vector<Part> parts_;
  std::vector<CoverageEntry> rest_;
};

}  // namespace memd::cursor
