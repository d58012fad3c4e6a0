#include "bench/retrieval/teacher_vectors.hpp"

#include "schemas/hash.hpp"
#include "schemas/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace memd::bench {

TextDump::TextDump(const std::filesystem::path& file) : out_(file, std::ios::binary | std::ios::trunc) {
  if (!out_) throw std::runtime_error("cannot write " + file.string());
}

void TextDump::add(const std::string& text) {
  const std::uint64_t key = hash64(text);
  if (!written_.insert(key).second) return;
  std::string line;
  json::Writer w(line);
  w.begin_object();
  w.member("key", fmt::format("{:016x}", key));
  w.member("text", text);
  w.end_object();
  out_ << line << '\n';
  out_.flush();
  if (!out_) throw std::runtime_error("cannot write the texts");
}

TeacherVectors::TeacherVectors(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::uint32_t dimension = 0;
  std::uint32_t count = 0;
  if (bytes.size() < 16 || bytes.compare(0, 8, "MEMDVEC1") != 0)
    throw std::runtime_error("no vectors in " + file.string());
  std::memcpy(&dimension, bytes.data() + 8, 4);
  std::memcpy(&count, bytes.data() + 12, 4);
  dimension_ = dimension;
  if (dimension == 0 || bytes.size() != 16 + std::size_t{count} * (8 + 4 * dimension_))
    throw std::runtime_error(file.string() + " is cut short");
  vectors_.resize(std::size_t{count} * dimension_);
  std::memcpy(vectors_.data(), bytes.data() + 16 + std::size_t{count} * 8, vectors_.size() * 4);
  for (std::size_t row = 0; row < count; ++row) {
    std::uint64_t key = 0;
    std::memcpy(&key, bytes.data() + 16 + row * 8, 8);
    rows_[key] = row;
    float* v = vectors_.data() + row * dimension_;
    double squares = 0;
    for (std::size_t i = 0; i < dimension_; ++i)
      squares += static_cast<double>(v[i]) * v[i];
    const auto norm = static_cast<float>(std::sqrt(squares));
    for (std::size_t i = 0; norm > 0 && i < dimension_; ++i)
      v[i] /= norm;
  }
}

bool TeacherVectors::covers(const std::vector<Document>& documents, const std::vector<Question>& questions) const {
  const auto known = [this](const auto& item) { return rows_.contains(hash64(item.text)); };
  return std::all_of(documents.begin(), documents.end(), known) &&
         std::all_of(questions.begin(), questions.end(), known);
}

const float* TeacherVectors::vector_of(const std::string& text) const {
  const auto at = rows_.find(hash64(text));
  if (at == rows_.end()) throw std::runtime_error("the teacher has no vector of: " + text.substr(0, 80));
  return vectors_.data() + at->second * dimension_;
}

RankedList TeacherVectors::search(const std::string& question, const std::vector<Document>& documents,
                                  std::size_t limit) const {
  RankedList list;
  const auto start = std::chrono::steady_clock::now();
  const float* q = vector_of(question);
  for (const Document& document : documents) {
    const float* d = vector_of(document.text);
    double cosine = 0;
    for (std::size_t i = 0; i < dimension_; ++i)
      cosine += static_cast<double>(q[i]) * d[i];
    list.hits.push_back({document.exchange_id, document.session_uid, cosine, {}});
  }
  const auto kept = list.hits.begin() + static_cast<std::ptrdiff_t>(std::min(limit, list.hits.size()));
  std::partial_sort(list.hits.begin(), kept, list.hits.end(),
                    [](const Hit& a, const Hit& b) { return a.score > b.score; });
  list.hits.erase(kept, list.hits.end());
  list.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return list;
}

}  // namespace memd::bench
