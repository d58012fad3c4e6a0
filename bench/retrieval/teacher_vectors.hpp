#pragma once

#include "bench/retrieval/question.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// A larger model for comparison with memd's own. Its vectors come from a file made by
// packaging/model/teacher_vectors.py.
namespace memd::bench {

// Writes the texts to embed, each once, as JSON lines {"key": 16 hexadecimal digits, "text"}. One thread. Throws
// std::runtime_error.
class TextDump {
 public:
  explicit TextDump(const std::filesystem::path& file);
  void add(const std::string& text);

 private:
  std::ofstream out_;
  std::unordered_set<std::uint64_t> written_;
};

// Exact search by cosine similarity. The file, little endian: "MEMDVEC1", u32 dimension, u32 count, then `count` keys
// of 8 bytes, then `count` × dimension float32. Constant after construction; any thread. Throws std::runtime_error when
// the file has another format or lacks a requested text.
class TeacherVectors {
 public:
  explicit TeacherVectors(const std::filesystem::path& file);
  bool covers(const std::vector<Document>& documents, const std::vector<Question>& questions) const;
  RankedList search(const std::string& question, const std::vector<Document>& documents, std::size_t limit) const;

 private:
  const float* vector_of(const std::string& text) const;

  std::size_t dimension_ = 0;
  std::vector<float> vectors_;  // normalised
  std::unordered_map<std::uint64_t, std::size_t> rows_;
};

}  // namespace memd::bench
