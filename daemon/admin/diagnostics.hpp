#pragma once

#include "daemon/admin/reports.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/store_health.hpp"
#include "schemas/time.hpp"

#include <string>
#include <string_view>

// Diagnostics as people and models read them. Pure; any thread.
namespace memd::admin {

// What a person can do about diagnostics of this type; empty: nothing, memd has dealt with it.
std::string_view action_for(DiagnosticType type);

DiagnosticLine diagnostic_line(const DiagnosticRow& row, TimeMs now);
DiagnosticsReport diagnostics_report(const DiagnosticList& list, TimeMs now);

}  // namespace memd::admin
