#pragma once

#include "daemon/memories/notebook.hpp"
#include "daemon/report/data_writer.hpp"
#include "schemas/time.hpp"

#include <string>
#include <string_view>

// Renders memories as a graph. Pure functions; each may be called on any thread.
namespace memd::report {

// As the member `memories` of a page's data: nodes, and each edge once, by the numbers of its nodes. The most linked
// ones, as many as a page can lay out.
void write_memories(DataWriter& w, const memories::MemoryGraphView& graph);

// A page of its own.
std::string memory_page(const memories::MemoryGraphView& graph, TimeMs made_at, std::string_view asked);

}  // namespace memd::report
