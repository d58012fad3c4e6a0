#pragma once

#include "store/enrich/topics/phrase_table.hpp"

#include <span>
#include <string>
#include <string_view>

namespace memd::topics {

// How a phrase is mostly written in a text, capitals that only begin a sentence made small.
std::string spelling_of(std::span<const GradedToken> tokens, const Phrase& phrase);

// The first letter made small (Latin, Cyrillic), unless another of its letters is a capital: GitHub, CLI.
std::string without_capital(std::string_view word);

}  // namespace memd::topics
