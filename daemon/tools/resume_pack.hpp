#pragma once

#include "daemon/tools/resume_context.hpp"
#include "store/insight/continuity/session_past.hpp"
#include "store/insight/continuity/weights.hpp"

#include <cstddef>
#include <string>

namespace memd::tools {

// All that an answer of resume_context is made of, read once.
struct ResumeMaterial {
  SessionRow session;
  continuity::SessionPast past;  // with the full texts that are to be had
  std::string summary;           // the platform's own; empty: none
  bool complement = false;       // what the summary says is left out
  bool told = true;              // false: the platform's history may not be looked at, the frame says why
  Answer frame;
  ResumeAnswer head;  // without what is packed
};
Result<ResumeMaterial> load_resume_material(const ToolServices& services, Reader& reader, const ResumeParams& params);

// The answer for at most `max_tokens`. Deterministic; asks the store nothing.
Result<ResumeAnswer> pack_resume_answer(const ResumeMaterial& material, std::size_t max_tokens,
                                        const continuity::Weights& weights = {});

}  // namespace memd::tools
