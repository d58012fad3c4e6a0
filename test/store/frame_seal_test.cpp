// Sealed frames: which key opens them, and how changes of them are detected.
#include "store/raw/frame_seal.hpp"
#include "schemas/base/error.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_file.hpp"
#include "test/support/ciphers.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace memd::raw {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kFile = "platform=thunderus/a.jsonl.zst";

class FrameSealTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!seal::is_available()) GTEST_SKIP() << "built without encryption";
  }

  static FrameHeader header(std::uint64_t number, std::string_view records) {
    FrameHeader h;
    h.platform = Platform::thunderus;
    h.path = "/home/ada/lines/a.jsonl";
    h.session_uid = "thunderus:a";
    h.adapter_version = "test-1";
    Part p;
    p.number = number;
    p.length = records.size();
    h.parts.push_back(std::move(p));
    return h;
  }
  // Returns a file with one frame per record.
  static std::string file_of(const FrameSeal& seal, const std::vector<std::string>& records) {
    std::string out;
    for (std::size_t i = 0; i < records.size(); ++i)
      out += seal.encode(header(i + 1, records[i]), FrameCodec().pack(records[i]), {kFile, out.size()});
    return out;
  }
  static std::string records_of(const FrameSeal& seal, std::string_view file, const FrameAt& at) {
    const auto bytes = file.substr(at.offset);
    const auto frame = seal.parse(bytes, {kFile, at.offset});
    return FrameCodec().unpack(frame->packed_content(bytes), frame->header.content_bytes()).value();
  }

  const FrameSeal plain_;
  const FrameSeal seal_{test::cipher_of_key('1')};
  const FrameSeal other_{test::cipher_of_key('2')};
  const std::vector<std::string> records_{"first record\n", "the second one, of the middle frame\n", "third\n"};
};

TEST_F(FrameSealTest, WhatIsSealedComesBackAndShowsNothing) {
  const std::string file = file_of(seal_, records_);
  const auto scan = scan_frames(file, kFile, seal_).value();
  EXPECT_THAT(scan.damages, IsEmpty());
  EXPECT_EQ(scan.intact_end, file.size());
  ASSERT_THAT(scan.frames, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(scan.frames[i].is_sealed);
    EXPECT_EQ(scan.frames[i].frame.header.path, "/home/ada/lines/a.jsonl");
    EXPECT_EQ(scan.frames[i].frame.header.parts.front().number, i + 1);
    EXPECT_EQ(records_of(seal_, file, scan.frames[i]), records_[i]);
    EXPECT_THAT(file, Not(HasSubstr(records_[i].substr(0, records_[i].size() - 1))));
  }
  EXPECT_THAT(file, Not(HasSubstr("/home/ada")));
  EXPECT_THAT(file_of(plain_, records_), HasSubstr("/home/ada")) << "else the lines above say nothing";
  EXPECT_NE(file_of(seal_, records_), file) << "a random nonce each";
}

TEST_F(FrameSealTest, AnyFlippedByteIsFoundAndNamed) {
  const std::string file = file_of(seal_, records_);
  const auto whole = scan_frames(file, kFile, seal_).value();
  const std::uint64_t offset = whole.frames[1].offset;
  const std::uint64_t length = whole.frames[1].frame.length;
  std::mt19937 random(20261123);
  for (std::uint64_t i = 0; i < length; ++i) {
    std::string changed = file;
    changed[offset + i] = static_cast<char>(changed[offset + i] ^ 1 << random() % 8);
    const auto frame = seal_.parse(std::string_view(changed).substr(offset), {kFile, offset});
    ASSERT_FALSE(frame) << "byte " << i;
    EXPECT_TRUE(frame.error().is(Errc::io)) << "byte " << i << ": " << frame.error().message();
    EXPECT_THAT(frame.error().message(), HasSubstr("raw/" + std::string(kFile) + " at byte " + std::to_string(offset)));
    const auto scan = scan_frames(changed, kFile, seal_);
    ASSERT_TRUE(scan) << "byte " << i << ": " << scan.error().message();
    ASSERT_THAT(scan->damages, SizeIs(1)) << "byte " << i;
    EXPECT_EQ(scan->damages[0].offset, offset);
    EXPECT_EQ(scan->damages[0].length, length);
    ASSERT_THAT(scan->frames, SizeIs(2));
    EXPECT_EQ(scan->frames[1].offset, whole.frames[2].offset);
  }
}

TEST_F(FrameSealTest, AFrameOpensWhereItWasWrittenOnly) {
  const std::string file = file_of(seal_, {records_[0], records_[0]});
  const auto scan = scan_frames(file, kFile, seal_).value();
  const std::string first = file.substr(0, scan.frames[0].frame.length);
  const std::string second = file.substr(first.size());
  ASSERT_EQ(first.size(), second.size());
  EXPECT_THAT(scan_frames(second + first, kFile, seal_)->frames, IsEmpty()) << "swapped";
  EXPECT_THAT(scan_frames(first + first, kFile, seal_)->frames, SizeIs(1)) << "repeated";
  EXPECT_THAT(scan_frames(second, kFile, seal_)->frames, IsEmpty()) << "the one before it cut out";
  EXPECT_THAT(scan_frames(file, "platform=thunderus/b.jsonl.zst", seal_)->frames, IsEmpty()) << "another session's";
}

TEST_F(FrameSealTest, AnotherKeyOrNoneIsNoDamage) {
  const std::string file = file_of(plain_, {records_[0]});
  const std::string sealed = file_of(seal_, records_);
  const auto of_other = scan_frames(sealed, kFile, other_);
  ASSERT_FALSE(of_other);
  EXPECT_TRUE(of_other.error().is(Errc::bad_config));
  EXPECT_THAT(of_other.error().message(), HasSubstr("sealed with the key " + *seal_.key_id()));
  EXPECT_THAT(of_other.error().message(), HasSubstr("the configured key is " + *other_.key_id()));
  const auto of_none = scan_frames(sealed, kFile, plain_);
  ASSERT_FALSE(of_none);
  EXPECT_TRUE(of_none.error().is(Errc::bad_config));
  EXPECT_THAT(of_none.error().message(), HasSubstr("the configuration names no key"));
  EXPECT_EQ(plain_.key_id().value(), "");
  // A key that is unavailable is reported as such, and requested only once.
  int asked = 0;
  const FrameSeal failing(std::make_shared<seal::LazyCipher>([&asked]() -> Result<seal::CipherPtr> {
    ++asked;
    return Error(Errc::bad_config, "the keyring is locked");
  }));
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(scan_frames(sealed, kFile, failing).error().message(), HasSubstr("the keyring is locked"));
  EXPECT_THROW((void)file_of(failing, records_), ErrorException) << "nothing is written plain instead";
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(scan_frames(file, kFile, failing)->frames, SizeIs(1)) << "plain frames need no key";
}

TEST_F(FrameSealTest, PlainFramesOfBeforeStayReadableAndAreCounted) {
  const test::TempDir dir;
  std::string file = file_of(plain_, {records_[0], records_[1]});
  for (const FrameSeal* seal : {&seal_, &other_, &seal_})
    file += seal->encode(header(3, records_[2]), FrameCodec().pack(records_[2]), {kFile, file.size()});
  test::write_file(dir / kFile, file + "torn");
  const auto tally = tally_frames(dir.path(), *seal_.key_id());
  EXPECT_EQ(tally.plain, 2u);
  EXPECT_EQ(tally.sealed, 2u);
  EXPECT_EQ(tally.sealed_otherwise, 1u);
  const std::string mixed = file_of(plain_, {records_[0], records_[1]});
  const std::string both =
      mixed + seal_.encode(header(3, records_[2]), FrameCodec().pack(records_[2]), {kFile, mixed.size()});
  const auto scan = scan_frames(both, kFile, seal_).value();
  ASSERT_THAT(scan.frames, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(records_of(seal_, both, scan.frames[i]), records_[i]);
}

TEST_F(FrameSealTest, AKeyIsSixtyFourDigits) {
  const std::string key = seal::new_key().value();
  EXPECT_THAT(key, SizeIs(seal::kKeyDigits));
  EXPECT_NE(seal::new_key().value(), key);
  const auto cipher = seal::Cipher::from_key(" " + key + "\n").value();
  EXPECT_EQ(cipher->key_id(), seal::Cipher::from_key(key).value()->key_id());
  EXPECT_EQ(cipher->open(seal::Cipher::from_key(key).value()->seal("text", "about"), "about"), "text");
  EXPECT_EQ(cipher->open(cipher->seal("text", "about"), "abouT"), std::nullopt);
  for (const std::string& wrong : {std::string(), key.substr(1), key + "0", "x" + key.substr(1)}) {
    const auto refused = seal::Cipher::from_key(wrong);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::bad_config));
    EXPECT_THAT(refused.error().message(), Not(HasSubstr(key.substr(1)))) << "no message repeats a key";
  }
}

}  // namespace
}  // namespace memd::raw
