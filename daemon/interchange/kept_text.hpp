#pragma once

#include "schemas/query.hpp"
#include "schemas/stored_session.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memd::interchange {

// What the exchanges of a session still hold of the words of its messages, for events whose records are gone: the
// prompts, and the assistant's texts and the interventions, of each of which an exchange keeps one piece. The rows'
// token counts tell their lengths to four bytes, the empty lines between them the rest.
class KeptTexts {
 public:
  KeptTexts(const StoredSession& session, const std::vector<ExchangeRow>& exchanges);
  // nullptr: nothing but the row's summary.
  const std::string* find(std::int64_t seq) const;

 private:
  void split(std::string_view column, const std::vector<const StoredEvent*>& messages);

  std::map<std::int64_t, std::string> by_seq_;
};

}  // namespace memd::interchange
