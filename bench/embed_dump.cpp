// Prints the built-in model's vectors of texts, for comparison with the reference implementation.
//   embed_dump < texts.jsonl     a JSON string a line in, {"ids": […], "vector": […]} a line out
#include "store/enrich/embedding/embedder.hpp"

#include <boost/json.hpp>

#include <cstdio>
#include <iostream>
#include <string>

int main() {
  const memd::embedding::StaticModel& model = memd::embedding::builtin_embedder().table();
  for (std::string line; std::getline(std::cin, line);) {
    boost::json::error_code error;
    const auto value = boost::json::parse(line, error);
    if (error || !value.is_string()) {
      std::fprintf(stderr, "embed_dump: not a JSON string: %s\n", line.c_str());
      return 1;
    }
    const auto ids = model.ids(value.get_string());
    std::fputs("{\"ids\":[", stdout);
    for (std::size_t i = 0; i < ids.size(); ++i)
      std::printf("%s%u", i > 0 ? "," : "", ids[i]);
    std::fputs("],\"vector\":[", stdout);
    const auto vector = model.vector_of(ids);
    for (std::size_t i = 0; i < vector.size(); ++i)
      std::printf("%s%.9g", i > 0 ? "," : "", static_cast<double>(vector[i]));
    std::puts("]}");
  }
  return 0;
}
