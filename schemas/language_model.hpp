#pragma once

#include "schemas/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

// Requests to a language model, of a provider or of the MCP client, and its completions.
namespace memd {

struct CompletionRequest {
  std::string system;
  std::string prompt;
  std::size_t max_tokens = 1000;  // of the answer
};

struct Completion {
  std::string text;
  std::string model;           // as the other side reports it
  bool truncated = false;      // max_tokens ended it
  std::int64_t tokens_in = 0;  // 0: not said
  std::int64_t tokens_out = 0;
};

// A language model, of a provider or of the MCP client.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  // "ollama/qwen3:8b"; part of provenance and of cache keys.
  virtual std::string name() const = 0;
  // Returns all completions, in the order of the requests, or the first failure. Blocks; thread-safe. Errc::cancelled
  // soon after `stop` is requested; Errc::input_required when the client must answer first.
  virtual Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests,
                                                   std::stop_token stop) = 0;
};

// Every text that memd sends to a language model begins with a line that no person writes. If the model is an agent
// that keeps transcripts, memd recognises the session by that line and does not store it as history.
inline constexpr std::string_view kOwnRequestMark = "[memd:request 1]";
inline constexpr std::string_view kOwnRequestLine =
    "[memd:request 1] This is a request of the program memd, not the words of a person.";

// Returns whether a prompt begins with the mark, after optional white space.
constexpr bool is_own_request(std::string_view prompt) {
  const auto first = prompt.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && prompt.substr(first).starts_with(kOwnRequestMark);
}

}  // namespace memd
