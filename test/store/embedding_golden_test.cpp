#include "store/enrich/embedding/embedder.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <string>

// Compares with the reference implementation (HuggingFace tokenizers, NumPy). packaging/model/reference_vectors.py
// makes the golden files.
namespace memd::embedding {
namespace {

boost::json::value golden(const std::string& name) {
  return boost::json::parse(test::bytes_of(test::source_dir() / "test/golden/embedding" / name));
}

TEST(EmbeddingGolden, TokensAreThoseOfTheReference) {
  const auto file = golden("tokenizer.json");
  const auto& cases = file.at("cases").as_array();
  ASSERT_GE(cases.size(), 3000U);
  int wrong = 0;
  for (const auto& c : cases) {
    const auto& text = c.at(0).as_string();
    const auto ids = builtin_embedder().table().ids(text);
    if (boost::json::value_from(ids) == c.at(1)) continue;
    if (++wrong <= 5)
      ADD_FAILURE() << boost::json::serialize(c) << "\nbut found "
                    << boost::json::serialize(boost::json::value_from(ids));
  }
  EXPECT_EQ(wrong, 0) << "of " << cases.size();
}

TEST(EmbeddingGolden, VectorsAreThoseOfTheReference) {
  const auto file = golden("vectors.json");
  const auto& texts = file.at("texts").as_array();
  const auto& vectors = file.at("vectors").as_array();
  ASSERT_GE(texts.size(), 50U);
  ASSERT_EQ(texts.size(), vectors.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto vector = builtin_embedder().table().embed(texts[i].as_string());
    ASSERT_EQ(vector.size(), vectors[i].as_array().size());
    for (std::size_t d = 0; d < vector.size(); ++d)
      ASSERT_NEAR(vector[d], vectors[i].at(d).to_number<double>(), 1e-4) << texts[i] << " at " << d;
  }
}

}  // namespace
}  // namespace memd::embedding
