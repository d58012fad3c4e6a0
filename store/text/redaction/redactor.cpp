#include "store/text/redaction/redactor.hpp"

#include "store/text/redaction/secret_scan.hpp"

namespace memd {
bool has_secret(std::string_view text) {
  std::size_t at = 0;
  return static_cast<bool>(redaction::next_secret(text, at, 0));
}

bool redact(std::string& text) {
  std::size_t at = 0;
  redaction::Secret secret = redaction::next_secret(text, at, 0);
  if (!secret) return false;
  std::string out;
  out.reserve(text.size() + 64);
  std::size_t done = 0;
  while (secret) {
    out.append(text, done, secret.begin - done);
    out += "[redacted:";
    out += secret.kind;
    out += ']';
    done = at = secret.end;
    secret = redaction::next_secret(text, at, done);
  }
  out.append(text, done);
  text = std::move(out);
  return true;
}

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
