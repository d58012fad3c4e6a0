#pragma once

#include <cstddef>
#include <string>

namespace memd::llm {

// What may be kept of a model's answer: without its thoughts, the marks of our requests, calls of tools, special
// tokens, control characters, a remark before the summary, and secrets; at most max_tokens long. Empty: it held no
// summary.
std::string cleaned_answer(std::string answer, std::size_t max_tokens);

}  // namespace memd::llm
