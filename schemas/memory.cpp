#include "schemas/memory.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"

#include <algorithm>
#include <utility>

namespace memd {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kInverses{{
    {"implements", "implemented-by"},
    {"relates-to", "relates-to"},
    {"part-of", "contains"},
    {"builds-on", "foundation-for"},
    {"similar-to", "similar-to"},
    {"supersedes", "superseded-by"},
    {"derives-from", "source-of"},
    {"refers-to", "referred-to-by"},
    {"duplicates", "duplicates"},
}};
constexpr std::string_view kInverseOf = "inverse-of-";
constexpr std::size_t kMaxDefaultSlug = 60;

template <class Enum, std::size_t Size>
std::optional<Enum> parse(const std::array<Enum, Size>& all, std::string_view text) {
  for (const Enum value : all)
    if (to_string(value) == text) return value;
  return std::nullopt;
}

// Returns whether the text is one or more runs of `is_part` characters, with one `is_joint` character between two runs.
template <class IsPart, class IsJoint>
bool is_joined(std::string_view text, IsPart is_part, IsJoint is_joint) {
  bool after_part = false;
  for (const char c : text) {
    if (!is_part(c) && !(after_part && is_joint(c))) return false;
    after_part = is_part(c);
  }
  return after_part;
}

}  // namespace

std::string_view to_string(MemoryDialect d) {
  switch (d) {
    case MemoryDialect::plugin: return "plugin";
    case MemoryDialect::repository: return "repository";
    case MemoryDialect::agent: return "agent";
  }
  return {};
}
std::optional<MemoryDialect> parse_memory_dialect(std::string_view text) { return parse(kAllMemoryDialects, text); }

std::string_view to_string(MemoryScope s) {
  switch (s) {
    case MemoryScope::enterprise: return "enterprise";
    case MemoryScope::local: return "local";
    case MemoryScope::project: return "project";
    case MemoryScope::global: return "global";
  }
  return {};
}
std::optional<MemoryScope> parse_memory_scope(std::string_view text) { return parse(kAllMemoryScopes, text); }

std::string_view to_string(MemoryType t) { return kMemoryTypes[static_cast<std::size_t>(t)].name; }

std::optional<MemoryType> parse_memory_type(std::string_view text) {
  for (const auto& info : kMemoryTypes)
    if (info.name == text) return info.id;
  return std::nullopt;
}

MemoryDialect dialect_of(MemoryType t) { return kMemoryTypes[static_cast<std::size_t>(t)].dialect; }

std::string memory_type_names(MemoryDialect d) {
  std::string out;
  for (const auto& info : kMemoryTypes)
    if (info.dialect == d) out += (out.empty() ? "" : ", ") + std::string(info.name);
  return out;
}

bool MemoryProvenance::empty() const { return *this == MemoryProvenance(); }

std::string_view to_string(VerificationStatus s) {
  switch (s) {
    case VerificationStatus::unknown: return "unknown";
    case VerificationStatus::verified: return "verified";
    case VerificationStatus::stale: return "stale";
  }
  return {};
}
std::optional<VerificationStatus> parse_verification_status(std::string_view text) {
  return parse(kAllVerificationStatuses, text);
}

bool is_memory_slug(std::string_view text) {
  return text.size() <= kMaxMemorySlug &&
         is_joined(
             text, [](char c) { return ascii::is_lower(c) || ascii::is_digit(c); }, [](char c) { return c == '-'; });
}

bool is_memory_word(std::string_view text) { return text.size() <= kMaxMemoryWord && is_memory_slug(text); }

bool is_document_id(std::string_view text) {
  return text.size() <= kMaxMemorySlug &&
         is_joined(text, ascii::is_alnum, [](char c) { return c == '.' || c == '_' || c == '-'; });
}

std::string slug_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (ascii::is_alnum(c))
      out += ascii::lower(c);
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-'))
    out.pop_back();
  return out;
}

std::string default_slug(MemoryType type, std::string_view title) {
  std::string words = slug_of(title);
  if (words.empty()) words = sha256_hex(title).substr(0, 8);  // a title without a letter of ASCII
  const std::string prefix = std::string(to_string(type)) + "-";
  std::string out = words.starts_with(prefix) ? words : prefix + words;
  if (out.size() > kMaxDefaultSlug) {
    const auto cut = out.rfind('-', kMaxDefaultSlug);
    out.resize(cut > prefix.size() && cut != std::string::npos ? cut : kMaxDefaultSlug);
    while (out.ends_with('-'))
      out.pop_back();
  }
  return out;
}

std::string inverse_label(std::string_view label) {
  for (const auto& [one, other] : kInverses) {
    if (label == one) return std::string(other);
    if (label == other) return std::string(one);
  }
  if (label.starts_with(kInverseOf)) return std::string(label.substr(kInverseOf.size()));
  return std::string(kInverseOf) + std::string(label);
}

bool is_edge_label(std::string_view text) {
  return is_memory_word(text) && is_memory_word(inverse_label(text)) && inverse_label(inverse_label(text)) == text;
}

std::string_view to_string(MemoryProblemKind k) {
  switch (k) {
    case MemoryProblemKind::invalid_file: return "invalid_file";
    case MemoryProblemKind::conflict_copy: return "conflict_copy";
    case MemoryProblemKind::duplicate: return "duplicate";
    case MemoryProblemKind::broken_link: return "broken_link";
    case MemoryProblemKind::one_way_edge: return "one_way_edge";
    case MemoryProblemKind::missing_index_entry: return "missing_index_entry";
    case MemoryProblemKind::stale_index_entry: return "stale_index_entry";
    case MemoryProblemKind::bad_config: return "bad_config";
    case MemoryProblemKind::corrupt_index: return "corrupt_index";
    case MemoryProblemKind::corrupt_graph: return "corrupt_graph";
    case MemoryProblemKind::orphan: return "orphan";
    case MemoryProblemKind::empty_hub: return "empty_hub";
    case MemoryProblemKind::secret: return "secret";
    case MemoryProblemKind::low_quality: return "low_quality";
    case MemoryProblemKind::stale: return "stale";
    case MemoryProblemKind::orphan_cache: return "orphan_cache";
  }
  return {};
}

std::string MemoryProblem::text() const {
  return path.string() + (line > 0 ? ":" + std::to_string(line) : "") + ": " + (key.empty() ? "" : key + ": ") +
         message;
}

}  // namespace memd
