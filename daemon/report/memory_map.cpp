#include "daemon/report/memory_map.hpp"

#include "daemon/report/html_page.hpp"
#include "daemon/version.hpp"
#include "schemas/base/time.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace memd::report {
namespace {

constexpr std::size_t kMostNodes = 600;
constexpr std::size_t kTitleBytes = 160;

// Directory of its place, and slug.
using NodeKey = std::pair<std::string, std::string>;

struct DrawnEdge {
  std::size_t a = 0;
  std::size_t b = 0;
  std::string label;
};

// Returns whether this direction of an edge is drawn: "supersedes", not "superseded-by".
bool is_told(const MemoryEdge& edge) {
  const std::string inverse = inverse_label(edge.label);
  if (inverse == edge.label) return edge.source < edge.target;
  return !edge.label.ends_with("-by") && !edge.label.starts_with("inverse-of-") &&
         (inverse.ends_with("-by") || inverse.starts_with("inverse-of-") || edge.label < inverse);
}

}  // namespace

void write_memories(DataWriter& w, const memories::MemoryGraphView& graph) {
  std::map<NodeKey, std::size_t> index;
  const auto key_of = [](const std::filesystem::path& directory, const std::string& slug) {
    return NodeKey(directory.native(), slug);
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    index.emplace(key_of(graph.nodes[i].place.directory, graph.nodes[i].memory.slug), i);
  std::vector<DrawnEdge> edges;
  std::vector<std::size_t> degree(graph.nodes.size());
  for (const auto& [edge, place] : graph.edges) {
    const auto a = index.find(key_of(place.directory, edge.source));
    const auto b = index.find(key_of(place.directory, edge.target));
    const bool told = place.dialect == MemoryDialect::repository || is_told(edge);
    if (!told || a == index.end() || b == index.end() || a == b) continue;
    edges.push_back({a->second, b->second, edge.label});
    ++degree[a->second];
    ++degree[b->second];
  }
  std::vector<std::size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return degree[x] > degree[y]; });
  const std::size_t left_out = order.size() - std::min(order.size(), kMostNodes);
  order.resize(order.size() - left_out);
  std::vector<std::size_t> drawn_as(graph.nodes.size(), graph.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    drawn_as[order[i]] = i;

  w.key("memories");
  w.begin_object();
  w.count("left_out", left_out);
  w.member_objects("nodes", order, [&](std::size_t i) {
    const Memory& m = graph.nodes[i].memory;
    w.text("slug", m.slug);
    w.member("title", shown(m.title.empty() ? m.slug : m.title, kTitleBytes));
    w.text("type", to_string(m.type));
    w.text("scope", to_string(m.scope));
    w.text("path", m.path.native());
    w.texts("tags", m.tags, 60);
    w.count("updated", m.updated);
    w.flag("stale", m.verification.status == VerificationStatus::stale);
  });
  std::erase_if(edges, [&](const DrawnEdge& e) {
    return drawn_as[e.a] == graph.nodes.size() || drawn_as[e.b] == graph.nodes.size();
  });
  w.member_objects("edges", edges, [&](const DrawnEdge& e) {
    w.count("a", drawn_as[e.a]);
    w.count("b", drawn_as[e.b]);
    w.text("label", e.label);
  });
  w.end_object();
}

std::string memory_page(const memories::MemoryGraphView& graph, TimeMs made_at, std::string_view asked) {
  std::string data;
  DataWriter w(data);
  w.begin_object();
  w.text("memd", version());
  w.count("made", made_at);
  w.text("zone", time_zone_label());
  w.text("asked", asked);
  TimeMs first = made_at;
  for (const auto& node : graph.nodes)
    if (node.memory.updated > 0) first = std::min(first, node.memory.updated);
  w.member_objects("offsets", clock_offsets(first, made_at), [&](const ClockOffset& o) {
    w.count("from", o.from);
    w.count("ahead", o.ahead);
  });
  write_memories(w, graph);
  w.end_object();
  HtmlPage page;
  page.title = "memd memories";
  page.styles = {"page.css", "report.css"};
  page.constants = agent_names();
  page.scripts = {"words.js", "htm-preact.js", "parts.js", "report_model.js",  "memory_graph.js",
                  "theme.js", "tips.js",       "saved.js", "saved_memories.js"};
  return page_head(page) + std::string(page_file("saved_memories.html")) +
         "<script type=\"application/json\" id=\"data\">" + json_for_script(data) + "</script>\n" + page_foot(page);
}

}  // namespace memd::report
