#include "store/redaction/mask_batch.hpp"

#include "store/redaction/redactor.hpp"

namespace memd {

void mask_secrets(EventBatch& batch) {
  if (batch.secrets_masked) return;
  for (auto& e : batch.events) {
    redact(e.text);
    redact(e.summary);
    redact(e.search_text);
  }
  for (auto& u : batch.sessions) {
    redact(u.title);
    redact(u.description);
  }
  batch.secrets_masked = true;
}

}  // namespace memd
