// Counts secrets that are found and texts that are masked without need: secret_bench [PATH...]
//
// Plants the secrets of both lists of shapes in test/secrets in texts and in records, and counts those that are masked,
// by group, for kinds with a rule and for kinds kept aside. Then counts the lines that are masked in the files below
// each PATH, and prints the beginning of each.
#include "store/text/redaction/redactor.hpp"
#include "test/support/plants.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Count {
  std::size_t planted = 0;
  std::size_t in_text = 0;  // masked
  std::size_t in_record = 0;
};

double percent(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

void count_plants(std::string_view list) {
  constexpr int kSeeds = 5;
  constexpr std::size_t kEach = 10;
  std::map<std::string, Count> known;
  std::map<std::string, Count> aside;
  for (unsigned seed = 1; seed <= kSeeds; ++seed)
    for (const memd::test::Plant& plant : memd::test::Plants(seed).make(kEach, list)) {
      Count& count = (plant.aside ? aside : known)[plant.group];
      std::string text = plant.text;
      std::string record = memd::test::Plants::in_record(plant.text);
      memd::redact(text);
      memd::mask_record(record);
      ++count.planted;
      count.in_text += memd::test::Plants::survives(plant, text) ? 0U : 1U;
      count.in_record += memd::test::Plants::survives(plant, record) ? 0U : 1U;
    }
  for (const auto& [name, counts] : {std::pair{"known", &known}, std::pair{"kept aside", &aside}})
    for (const auto& [group, count] : *counts)
      std::printf("%-17s  %-10s  %-10s  %5zu planted, masked in texts %5.1f%%, in records %5.1f%%\n",
                  std::string(list).c_str(), name, group.c_str(), count.planted, percent(count.in_text, count.planted),
                  percent(count.in_record, count.planted));
}

void count_masks(const fs::path& path) {
  constexpr std::uintmax_t kLargest = 64'000'000;
  constexpr std::size_t kShown = 100;
  std::size_t lines = 0;
  std::size_t masked = 0;
  const auto count_file = [&](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      ++lines;
      const std::string before = line;
      if (memd::mask_record(line) == 0) continue;
      ++masked;
      std::printf("%s: %s\n", file.c_str(), before.substr(0, kShown).c_str());
    }
  };
  if (fs::is_regular_file(path)) count_file(path);
  if (fs::is_directory(path))
    for (const auto& entry : fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied))
      if (entry.is_regular_file() && entry.file_size() < kLargest) count_file(entry.path());
  std::printf("%s: %zu lines, %zu of them masked\n", path.c_str(), lines, masked);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string_view list : memd::test::Plants::kLists)
    count_plants(list);
  for (int i = 1; i < argc; ++i)
    count_masks(argv[i]);
}
