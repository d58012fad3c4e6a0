#include "store/text/redaction/mask_batch.hpp"

#include "store/text/redaction/redactor.hpp"

namespace memd {

void mask_secrets(EventBatch& batch) {
  if (batch.secrets_masked) return;
  for (auto& e : batch.events) {
    for (auto* text :
         {&e.text, &e.summary, &e.search_text, &e.tool, &e.call_id, &e.lifecycle, &e.cwd, &e.git_branch, &e.model})
      redact(*text);
    for (auto& file : e.files)
      redact(file.path);
  }
  for (auto& u : batch.sessions)
    for (auto* text :
         {&u.title, &u.description, &u.parent_call_id, &u.agent_name, &u.project_hint, &u.cwd, &u.git_branch, &u.model})
      redact(*text);
  for (auto& entry : batch.coverage)
    redact(entry.record_type);
  batch.secrets_masked = true;
}

}  // namespace memd
