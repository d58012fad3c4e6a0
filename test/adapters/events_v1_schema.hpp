#pragma once

#include "schemas/base/embedded.hpp"
#include "test/support/json_schema.hpp"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace memd::test {

inline JsonSchema events_schema() {
  for (const auto& file : embedded::json_schema_files())
    if (file.name == "events.v1.schema.json") return JsonSchema(boost::json::parse(file.text));
  throw std::logic_error("events.v1.schema.json is not embedded");
}

}  // namespace memd::test
