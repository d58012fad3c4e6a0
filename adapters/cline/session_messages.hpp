#pragma once

#include "adapters/snapshot/document.hpp"
#include "schemas/time.hpp"

#include <string>
#include <vector>

namespace memd::cline {

// A message of generation 2: what it is known by, and when it was.
struct SessionMessage {
  snapshot::Element element;
  std::string key;     // unique in the session, the same in each version
  std::string record;  // the same in copies of the message (forks); empty: only the session tells it from others
  TimeMs time = 0;
  bool estimated = false;
};

std::vector<SessionMessage> read_session_messages(const snapshot::Document& document, TimeMs started);

}  // namespace memd::cline
