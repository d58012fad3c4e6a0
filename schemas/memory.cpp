#include "schemas/memory.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/reflected_name.hpp"

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

std::string_view to_string(MemoryDialect d) { return reflect::enum_name(d); }
std::optional<MemoryDialect> parse_memory_dialect(std::string_view text) {
  return reflect::enum_of<MemoryDialect>(text);
}

std::string_view to_string(MemoryScope s) { return reflect::enum_name(s); }
std::optional<MemoryScope> parse_memory_scope(std::string_view text) { return reflect::enum_of<MemoryScope>(text); }

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

std::string_view to_string(VerificationStatus s) { return reflect::enum_name(s); }
std::optional<VerificationStatus> parse_verification_status(std::string_view text) {
  return reflect::enum_of<VerificationStatus>(text);
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

std::string_view to_string(MemoryProblemKind k) { return reflect::enum_name(k); }

std::string MemoryProblem::what() const { return (key.empty() ? "" : key + ": ") + message; }

std::string MemoryProblem::text() const {
  return path.string() + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what();
}

}  // namespace memd
