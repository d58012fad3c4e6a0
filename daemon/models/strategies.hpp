#pragma once

#include "daemon/models/model_run.hpp"
#include "daemon/models/summary_prompts.hpp"
#include "daemon/tools/llm_summarizer.hpp"
#include "schemas/base/result.hpp"
#include "store/insight/summary/extractive.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// The strategies for summarising a session with a language model. Pure except for the requests of the ModelRun; one
// thread a run.
namespace memd::llm {

// Consecutive exchanges of a session, rendered for a model.
struct SessionChunk {
  std::size_t first = 0;  // numbers of exchanges
  std::size_t last = 0;
  std::string text;
  std::size_t tokens = 0;  // tokens of `text`
};

struct ChunkLimits {
  std::size_t tokens = 5000;
  std::size_t exchanges = 20;
};

// Cuts a session between exchanges, starting at the first, so that only the last chunk changes when the session grows.
// An exchange too long for a chunk is shortened; its request and final answer are kept first.
std::vector<SessionChunk> cut_into_chunks(std::span<const SummaryInput> exchanges, const ChunkLimits& limits);

struct SummaryTask {
  std::span<const SummaryInput> exchanges;  // all exchanges of the session, in order; at least one
  std::vector<SessionChunk> chunks;         // chunks of the exchanges
  const SummaryPrompts& prompts;
  std::size_t max_tokens = 1000;      // size of the summary
  std::size_t context_tokens = 8192;  // size of a request with its answer
  std::size_t source_tokens() const;
};

struct Draft {
  std::string text;
  std::string abstract;
  std::vector<tools::LlmSummaryPart> parts;
  std::size_t parts_by_model = 0;  // number of task.chunks that the model summarised
  std::string note;                // deviations from the request
};

// Parts that the model did not deliver (ModelRun::trouble()) are built from the session's own sentences. Errors:
// unavailable (the model delivered nothing), cancelled, input_required.

// Sends one request for the whole session; falls back to map_reduce() when the session is too long for that.
Result<Draft> abstractive(const SummaryTask& task, ModelRun& run);
// Summarises the first chunk and updates that summary with each further chunk. When the session has grown, only the new
// chunks are requested.
Result<Draft> recursive(const SummaryTask& task, ModelRun& run);
// Summarises each chunk, several at a time; then combines the summaries, in several levels if they are many.
Result<Draft> map_reduce(const SummaryTask& task, ModelRun& run);
// Summarises chunks to about 30 % of their length, the session to 10 %, and adds an abstract of 2 %. The answer
// contains the summaries of the chunks.
Result<Draft> hierarchical(const SummaryTask& task, ModelRun& run);

}  // namespace memd::llm
