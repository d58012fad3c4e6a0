#pragma once

#include "schemas/json_writer.hpp"  // IWYU pragma: export
