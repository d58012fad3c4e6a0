#include "schemas/base/word_lists.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace memd {

WordList::WordList(std::vector<std::string> words) : words_(std::move(words)) {
  std::sort(words_.begin(), words_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  slots_.resize(std::bit_ceil(words_.size() * 2 + 1));
  for (const std::string& word : words_) {
    const std::uint64_t hash = hash64(word);
    std::size_t at = slot_of(hash);
    while (slots_[at] != 0)
      at = (at + 1) & (slots_.size() - 1);
    slots_[at] = hash | 1;
  }
}

namespace {

// Removes the next word from `text` and returns it; empty at the end.
std::string_view next_word(std::string_view& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

class ListReader {
 public:
  explicit ListReader(std::span<const std::string_view> names) : names_(names), words_(names.size()) {}

  void read(const embedded::EmbeddedFile& file) {
    file_ = file.name;
    lists_.clear();
    for (std::string_view text = file.text; !text.empty();)
      read_line(ascii::trimmed(ascii::take_until(text, '\n')));
  }

  std::vector<WordList> lists() && {
    std::vector<WordList> out;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].empty()) throw std::logic_error("words: [" + std::string(names_[i]) + "] stands in no file");
      out.emplace_back(std::move(words_[i]));
    }
    return out;
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with('#')) return;
    const bool begins_lists = line.starts_with('[');
    if (begins_lists) {
      if (!line.ends_with(']')) fail("nothing closes", line);
      line = line.substr(1, line.size() - 2);
      lists_.clear();
    }
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      if (begins_lists)
        lists_.push_back(number_of(word));
      else
        add(word);
    }
  }

  std::size_t number_of(std::string_view list) const {
    const auto known = std::find(names_.begin(), names_.end(), list);
    if (known == names_.end()) fail("no list is called", list);
    return static_cast<std::size_t>(known - names_.begin());
  }

  void add(std::string_view word) {
    if (lists_.empty()) fail("in no list stands", word);
    std::string whole(word);
    std::replace(whole.begin(), whole.end(), '~', ' ');
    for (const std::size_t list : lists_)
      words_[list].push_back(whole);
  }

  [[noreturn]] void fail(std::string_view why, std::string_view word) const {
    throw std::logic_error(std::string(file_) + ": " + std::string(why) + " \"" + std::string(word) + "\"");
  }

  std::span<const std::string_view> names_;
  std::vector<std::vector<std::string>> words_;  // by list
  std::vector<std::size_t> lists_;               // indices of the lists that are open at this place of the file
  std::string_view file_;
};

}  // namespace

std::vector<WordList> read_word_lists(std::span<const embedded::EmbeddedFile> files,
                                      std::span<const std::string_view> names) {
  ListReader reader(names);
  for (const embedded::EmbeddedFile& file : files)
    reader.read(file);
  return std::move(reader).lists();
}

}  // namespace memd
