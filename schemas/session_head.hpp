#pragma once

#include "schemas/platform.hpp"

#include <cstdint>
#include <string>

namespace memd {

// Identification of the session that a result belongs to.
struct SessionHead {
  std::int64_t session_pk = 0;
  std::string session_uid;
  std::string session_title;
  Platform platform{};
  std::string project;  // its name; empty: none
};

}  // namespace memd
