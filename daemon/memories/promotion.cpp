#include "daemon/memories/promotion.hpp"

#include "schemas/base/error.hpp"
#include "store/harvest/draft.hpp"
#include "store/harvest/material.hpp"
#include "store/reader.hpp"

#include <utility>

namespace memd::memories {

std::vector<harvest::SimilarMemory> similar_memories(const memory::MemoryPlaces& places, const Memory& draft,
                                                     TimeMs now) {
  std::vector<Memory> known;
  for (auto& read : memory::read_everywhere(places, now))
    known.push_back(std::move(read.memory));
  return harvest::KnownMemories(known).similar_to(draft);
}

Result<Promotion> promote(Reader& reader, const memory::MemoryPlaces& places, const PromoteRequest& request,
                          const Clock& clock, const NameEvents& name_events) {
  const auto of = harvest::parse_history_ref(request.from);
  if (!of)
    return Error(Errc::invalid_argument, "\"" + request.from +
                                             "\" is no id: send x42 or SESSION#3 for a turn, o99 "
                                             "for an observation or decision");
  if (request.type && dialect_of(*request.type) != request.place.dialect)
    return Error(Errc::invalid_argument, "type: send one of " + memory_type_names(request.place.dialect));
  MEMD_TRY_ASSIGN(auto material, reader.ask(harvest::MaterialQuery{*of}));
  if (name_events) name_events(reader, material);
  Promotion out;
  out.draft = harvest::draft_of(material, {request.place.dialect, request.type, request.title, places.project});
  out.draft.scope = request.place.scope;
  out.draft.slug = request.slug;
  out.draft.created = out.draft.updated = clock.now();
  if (!request.tags.empty()) out.draft.tags = request.tags;
  out.similar = similar_memories(places, out.draft, clock.now());
  if (request.dry_run || (!out.similar.empty() && !request.force)) return out;
  MEMD_TRY_ASSIGN(out.written, write(out, places, request, clock));
  return out;
}

Result<memory::WrittenMemory> write(const Promotion& shown, const memory::MemoryPlaces& places,
                                    const PromoteRequest& request, const Clock& clock) {
  return memory::MemoryDirectory(request.place, places.project, clock).create(shown.draft);
}

}  // namespace memd::memories
