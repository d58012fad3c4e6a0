#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// An in-memory model file in the format of packaging/model.
struct SyntheticModel {
  std::string name = "synthetic";
  std::vector<std::string> tokens;
  std::vector<float> scale;
  std::vector<std::int8_t> table;
  std::uint32_t dimension = 4;
  std::uint32_t flags = 1;

  std::vector<std::byte> file() const {
    std::string vocabulary;
    for (const std::string& t : tokens)
      vocabulary += t + '\n';
    std::string out = "MEMDEMB1";
    for (const std::uint32_t number :
         {dimension, static_cast<std::uint32_t>(tokens.size()), static_cast<std::uint32_t>(name.size()),
          static_cast<std::uint32_t>(vocabulary.size()), flags, 0U})
      append(out, &number, 4);
    out += name + vocabulary;
    out.resize((out.size() + 63) / 64 * 64);
    append(out, scale.data(), scale.size() * 4);
    out.resize((out.size() + 63) / 64 * 64);
    append(out, table.data(), table.size());
    const auto bytes = std::as_bytes(std::span(out));
    return {bytes.begin(), bytes.end()};
  }

 private:
  static void append(std::string& out, const void* from, std::size_t size) {
    out.append(static_cast<const char*>(from), size);
  }
};

}  // namespace memd::test
