#include "store/text/code_names.hpp"

#include <gmock/gmock.h>

namespace memd::enrichment {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Identifiers, PartsOfNames) {
  EXPECT_THAT(identifier_parts("parseConfig"), ElementsAre("parse", "Config"));
  EXPECT_THAT(identifier_parts("HTTPServer2Pool"), ElementsAre("HTTP", "Server2", "Pool"));
  EXPECT_THAT(identifier_parts("XMLHttpRequest"), ElementsAre("XML", "Http", "Request"));
  EXPECT_THAT(identifier_parts("lower"), ElementsAre("lower"));
  EXPECT_THAT(identifier_parts("E0308"), ElementsAre("E0308"));
}

TEST(Identifiers, AreFoundInAllTexts) {
  ExchangeRow e;
  e.user_message = "why does parseConfig call LoadFile, and parseConfig again?";
  e.interventions = "see std::MyClass<T>";
  e.assistant_response = "`snake_case` and kebab-case are words already; Größe and WIFI are not compounds";
  e.tool_text = "Read src/app/userProfile.tsx";
  EXPECT_THAT(extract_identifiers(e), ElementsAre("parseConfig", "LoadFile", "MyClass", "userProfile"));
}

TEST(Identifiers, DataIsNone) {
  ExchangeRow e;
  e.user_message =
      "aGVsbG8gd29ybGQgYmFzZTY0 a1B2c3D4e5F6 McDonald aB AbC dQw4w9WgXcQ "
      "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODk";
  for (const auto& name : extract_identifiers(e))
    EXPECT_EQ(name, "McDonald");
}

TEST(Identifiers, AreBounded) {
  ExchangeRow e;
  for (int i = 0; i < 1000; ++i)
    e.tool_text += "makeThing" + std::string(1, static_cast<char>('A' + i % 26)) + "ab" +
                   std::string(1 + static_cast<std::size_t>(i) / 26, 'q') + " ";
  EXPECT_EQ(extract_identifiers(e).size(), kMaxIdentifiers);
}

}  // namespace
}  // namespace memd::enrichment
