#include "store/enrich/embedding/sentence_network.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

namespace memd::embedding {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::StartsWith;

const Wordpiece& tokenizer_of_binary() { return builtin_embedder().table().tokenizer(); }

SentenceNetwork network_of_binary() {
  return SentenceNetwork::load(embedded::sentence_network().bytes, tokenizer_of_binary()).value();
}

double cosine_of(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// packaging/model/network.py makes the golden file with NumPy in float32.
TEST(SentenceNetwork, VectorsAreThoseOfTheReference) {
  const auto file = boost::json::parse(test::bytes_of(test::source_dir() / "test/golden/embedding/network.json"));
  ASSERT_EQ(file.at("sha256").as_string(), embedded::sentence_network().sha256);
  const auto& texts = file.at("texts").as_array();
  const auto& vectors = file.at("vectors").as_array();
  ASSERT_GE(texts.size(), 30U);
  ASSERT_EQ(texts.size(), vectors.size());
  const SentenceNetwork network = network_of_binary();
  double sum = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto near = cosine_of(network.embed(texts[i].as_string()), boost::json::value_to<Vector>(vectors[i]));
    EXPECT_GT(near, 0.98) << texts[i];
    sum += near;
  }
  EXPECT_GT(sum / static_cast<double>(texts.size()), 0.995);
}

TEST(SentenceNetwork, GivesTheSameBitsWithEveryInstructionSet) {
  const SentenceNetwork network = network_of_binary();
  std::string text;
  for (const std::string_view more :
       {"", "why", " does the ingest stop", " after the second file?", " ~/.memd/memd.db"}) {
    text += more;
    const Vector portable = network.embed(text, *vectors::all_kernels().front());
    for (const vectors::Kernels* kernels : vectors::all_kernels())
      EXPECT_THAT(network.embed(text, *kernels), ElementsAreArray(portable)) << kernels->name << ": " << text;
  }
}

TEST(SentenceNetwork, ReadsTheBeginningOfALongText) {
  const SentenceNetwork network = network_of_binary();
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += "word ";
  EXPECT_EQ(network.embed(text), network.embed(text + "and something else"));
  EXPECT_NE(network.embed("word"), network.embed("word and something else"));
}

// A copy of the built-in file that lies as the original does.
class CopiedNetwork {
 public:
  CopiedNetwork() : bytes_(static_cast<std::byte*>(std::aligned_alloc(64, kSpace))), size_(original().size()) {
    std::memcpy(bytes_.get(), original().data(), size_);
  }
  static std::span<const std::byte> original() { return embedded::sentence_network().bytes; }

  void set(std::size_t at, std::uint32_t value) { std::memcpy(bytes_.get() + at, &value, sizeof value); }
  void set(std::size_t at, float value) { std::memcpy(bytes_.get() + at, &value, sizeof value); }
  void resize(std::size_t size) { size_ = size; }
  std::size_t size() const { return size_; }
  Result<SentenceNetwork> load() const {
    return SentenceNetwork::load(std::span(bytes_.get(), size_), tokenizer_of_binary());
  }

 private:
  static constexpr std::size_t kSpace = 32 << 20;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_;
};

struct NetworkDamage {
  const char* message;
  std::function<void(CopiedNetwork&)> apply;
};

TEST(SentenceNetwork, RefusesAnotherOrADamagedFile) {
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  constexpr std::size_t kFirstArray = 128;  // after header and name: a scale of each token
  const NetworkDamage ways[] = {
      {"shorter than its header", [](auto& f) { f.resize(47); }},
      {"does not begin with MEMDNET1", [](auto& f) { f.set(0, 0x41414141U); }},
      {"kind this version does not know", [](auto& f) { f.set(8, 385U); }},  // width
      {"kind this version does not know", [](auto& f) { f.set(24, 11U); }},  // heads
      {"kind this version does not know", [](auto& f) { f.set(44, 1U); }},   // reserved
      {"its sizes are impossible", [](auto& f) { f.set(16, 2U); }},          // positions
      {"its sizes are impossible", [](auto& f) { f.set(28, 0U); }},          // inner width
      {"the vocabulary has 30522", [](auto& f) { f.set(12, 30'521U); }},     // tokens
      {"the vocabulary has 30522", [](auto& f) { f.set(32, 30'522U); }},     // first token
      {"it ends early", [](auto& f) { f.set(40, 0xFFFF'FFFFU); }},           // bytes of the name
      {"its size does not fit", [](auto& f) { f.set(20, 7U); }},             // layers
      {"its size does not fit", [](auto& f) { f.set(20, 0xFFFF'FFFFU); }},   // likewise
      {"its size does not fit", [](auto& f) { f.set(16, 0xFFFF'FFFFU); }},   // positions
      {"its size does not fit", [](auto& f) { f.resize(f.size() - 1); }},
      {"a number is not finite", [&](auto& f) { f.set(kFirstArray, not_a_number); }},
  };
  for (const NetworkDamage& way : ways) {
    CopiedNetwork file;
    ASSERT_TRUE(file.load());
    way.apply(file);
    const auto loaded = file.load();
    ASSERT_FALSE(loaded) << way.message;
    EXPECT_THAT(loaded.error().message(), HasSubstr(way.message));
  }
}

TEST(BuiltinNetwork, SaysWhatIsAlikeWithoutSharedWords) {
  BuiltinNetwork network = BuiltinNetwork::load().value();
  EXPECT_THAT(network.model().name, StartsWith("builtin/all-MiniLM-L6-v2-int8-"));
  EXPECT_EQ(network.model().dimension, 384);
  const std::vector<std::string_view> texts{"the box that pops up when you save", "save dialog",
                                            "connection pool of the database"};
  const auto vectors = network.embed(texts, Purpose::document, {}).value();
  ASSERT_EQ(vectors.size(), texts.size());
  EXPECT_NEAR(cosine_of(vectors[0], vectors[0]), 1, 1e-6);
  EXPECT_GT(cosine_of(vectors[0], vectors[1]), cosine_of(vectors[0], vectors[2]) + 0.1);
}

TEST(BuiltinNetwork, AFileBesideTheProgram) {
  const test::TempDir prefix;
  const auto missing = open_network_of(prefix / "bin/memd");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().is(Errc::not_found));
  const auto file = prefix / ("lib/memd/minilm-l6-v2-int8-" +
                              std::string(embedded::sentence_network().sha256.substr(0, 8)) + ".memdnet");
  EXPECT_THAT(missing.error().message(), HasSubstr(file.string()));
  test::write_file(file, "weights");
  const auto found = open_network_of(prefix / "bin/memd").value();
  found.unmap_pages();
  EXPECT_EQ(found.bytes().size(), 7U);
  EXPECT_EQ(std::to_integer<char>(found.bytes().front()), 'w');
}

TEST(BuiltinNetwork, EndsEarlyWhenStopped) {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<std::string_view> texts{"a"};
  BuiltinNetwork network = BuiltinNetwork::load().value();
  const auto vectors = network.embed(texts, Purpose::query, stop.get_token());
  ASSERT_FALSE(vectors);
  EXPECT_TRUE(vectors.error().is(Errc::cancelled));
}

}  // namespace
}  // namespace memd::embedding
