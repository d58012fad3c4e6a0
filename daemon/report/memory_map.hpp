#pragma once

#include "daemon/memories/notebook.hpp"
#include "daemon/report/data_writer.hpp"
#include "schemas/base/timestamp.hpp"

#include <string>
#include <string_view>

// Draws memories as a graph. Pure functions; each may be called on any thread.
namespace memd::report {

// Writes the member `memories` of a page's data: nodes, and each edge once, by the indexes of its nodes. Keeps the most
// linked nodes, up to the number that a page can lay out.
void write_memories(DataWriter& w, const memories::MemoryGraphView& graph);

// Returns a page with only this graph.
std::string memory_page(const memories::MemoryGraphView& graph, TimeMs made_at, std::string_view asked);

}  // namespace memd::report
