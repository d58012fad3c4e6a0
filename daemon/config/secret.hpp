#pragma once

#include "schemas/base/result.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

// Secrets. They are not in the configuration itself, which only names their place. `where` is the prefix of messages;
// none of them contains the secret. A secret is one line of visible ASCII, at most 4096 bytes.
namespace memd::config {

// Errc::bad_config: the file cannot be read, belongs to another user (except root), is accessible to others than its
// owner, or its content is not a secret.
Result<std::string> read_secret_file(const std::filesystem::path& file, const std::string& where);

inline constexpr std::chrono::milliseconds kSecretWithin{60'000};  // the user may have to unlock something first

// Runs a program, without a shell and without input, and returns its output. Errc::bad_config: it cannot be started,
// fails, prints something other than a secret, or does not end within `patience`; then it and its children are killed.
Result<std::string> run_secret_command(const std::vector<std::string>& command, const std::string& where,
                                       std::chrono::milliseconds patience = kSecretWithin);

// Validates a secret and returns it trimmed. Errc::bad_config if it is not one.
Result<std::string> checked_secret(std::string_view text, const std::string& where);

}  // namespace memd::config
