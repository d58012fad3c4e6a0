#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::gemini {

// What a message of a chat says, for comparing the messages of one chat.
struct MessageParts {
  struct Call {
    std::string id;  // empty: none
    std::string name;
    std::string input;     // JSON; empty for a response
    std::size_t part = 0;  // its index in the content
    bool fits(const Call& other) const;
  };

  bool of_user = false;
  bool of_model = false;
  bool answered = false;               // a response of the model: has tokens, thoughts or a model
  std::vector<std::string> texts;      // a user's parts, each trimmed; a model's joined, without thoughts
  std::vector<Call> calls;             // functionCall parts of the content
  std::vector<Call> responses;         // functionResponse parts of the content
  std::vector<Call> recorded_calls;    // of toolCalls
  std::vector<Call> recorded_results;  // those of them with a result
};

// Reads a message. Empty for damaged JSON.
MessageParts read_parts(std::string_view message);

// Returns whether the message is what Gemini CLI says for the model after a summary: the model did not answer.
bool is_acknowledgement(const MessageParts& message);
// The same for a message as written. Parses only one that has the words.
bool is_acknowledgement(std::string_view message);

// A compaction writes the turns that it keeps again, under new ids. Returns for each message of `kept` whether messages
// of `before` tell all of it, in the same order. `known`: the place of each message in the chat; one among `before` was
// kept under its own id.
std::vector<bool> find_repeats(std::span<const MessageParts> kept, std::span<const std::size_t> known,
                               std::span<const MessageParts> before);

}  // namespace memd::gemini
