#include "bench/synthetic/prose.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace memd::bench {
namespace {

constexpr std::array kSyllables{"con", "fig", "par", "ser", "mem", "tok", "ren", "der", "lo",  "gin", "ca",
                                "che", "in",  "dex", "qu",  "ery", "bu",  "ild", "te",  "st",  "fi",  "le",
                                "net", "wor", "k",   "da",  "ta",  "ba",  "se",  "mo",  "del", "ro",  "ute"};
constexpr std::array kEndings{".cpp", ".hpp", ".ts", ".py", ".md", ".go"};
constexpr std::array kCommands{"git diff ", "ninja -C build ", "grep -rn ", "pytest -q ", "sed -n 1,80p ", "ls -la "};

}  // namespace

Prose::Prose(std::uint64_t seed, std::size_t vocabulary) : random_(seed) {
  double total = 0;
  for (std::size_t i = 0; i < vocabulary; ++i) {
    std::string w;
    for (std::size_t n = 1 + below(4), s = 0; s < n; ++s)
      w += kSyllables[below(kSyllables.size())];
    if (i > 200) w += std::to_string(i % 97);
    words_.push_back(std::move(w));
    cumulated_.push_back(total += 1.0 / static_cast<double>(i + 1));
  }
}

const std::string& Prose::word() {
  const double at = static_cast<double>(random_() >> 11) * 0x1p-53 * cumulated_.back();
  const auto it = std::lower_bound(cumulated_.begin(), cumulated_.end(), at);
  return words_[static_cast<std::size_t>(it - cumulated_.begin())];
}

std::string Prose::sentence(std::size_t words) {
  std::string out;
  for (std::size_t i = 0; i < words; ++i)
    out.append(i == 0 ? "" : " ").append(word());
  return out + ".";
}

std::string Prose::paragraph(std::size_t sentences) {
  std::string out;
  for (std::size_t i = 0; i < sentences; ++i)
    out.append(i == 0 ? "" : " ").append(sentence(6 + below(14)));
  return out;
}

std::string Prose::path() {
  return "/home/ada/" + words_[below(40)] + "/" + word() + "/" + word() + kEndings[below(kEndings.size())];
}

std::string Prose::command() { return kCommands[below(kCommands.size())] + path(); }

std::string Prose::output(std::size_t lines) {
  std::string out;
  for (std::size_t i = 0; i < lines; ++i)
    out += path() + ":" + std::to_string(below(900)) + ":  " + sentence(4 + below(8)) + "\n";
  return out;
}

std::string Prose::uuid() {
  const std::uint64_t a = random_();
  const std::uint64_t b = random_();
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>(a >> 16) & 0xffffu, static_cast<unsigned>(a) & 0xfffu,
                static_cast<unsigned>(b >> 52), static_cast<unsigned long long>(b & 0xffff'ffff'ffffull));
  return text;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out.append("\\").push_back(c);
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out.push_back(c);
  }
  return out + "\"";
}

}  // namespace memd::bench
