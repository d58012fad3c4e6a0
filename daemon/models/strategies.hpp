#pragma once

#include "daemon/models/model_run.hpp"
#include "daemon/models/session_chunks.hpp"
#include "daemon/models/summary_prompts.hpp"
#include "daemon/tools/llm_summarizer.hpp"
#include "schemas/error.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// The ways to have a session summarised by a language model.
namespace memd::llm {

struct SummaryTask {
  std::span<const SummaryInput> exchanges;  // of the session, in order; at least one
  std::vector<SessionChunk> chunks;         // of them
  const SummaryPrompts& prompts;
  std::size_t max_tokens = 1000;      // of the summary
  std::size_t context_tokens = 8192;  // of a request and its answer
  std::size_t source_tokens() const;
};

struct Draft {
  std::string text;
  std::string abstract;
  std::vector<tools::LlmSummaryPart> parts;
  std::size_t parts_by_model = 0;  // of task.chunks, in what the text is made of
  std::string note;                // what was done otherwise than asked for
};

// What could not be had from the model (ModelRun::trouble()) is made of the session's own sentences; when nothing
// could, Errc::unavailable. Errc::cancelled and Errc::input_required as they come.

// One request for the whole session; one that is too long for it goes the way of map_reduce.
Result<Draft> abstractive(const SummaryTask& task, ModelRun& run);
// A summary of the first chunk, brought up to date with each chunk that follows. Grows with the session: only what is
// new is asked.
Result<Draft> recursive(const SummaryTask& task, ModelRun& run);
// Chunks by themselves, side by side; then their summaries together, in several levels if they are many.
Result<Draft> map_reduce(const SummaryTask& task, ModelRun& run);
// Chunks at about 30 % of their length, the session at 10 %, an abstract at 2 %; the chunks stay in the answer.
Result<Draft> hierarchical(const SummaryTask& task, ModelRun& run);

}  // namespace memd::llm
