#pragma once

#include "schemas/error.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

// Secrets are never in the configuration itself, which names where they are. `where` begins messages; none of them
// contains the secret. A secret is one line of visible ASCII, at most 4096 bytes.
namespace memd::config {

// Errc::bad_config: the file cannot be read, others than its owner may read it, or its content is no secret.
Result<std::string> read_secret_file(const std::filesystem::path& file, const std::string& where);

inline constexpr std::chrono::milliseconds kSecretWithin{60'000};  // a person may have to unlock something first

// Runs a program, without a shell and without input, and takes what it prints. Errc::bad_config: it cannot be started,
// fails, prints no secret, or does not end within `patience`; then it and its children are killed.
Result<std::string> run_secret_command(const std::vector<std::string>& command, const std::string& where,
                                       std::chrono::milliseconds patience = kSecretWithin);

// Whether the text is a secret; trimmed.
Result<std::string> checked_secret(std::string_view text, const std::string& where);

}  // namespace memd::config
