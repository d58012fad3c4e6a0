#include "store/memory/memory_json.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/time.hpp"

#include <simdjson.h>

#include <utility>

namespace memd::memory {
namespace {

namespace dom = simdjson::dom;

Error malformed(const char* what) { return Error(Errc::store_corrupt, what); }

TimeMs time_of(std::string_view text) { return parse_rfc3339(text).value_or(0); }

// Parses `json` and passes its object to `take`, which may throw simdjson_error.
template <class Out, class Take>
Result<Out> parse(std::string_view json, const char* what, Take take) {
  try {
    dom::parser parser;
    const simdjson::padded_string padded(json);
    const dom::object object = parser.parse(padded).get_object();
    Out out;
    take(object, out);
    return out;
  } catch (const simdjson::simdjson_error&) {
    return malformed(what);
  }
}

std::string text_of(const dom::object& object, std::string_view key) {
  return std::string(object[key].get_string().value());
}

}  // namespace

IndexEntry index_entry(const Memory& m, bool has_embedding) { return {m, m.path.string(), has_embedding}; }

std::string index_line(const IndexEntry& entry) {
  std::string out;
  out.reserve(320);
  json::append_string(out, entry.slug);
  out += ':';
  json::Writer w(out);
  w.begin_object();
  w.member("slug", entry.slug);
  w.member("title", entry.title);
  w.member("type", to_string(entry.type));
  w.member_texts("tags", entry.tags);
  w.member("created", format_rfc3339(entry.created));
  w.member("updated", format_rfc3339(entry.updated));
  w.member("filePath", entry.file_path);
  w.member_bool("hasEmbedding", entry.has_embedding);
  w.end_object();
  return out;
}

std::string index_head(TimeMs last_updated) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("version", kIndexVersion);
  w.member("lastUpdated", format_rfc3339(last_updated));
  w.key("memories");
  w.begin_object();
  return out;
}

std::string index_text(const MemoryIndex& index) {
  std::string out = index_head(index.last_updated);
  bool first = true;
  for (const auto& [slug, entry] : index.memories) {
    out += first ? "\n" : ",\n";
    out += index_line(entry);
    first = false;
  }
  return out += kIndexTail;
}

Result<MemoryIndex> parse_index(std::string_view json) {
  return parse<MemoryIndex>(json, "is no index of memories", [](const dom::object& root, MemoryIndex& out) {
    out.version = text_of(root, "version");
    out.last_updated = time_of(text_of(root, "lastUpdated"));
    const dom::object memories = root["memories"].get_object();
    for (const auto& [slug, value] : memories) {
      const dom::object fields = value.get_object();
      IndexEntry entry;
      entry.slug = text_of(fields, "slug");
      entry.title = text_of(fields, "title");
      const auto type = parse_memory_type(text_of(fields, "type"));
      if (!type || entry.slug != slug) throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
      entry.type = *type;
      const dom::array tags = fields["tags"].get_array();
      for (const dom::element tag : tags)
        entry.tags.emplace_back(tag.get_string().value());
      entry.created = time_of(text_of(fields, "created"));
      entry.updated = time_of(text_of(fields, "updated"));
      entry.file_path = text_of(fields, "filePath");
      entry.has_embedding = fields["hasEmbedding"].get_bool().value();
      out.memories[std::string(slug)] = std::move(entry);
    }
  });
}

std::string graph_text(const EdgeLists& lists) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  for (const auto& [slug, edges] : lists) {
    if (edges.empty()) continue;
    w.key(slug);
    w.begin_array();
    for (const MemoryEdge& edge : edges) {
      std::string line = "\n";
      json::Writer item(line);
      item.begin_object();
      item.member("target", edge.target);
      item.member("label", edge.label);
      item.member("timestamp", format_rfc3339(edge.created));
      item.end_object();
      w.raw(line);
    }
    w.end_array();
  }
  w.end_object();
  return out += '\n';
}

Result<EdgeLists> parse_graph(std::string_view json) {
  return parse<EdgeLists>(json, "is no graph of memories", [](const dom::object& root, EdgeLists& out) {
    for (const auto& [slug, value] : root) {
      auto& edges = out[std::string(slug)];
      const dom::array list = value.get_array();
      for (const dom::element element : list) {
        const dom::object fields = element.get_object();
        edges.push_back({std::string(slug), text_of(fields, "target"), text_of(fields, "label"),
                         time_of(text_of(fields, "timestamp"))});
      }
    }
  });
}

std::string manifest_text(const std::vector<Memory>& memories, const std::filesystem::path& root, TimeMs generated_at) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member_number("version", std::int64_t{1});
  w.member("generated_at", format_rfc3339(generated_at));
  w.key("docs");
  w.begin_array();
  for (const Memory& m : memories) {
    std::string line = "\n";
    json::Writer doc(line);
    doc.begin_object();
    doc.member("path", m.path.lexically_relative(root).generic_string());
    doc.member("id", m.slug);
    doc.member("kind", to_string(m.type));
    doc.member("title", m.title);
    doc.member_texts("tags", m.tags);
    doc.member("updated", format_rfc3339(m.updated));
    doc.key("provenance");
    doc.begin_object();
    doc.member_texts("events", m.provenance.events);
    doc.member_texts("patches", m.provenance.patches);
    doc.member_texts("commits", m.provenance.commits);
    doc.end_object();
    doc.end_object();
    w.raw(line);
  }
  w.end_array();
  w.end_object();
  return out += '\n';
}

std::string embedding_text(const CachedEmbedding& cached) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("slug", cached.slug);
  w.member("model", cached.model);
  w.key("vector");
  w.begin_array();
  for (const float value : cached.vector)
    w.number(static_cast<double>(value));
  w.end_array();
  w.member("contentHash", cached.content_hash);
  w.member("timestamp", format_rfc3339(cached.computed));
  w.end_object();
  return out += '\n';
}

Result<CachedEmbedding> parse_embedding(std::string_view json) {
  return parse<CachedEmbedding>(json, "is no cached vector", [](const dom::object& root, CachedEmbedding& out) {
    out.slug = text_of(root, "slug");
    out.model = text_of(root, "model");
    const dom::array vector = root["vector"].get_array();
    for (const dom::element value : vector)
      out.vector.push_back(static_cast<float>(value.get_double().value()));
    out.content_hash = text_of(root, "contentHash");
    out.computed = time_of(text_of(root, "timestamp"));
  });
}

}  // namespace memd::memory
