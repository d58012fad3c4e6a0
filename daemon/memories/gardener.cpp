#include "daemon/memories/gardener.hpp"

#include "daemon/config/memory_config.hpp"
#include "daemon/memories/verification.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "store/harvest/known_memories.hpp"
#include "store/harvest/recap.hpp"
#include "store/harvest/suggestions.hpp"
#include "store/memory/embedding_cache.hpp"
#include "store/memory/headings.hpp"
#include "store/memory/memory_health.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace memd::memories {
namespace {

using memory::MemoryPlace;

constexpr std::size_t kMostCompared = 2000;  // limit per place for the search for duplicates
constexpr std::size_t kMostVerified = 300;   // limit per place, because each one costs git commands
constexpr std::size_t kMostLinks = 20;       // limit of proposals
constexpr std::size_t kHeadingsNamed = 4;

constexpr std::array<std::string_view, 11> kActionNames{"rebuild",     "mark_stale",  "archive", "supersede",
                                                        "drop_cache",  "write_recap", "merge",   "split",
                                                        "change_kind", "link",        "too_many"};

bool is_of_index(MemoryProblemKind kind) {
  switch (kind) {
    case MemoryProblemKind::missing_index_entry:
    case MemoryProblemKind::stale_index_entry:
    case MemoryProblemKind::corrupt_index:
    case MemoryProblemKind::corrupt_graph:
    case MemoryProblemKind::one_way_edge: return true;
    default: return false;
  }
}

bool lies_in(const MemoryPlace& place, const std::filesystem::path& file) {
  return file.native().starts_with(place.directory.native() + "/");
}

// Plans the steps for one place.
class PlacePlanner {
 public:
  PlacePlanner(const Notebook& notebook, const MemoryPlace& place, const GardenRules& rules, GardenPlan& plan)
      : notebook_(notebook), place_(place), rules_(rules), plan_(plan), now_(notebook.clock().now()) {
    may_write_ = static_cast<bool>(notebook.places().policy.check_write(place.scope, place.dialect));
    for (auto& read : notebook.directory(place).read_all()) {
      if (!read.is_valid()) continue;
      memory::mask_secrets(read);
      memories_.push_back(std::move(read.memory));
    }
    if (auto graph = memory::MemoryGraph::load(place.root())) graph_ = *std::move(graph);
    for (const Memory& m : memories_)
      for (const auto& relation : m.relations)
        ++incoming_[relation.target];
  }

  void plan(const std::vector<MemoryProblem>& problems, const Git* git) {
    look_at_index(problems);
    for (const Memory& m : memories_)
      look_at(m);
    look_at_cache();
    look_for_duplicates();
    if (git != nullptr && rules_.mark_stale) look_at_git(*git);
    propose_links();
    if (memories_.size() > static_cast<std::size_t>(rules_.max_memories))
      propose(GardenAction::too_many, "",
              fmt::format("holds {} memories, {} are allowed: delete or merge some", memories_.size(),
                          rules_.max_memories));
  }

 private:
  GardenStep& add(GardenAction action, std::string slug, std::string why) {
    plan_.steps.push_back({action, place_, std::move(slug), "", std::move(why), false, false});
    GardenStep& step = plan_.steps.back();
    if (!may_write_) {
      step.is_proposal = true;
      step.why += " (memd may not write here: memory.opt_in)";
    }
    return step;
  }
  GardenStep& propose(GardenAction action, std::string slug, std::string why) {
    plan_.steps.push_back({action, place_, std::move(slug), "", std::move(why), true, false});
    return plan_.steps.back();
  }

  std::size_t edges(const Memory& m) const {
    const auto in = incoming_.find(m.slug);
    return graph_.edges_of(m.slug).size() + m.relations.size() + (in == incoming_.end() ? 0 : in->second);
  }

  void look_at_index(const std::vector<MemoryProblem>& problems) {
    std::size_t count = 0;
    std::string first;
    for (const MemoryProblem& problem : problems) {
      if (!is_of_index(problem.kind) || !lies_in(place_, problem.path)) continue;
      if (++count == 1) first = problem.text();
    }
    if (count == 0) return;
    add(GardenAction::rebuild, "", fmt::format("{} entries do not fit the files; the first: {}", count, first));
  }

  void look_at(const Memory& m) {
    if (!rules_.kinds.empty() && std::find(rules_.kinds.begin(), rules_.kinds.end(), m.type) == rules_.kinds.end())
      propose(GardenAction::change_kind, m.slug,
              fmt::format("is of kind {}, which the rules do not allow: change it with `memd memory edit {} --type …`",
                          to_string(m.type), m.slug));
    std::size_t characters = 0;
    for (std::size_t i = 0; i < m.content.size(); ++i)
      characters += is_utf8_tail(m.content, i) ? 0 : 1;
    if (characters > static_cast<std::size_t>(rules_.max_characters))
      propose(GardenAction::split, m.slug,
              fmt::format("has {} characters, {} are allowed: split it{}", characters, rules_.max_characters,
                          headings_to_split_at(m)));
    const TimeMs age = now_ - m.updated;
    if (rules_.archive_days == 0 || m.updated == 0 || age < rules_.archive_days * kMsPerDay || edges(m) > 0 ||
        !m.links.empty())
      return;
    const auto quality = memory::quality_of(m, 0, now_);
    if (quality.score >= notebook_.config().min_quality) return;
    add(GardenAction::archive, m.slug,
        fmt::format("no link, unchanged for {} days, quality {} of 100; `memd memory undo {}` brings it back",
                    age / kMsPerDay, quality.score, m.slug))
        .file_hash = m.file_hash;
  }

  static std::string headings_to_split_at(const Memory& m) {
    std::string out;
    std::size_t named = 0;
    for (const auto& heading : memory::headings_of(m.content)) {
      if (heading.level != 2 || named == kHeadingsNamed) continue;
      out += (named++ == 0 ? " at " : ", ") + ("\"" + heading.text + "\"");
    }
    return out;
  }

  void look_at_cache() {
    std::size_t stray = 0;
    for (const auto& slug : memory::EmbeddingCache(place_.root()).slugs())
      stray += std::none_of(memories_.begin(), memories_.end(), [&](const Memory& m) { return m.slug == slug; });
    if (stray > 0) add(GardenAction::drop_cache, "", fmt::format("{} vectors are of no memory", stray));
  }

  bool are_related(const Memory& a, const Memory& b) const {
    const auto relates = [](const Memory& from, const Memory& to) {
      return std::any_of(from.relations.begin(), from.relations.end(),
                         [&](const MemoryRelation& r) { return r.target == to.slug; });
    };
    return graph_.has(a.slug, b.slug) || relates(a, b) || relates(b, a);
  }

  void look_for_duplicates() {
    if (rules_.duplicates == DuplicateRule::off) return;
    std::vector<Memory> compared = memories_;
    std::sort(compared.begin(), compared.end(), [](const Memory& a, const Memory& b) { return a.updated > b.updated; });
    if (compared.size() > kMostCompared) {
      plan_.notices.push_back(fmt::format("{}: the newest {} of {} memories were compared with each other",
                                          place_.directory.native(), kMostCompared, compared.size()));
      compared.resize(kMostCompared);
    }
    const harvest::KnownMemories known(compared);
    for (const Memory& newer : compared)
      for (const auto& one : known.similar_to(newer)) {
        const auto older =
            std::find_if(compared.begin(), compared.end(), [&](const Memory& m) { return m.path == one.path; });
        if (std::pair(older->updated, older->slug) >= std::pair(newer.updated, newer.slug) ||
            are_related(newer, *older))
          continue;
        const std::string why = fmt::format("says what {} says (likeness {:.2f})", older->slug, one.likeness);
        if (rules_.duplicates == DuplicateRule::link)
          add(GardenAction::supersede, newer.slug, why + " and is newer").other = older->slug;
        else
          propose(GardenAction::merge, newer.slug, why + ": make one of them, or link them").other = older->slug;
      }
  }

  void look_at_git(const Git& git) {
    std::size_t looked = 0;
    for (const Memory& m : memories_) {
      if (m.verification.status == VerificationStatus::stale) continue;
      if (++looked > kMostVerified) {
        plan_.notices.push_back(
            fmt::format("{}: only {} memories were compared with git; `memd memory verify` takes all",
                        place_.directory.native(), kMostVerified));
        return;
      }
      const auto found = verify(m, git);
      if (!found || found->status != VerificationStatus::stale) continue;
      GardenStep& step =
          add(GardenAction::mark_stale, m.slug,
              fmt::format("what it names was changed by {}", found->changed_by.empty()
                                                                 ? std::string("later commits")
                                                                 : found->changed_by.front().sha.substr(0, 12) + " \"" +
                                                                       found->changed_by.front().subject + "\""));
      step.file_hash = m.file_hash;
      step.verification = MemoryVerification{found->base, found->status};
    }
  }

  // Proposes links for memories without an edge.
  void propose_links() {
    for (const auto& one : harvest::suggest_links(memories_, kMostLinks)) {
      const bool is_loose = std::any_of(memories_.begin(), memories_.end(), [&](const Memory& m) {
        return (m.slug == one.source || m.slug == one.target) && edges(m) == 0;
      });
      if (!is_loose) continue;
      propose(GardenAction::link, one.source,
              fmt::format("{}: `memd memory suggest --accept {}` links it to {}", fmt::join(one.reasons, ", "), one.id,
                          one.target))
          .other = one.target;
    }
  }

  const Notebook& notebook_;
  const MemoryPlace& place_;
  const GardenRules& rules_;
  GardenPlan& plan_;
  const TimeMs now_;
  bool may_write_ = false;
  std::vector<Memory> memories_;  // valid ones
  memory::MemoryGraph graph_;
  std::map<std::string, std::size_t, std::less<>> incoming_;  // count of relations from other memories, by slug
};

// Returns the recap of yesterday if there is something to tell and it is not written yet.
std::optional<GardenStep> missing_recap(const Notebook& notebook, Reader& reader, const MemoryPlace& place,
                                        const GardenRules& rules) {
  harvest::RecapQuery query;
  query.day = local_day(notebook.clock().now()) - 1;
  query.project = notebook.places().project;
  query.filter.project = project_tree(query.project.string());
  query.sections = rules.recap;
  auto recap = reader.ask(query);
  if (!recap || !*recap || notebook.directory(place).read((*recap)->slug)) return std::nullopt;
  GardenStep step{GardenAction::write_recap, place, (*recap)->slug, "", "the day has none yet", false, false};
  step.recap = **std::move(recap);
  return step;
}

}  // namespace

std::string_view to_string(GardenAction a) { return kActionNames[static_cast<std::size_t>(a)]; }

Result<GardenRules> Gardener::rules_of(const MemoryPlace& place) const {
  const GardenRules& own = notebook_.config().garden;
  const auto& places = notebook_.places();
  if (places.project.empty() || place.scope == MemoryScope::global || place.scope == MemoryScope::enterprise)
    return own;
  return config::load_garden_rules(files::ScopeRoot(places.project, places.policy.platform_path), own);
}

Result<GardenPlan> Gardener::plan() const {
  GardenPlan out;
  const auto problems = notebook_.health();
  const auto& project = notebook_.places().project;
  std::optional<Git> git;
  if (with_git_ && !project.empty()) {
    auto opened = Git::open(project);
    if (opened)
      git = *std::move(opened);
    else
      out.notices.push_back("nothing was compared with git: " + opened.error().message());
  }
  for (const MemoryPlace& place : notebook_.places().places()) {
    MEMD_TRY_ASSIGN(const GardenRules rules, rules_of(place));
    const std::size_t before = out.steps.size();
    const bool in_project = place.scope == MemoryScope::project || place.scope == MemoryScope::local;
    PlacePlanner(notebook_, place, rules, out).plan(problems, git && in_project ? &*git : nullptr);
    const bool has_recaps = place.dialect == MemoryDialect::repository && rules.daily_recap && reader_ != nullptr;
    if (has_recaps && notebook_.places().policy.check_write(place.scope, place.dialect))
      if (auto step = missing_recap(notebook_, *reader_, place, rules)) out.steps.push_back(*std::move(step));
    std::stable_sort(out.steps.begin() + static_cast<std::ptrdiff_t>(before), out.steps.end(),
                     [](const GardenStep& a, const GardenStep& b) { return a.action < b.action; });
  }
  return out;
}

void Gardener::apply(GardenPlan& plan) const {
  for (GardenStep& step : plan.steps) {
    if (step.is_proposal) continue;
    if (const auto done = carry_out(step); done)
      step.done = true;
    else
      step.why = "was not done: " + done.error().message();
  }
}

Result<void> Gardener::carry_out(const GardenStep& step) const {
  MEMD_TRY(notebook_.places().policy.check_write(step.place.scope, step.place.dialect));
  auto directory = notebook_.directory(step.place);
  const auto found = [&]() -> Result<FoundMemory> {
    MEMD_TRY_ASSIGN(auto read, directory.read(step.slug));
    return FoundMemory{step.place, std::move(read)};
  };
  switch (step.action) {
    case GardenAction::rebuild: MEMD_TRY(directory.rebuild()); break;
    case GardenAction::mark_stale: {
      memory::MemoryChange change;
      change.verification = step.verification;
      MEMD_TRY(directory.update(step.slug, change, step.file_hash));
      break;
    }
    case GardenAction::archive: {
      MEMD_TRY_ASSIGN(const FoundMemory memory, found());
      return notebook_.remove(memory, step.file_hash);
    }
    case GardenAction::supersede: {
      MEMD_TRY_ASSIGN(const FoundMemory memory, found());
      MEMD_TRY(notebook_.link(memory, step.other, std::string("supersedes")));
      break;
    }
    case GardenAction::drop_cache: MEMD_TRY(directory.clean_vectors({})); break;
    case GardenAction::write_recap: MEMD_TRY(directory.create(*step.recap)); break;
    default: break;
  }
  return {};
}

}  // namespace memd::memories
