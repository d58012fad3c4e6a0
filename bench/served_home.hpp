#pragma once

#include "bench/served_memd.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace memd::bench {

// A home with agents' histories, and a memd daemon of its own that has read and enriched all of it.
// Throws std::runtime_error.
class ServedHome {
 public:
  // `write` fills the home it is given.
  ServedHome(const std::filesystem::path& memd, const std::function<void(const std::filesystem::path& home)>& write);

  // Returns when what stands in the home now is read, committed and enriched.
  void wait_until_taken_in();

  std::string socket() const { return setup_.socket(); }
  std::filesystem::path home() const { return setup_.home; }
  std::filesystem::path database() const { return setup_.data / "memd.db"; }

 private:
  void wait_until_read();
  void wait_until_enriched();

  Setup setup_;
};

}  // namespace memd::bench
