#pragma once

#include "schemas/clock.hpp"
#include "schemas/error.hpp"
#include "schemas/language_model.hpp"
#include "store/completions/summaries_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::completions {

// What models answered, by the exact request: nothing is asked twice. A summary of a session that has grown finds the
// answers about the parts that did not change. Thread-safe. The clock must outlive it.
class AnswerCache {
 public:
  AnswerCache(std::shared_ptr<SummariesFile> file, const Clock& clock, std::size_t max_bytes = 32 << 20)
      : file_(std::move(file)), clock_(clock), max_bytes_(max_bytes) {}

  Result<std::optional<std::string>> find(std::string_view model, const CompletionRequest& request);
  // `session_uid`: whose texts are in it; it goes with them. Those that were used least lately go when it is too large.
  Result<void> keep(std::string_view session_uid, std::string_view model, const CompletionRequest& request,
                    std::string_view answer);
  Result<std::int64_t> size();  // answers

 private:
  const std::shared_ptr<SummariesFile> file_;
  const Clock& clock_;
  const std::size_t max_bytes_;
};

// Drops what models said of these sessions; nothing if there is no such file.
Result<void> forget_answers(const std::filesystem::path& file, const std::vector<std::string>& session_uids);

}  // namespace memd::completions
