// Encryption at rest in the whole program: keys from files and commands, a host that refuses, exports.
#include "daemon/admin/admin_tools.hpp"
#include "daemon/config/secret.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/interchange/import_file.hpp"
#include "daemon/interchange/sealed_file.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "store/raw/raw_file.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/write/writer.hpp"
#include "test/support/ciphers.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <map>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Returns a line of a transcript; its second record is longer than the text that the store keeps.
std::string line(int n, const std::string& role, const std::string& content) {
  return R"({"type":")" + role + R"(","uuid":"00000000-0000-4000-8000-00000000000)" + std::to_string(n) +
         R"(","timestamp":"2026-03-03T09:12:0)" + std::to_string(n) +
         R"(.000Z","sessionId":"11111111-1111-4111-8111-111111111111","cwd":"/w/p","version":"2.1.40","message":{"role":")" +
         role + R"(","content":)" + content + "}}\n";
}
const std::string kOutput = std::string(6000, 'o') + " the end of a long output";

class EncryptedHost : public testing::Test {
 protected:
  EncryptedHost() {
    fs::permissions(data_.path(), fs::perms::owner_all);
    test::write_file(
        source_, line(1, "user", R"("Run the tests.")") +
                     line(2, "assistant", R"([{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}])") +
                     line(3, "user", R"([{"type":"tool_result","tool_use_id":"t1","content":")" + kOutput + R"("}])"));
  }
  void SetUp() override {
    if (!seal::is_available()) GTEST_SKIP() << "built without encryption";
  }

  void open(std::shared_ptr<seal::LazyCipher> cipher) {
    registry_.reset();
    host_.reset();
    settings_.cipher = std::move(cipher);
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    registry_ = std::make_unique<mcp::ToolRegistry>();
    admin::register_admin_tools(*registry_, *host_, {});
  }
  Result<void> ingest(std::shared_ptr<seal::LazyCipher> cipher) {
    open(std::move(cipher));
    MEMD_TRY(host_->start_ingest());
    host_->ingest()->scan();
    EXPECT_TRUE(host_->ingest()->block_until_idle(10s));
    host_->stop();
    return {};
  }
  std::string full_text() {
    mcp::ToolContext context;
    const auto out = host_->tools().call("get_exchange", R"({"ids":["x1"],"include_raw":true})", context);
    EXPECT_FALSE(out.is_error) << out.text;
    return out.text;
  }
  std::string doctor() {
    mcp::ToolContext context;
    return registry_->call("doctor", "{}", context).structured;
  }
  std::map<std::string, std::string> raw_bytes() const {
    std::map<std::string, std::string> out;
    for (const auto& name : raw::raw_file_names(settings_.layout.raw_dir()))
      out[name] = test::bytes_of(settings_.layout.raw_dir() / name);
    return out;
  }
  Result<raw::Resealed> reseal(bool sealed, std::shared_ptr<seal::LazyCipher> cipher) {
    host_.reset();
    MEMD_TRY_ASSIGN(const auto writer,
                    Writer::open(settings_.layout.database(), clock_, settings_.layout.raw_dir(), std::move(cipher)));
    return writer->reseal(sealed);
  }

  test::TempDir home_;
  test::TempDir data_;
  test::FakeClock clock_;
  const fs::path source_ = home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl";
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::unique_ptr<MemoryHost> host_;
  std::unique_ptr<mcp::ToolRegistry> registry_;
};

TEST_F(EncryptedHost, FullTextsComeFromSealedFramesWithTheKeyOnly) {
  ASSERT_TRUE(ingest(test::cipher_of_key('1')));
  fs::remove(source_);
  EXPECT_THAT(full_text(), HasSubstr("the end of a long output"));
  EXPECT_THAT(doctor(), HasSubstr("frames of the original records are sealed; memd.db is not"));
  open(test::cipher_of_key('2'));
  EXPECT_THAT(full_text(), Not(HasSubstr("the end of a long output")));
  EXPECT_THAT(doctor(), HasSubstr("are sealed with a key other than the configured one"));
  open(nullptr);
  EXPECT_THAT(full_text(), Not(HasSubstr("the end of a long output")));
  EXPECT_THAT(doctor(), HasSubstr("are sealed with a key, and none is configured"));
}

TEST_F(EncryptedHost, WithAnotherKeyOrNoneNothingIsWrittenAndNothingIsLost) {
  ASSERT_TRUE(ingest(test::cipher_of_key('1')));
  const auto before = raw_bytes();
  test::append_file(source_, line(4, "user", R"("Written meanwhile.")"));
  const auto no_key = std::make_shared<seal::LazyCipher>(
      []() -> Result<seal::CipherPtr> { return Error(Errc::bad_config, "the keyring is locked"); });
  for (const auto& [cipher, why] : {std::pair(test::cipher_of_key('2'), "the configured key is"),
                                    std::pair(std::shared_ptr<seal::LazyCipher>(), "the configuration names no key"),
                                    std::pair(no_key, "the keyring is locked")}) {
    const auto refused = ingest(cipher);
    ASSERT_FALSE(refused) << why;
    EXPECT_TRUE(refused.error().is(Errc::bad_config));
    EXPECT_THAT(refused.error().message(), HasSubstr(why));
    EXPECT_EQ(raw_bytes(), before);
  }
  ASSERT_TRUE(ingest(test::cipher_of_key('1')));
  auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(), "SELECT cursor, (SELECT sum(bytes) FROM coverage) FROM sources");
  ASSERT_TRUE(q.step());
  EXPECT_EQ(q.int64(0), static_cast<std::int64_t>(fs::file_size(source_)));
  EXPECT_EQ(q.int64(1), q.int64(0));
  // The store is deleted but the raw layer is not: only its frames identify the key.
  host_.reset();
  for (const char* suffix : {"", "-wal", "-shm"})
    fs::remove(settings_.layout.database().string() + suffix);
  const auto sealed = raw_bytes();
  EXPECT_FALSE(ingest(nullptr));
  EXPECT_EQ(raw_bytes(), sealed);
}

TEST_F(EncryptedHost, WhatIsPlainIsSealedWhenAskedAndBack) {
  ASSERT_TRUE(ingest(nullptr));
  const auto plain = raw_bytes();
  open(test::cipher_of_key('1'));
  EXPECT_THAT(doctor(), HasSubstr("frames of the original records are not sealed yet"));
  EXPECT_THAT(doctor(), HasSubstr("memd key seal"));
  const auto sealed = reseal(true, test::cipher_of_key('1'));
  ASSERT_TRUE(sealed) << sealed.error().message();
  EXPECT_EQ(sealed->files, 1u);
  EXPECT_GE(sealed->frames, 1u);
  fs::remove(source_);
  open(test::cipher_of_key('1'));
  EXPECT_THAT(full_text(), HasSubstr("the end of a long output"));
  EXPECT_THAT(doctor(), Not(HasSubstr("not sealed yet")));
  EXPECT_EQ(reseal(true, test::cipher_of_key('1'))->files, 0u) << "there is nothing left to do";
  // Decrypts, then encrypts with another key.
  EXPECT_FALSE(reseal(false, test::cipher_of_key('2')));
  EXPECT_EQ(reseal(false, test::cipher_of_key('1'))->files, 1u);
  EXPECT_EQ(raw_bytes(), plain);
  ASSERT_TRUE(reseal(true, test::cipher_of_key('2')));
  open(test::cipher_of_key('2'));
  EXPECT_THAT(full_text(), HasSubstr("the end of a long output"));
}

TEST_F(EncryptedHost, ACopyThatAnImportLeftIsTold) {
  ASSERT_TRUE(ingest(nullptr));
  fs::create_directory(settings_.layout.imports());
  EXPECT_THAT(doctor(), Not(HasSubstr("opened copies")));
  test::write_file(settings_.layout.imports() / "a.jsonl", "{}\n");
  EXPECT_THAT(doctor(), HasSubstr("1 opened copies of sealed exports are in"));
  ASSERT_TRUE(ingest(nullptr));
  EXPECT_TRUE(fs::is_empty(settings_.layout.imports())) << "the next process that ingests removes it";
}

TEST_F(EncryptedHost, AFileThatIsDamagedIsNotSealedOver) {
  ASSERT_TRUE(ingest(nullptr));
  auto [name, bytes] = *raw_bytes().begin();
  bytes[40] = static_cast<char>(bytes[40] ^ 1);  // in the header of the first frame
  host_.reset();
  test::write_file(settings_.layout.raw_dir() / name, bytes);
  const auto sealed = reseal(true, test::cipher_of_key('1'));
  ASSERT_TRUE(sealed);
  EXPECT_THAT(sealed->damaged, testing::ElementsAre(name));
  EXPECT_EQ(raw_bytes().at(name), bytes);
}

class SealedFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!seal::is_available()) GTEST_SKIP() << "built without encryption";
    auto out = interchange::OutputFile::open(file_).value();
    interchange::SealedLines sealed(out, test::cipher_of_key('1')->get().value());
    for (const auto& text : lines_) {
      ASSERT_TRUE(sealed.line(text));
      content_ += text + "\n";
    }
    ASSERT_TRUE(sealed.finish());
    ASSERT_TRUE(out.finish());
  }
  Result<std::string> opened(seal::LazyCipher* cipher) const {
    std::string out;
    MEMD_TRY(interchange::open_sealed_file(file_, cipher, [&](std::string_view bytes) -> Result<void> {
      out += bytes;
      return {};
    }));
    return out;
  }

  test::TempDir dir_;
  const fs::path file_ = dir_ / "out.sealed";
  const std::vector<std::string> lines_{"one", std::string(200'000, 'x') + " long", std::string(70'000, 'y'), "last"};
  std::string content_;
  const std::shared_ptr<seal::LazyCipher> cipher_ = test::cipher_of_key('1');
};

TEST_F(SealedFile, NamesItsFormatAndComesBack) {
  EXPECT_THAT(test::bytes_of(file_), testing::StartsWith("memd sealed 1 "));
  EXPECT_THAT(test::bytes_of(file_), Not(HasSubstr("long")));
  EXPECT_TRUE(interchange::is_sealed_file(file_));
  EXPECT_EQ(opened(cipher_.get()).value(), content_);
  EXPECT_THAT(opened(nullptr).error().message(), HasSubstr("the configuration names no key"));
  EXPECT_THAT(opened(test::cipher_of_key('2').get()).error().message(), HasSubstr("the configured key is"));
}

TEST_F(SealedFile, ChangesAreFoundAndNamed) {
  const std::string whole = test::bytes_of(file_);
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    test::write_file(file_, bytes);
    const auto r = opened(cipher_.get());
    ASSERT_FALSE(r) << what;
    EXPECT_THAT(r.error().message(), HasSubstr(file_.string())) << what;
  };
  for (std::size_t at = 0; at < whole.size(); at += at < 200 ? 1 : 9'973) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    refused(changed, "byte " + std::to_string(at));
  }
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, whole.find('\n') + 1})
    refused(whole.substr(0, size), "cut at " + std::to_string(size));
  refused(whole + "x", "longer");
  const std::size_t head = whole.find('\n') + 1;
  const std::size_t piece = 4 + (64 << 10) + seal::kOverhead;
  refused(whole.substr(0, head) + whole.substr(head + piece), "without its first piece");
  refused(whole.substr(0, head) + whole.substr(head + piece, piece) + whole.substr(head, piece) +
              whole.substr(head + 2 * piece),
          "two pieces swapped");
  std::string later = whole;
  later[std::string_view("memd sealed ").size()] = '2';
  test::write_file(file_, later);
  EXPECT_TRUE(opened(cipher_.get()).error().is(Errc::unsupported));
}

TEST_F(SealedFile, AnImportReadsACopyThatGoesAgain) {
  std::string readable;
  {
    const auto import = interchange::ImportFile::open(file_.string(), dir_ / "imports", cipher_.get());
    ASSERT_TRUE(import) << import.error().message();
    readable = import->readable();
    EXPECT_EQ(import->given(), file_.string());
    EXPECT_EQ(test::bytes_of(readable), content_);
    struct ::stat st {};
    ASSERT_EQ(::stat(readable.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777, 0600u);
    ASSERT_EQ(::stat((dir_ / "imports").c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777, 0700u);
    EXPECT_EQ(interchange::ImportFile::open(file_.string(), dir_ / "imports", cipher_.get())->readable(), readable);
    test::write_file(dir_ / "imports/left.jsonl", "{}\n");
    interchange::remove_left_copies(dir_ / "imports");
    EXPECT_TRUE(fs::exists(dir_ / "imports/left.jsonl")) << "not while an import runs";
    fs::remove(dir_ / "imports/left.jsonl");
  }
  EXPECT_TRUE(fs::is_empty(dir_ / "imports"));
  EXPECT_FALSE(interchange::ImportFile::open(file_.string(), dir_ / "imports", nullptr));
  EXPECT_TRUE(fs::is_empty(dir_ / "imports"));
  test::write_file(dir_ / "plain.jsonl", "{}\n");
  EXPECT_EQ(interchange::ImportFile::open((dir_ / "plain.jsonl").string(), dir_ / "imports", nullptr)->readable(),
            (dir_ / "plain.jsonl").string());
}

TEST_F(SealedFile, AnImportCountsTheConversationsOfAnExport) {
  const auto open = [&](std::string_view name, std::string_view text) {
    test::write_file(dir_ / name, std::string(text));
    return interchange::ImportFile::open((dir_ / name).string(), dir_ / "imports", nullptr);
  };
  const auto import =
      open("conversations.json",
           R"([{"uuid":"c","name":"Rye","chat_messages":[{"uuid":"m","sender":"human","text":"Rye?"}]},)"
           R"({"uuid":"d","chat_messages":[],,}])");
  ASSERT_TRUE(import) << import.error().message();
  EXPECT_EQ(import->program(), "claude.ai");
  EXPECT_EQ(import->converted().conversations, 1U);
  EXPECT_EQ(import->converted().damaged, 1U);
  EXPECT_NE(test::bytes_of(import->readable()).find("Rye?"), std::string::npos);
  EXPECT_EQ(open("plain.jsonl", "{}\n")->program(), "");
  const auto archive = open("data.zip", "PK\x03\x04...");
  ASSERT_FALSE(archive);
  EXPECT_TRUE(archive.error().is(Errc::unsupported));
  EXPECT_NE(archive.error().context.find("unpack"), std::string::npos) << archive.error().context;
}

class SecretCommand : public testing::Test {
 protected:
  static Result<std::string> run(const std::string& script, std::chrono::milliseconds patience = 10s) {
    return config::run_secret_command({"/bin/sh", "-c", script}, "encryption.key_command", patience);
  }
  static std::string failure(const std::string& script, std::chrono::milliseconds patience = 10s) {
    const auto r = run(script, patience);
    EXPECT_FALSE(r) << script;
    return r ? std::string() : r.error().context;
  }
};

TEST_F(SecretCommand, GivesWhatItPrints) {
  EXPECT_EQ(run("echo secret").value(), "secret");
  EXPECT_EQ(run("cat; printf 'no newline, no input' | tr -d ' ,'").value(), "nonewlinenoinput");
}

TEST_F(SecretCommand, FailuresAreNamed) {
  EXPECT_EQ(failure("echo half-a-secret; exit 3"), "encryption.key_command: /bin/sh failed with 3");
  EXPECT_EQ(failure("kill -9 $$"), "encryption.key_command: /bin/sh was ended by a signal");
  EXPECT_EQ(failure("true"), "encryption.key_command: it holds no key");
  EXPECT_EQ(failure("echo a; echo b"), "encryption.key_command: a key is one line of visible ASCII");
  EXPECT_EQ(failure("yes"), "encryption.key_command: /bin/sh prints more than a key");
  EXPECT_EQ(failure("sleep 100", 30ms), "encryption.key_command: /bin/sh did not end within 30 ms");
  EXPECT_EQ(failure("echo secret; exec >&-; sleep 100", 200ms),
            "encryption.key_command: /bin/sh did not end within 200 ms");
  const auto absent = config::run_secret_command({"/nowhere/at-all"}, "encryption.key_command");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().context, HasSubstr("/nowhere/at-all: No such file or directory"));
}

TEST(EncryptionKey, IsReadFromAFileOfOnesOwnOrACommand) {
  if (!seal::is_available()) GTEST_SKIP() << "built without encryption";
  const test::TempDir dir;
  const auto file = dir / "key";
  test::write_file(file, test::key_text('1') + "\n");
  EncryptionConfig config;
  EXPECT_EQ(make_cipher(config), nullptr);
  config.key_file = file;
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read);
  EXPECT_THAT(make_cipher(config)->get().error().message(), HasSubstr("others may read it"));
  fs::permissions(file, fs::perms::owner_read);
  const auto id = make_cipher(config)->get().value()->key_id();
  EXPECT_EQ(id, test::cipher_of_key('1')->get().value()->key_id());
  // The command runs once, however often the key is needed.
  const auto runs = (dir / "runs").string();
  EncryptionConfig command;
  command.key_command = {"/bin/sh", "-c", "echo run >>" + runs + "; cat " + file.string()};
  const auto cipher = make_cipher(command);
  EXPECT_FALSE(fs::exists(runs)) << "not before it is needed";
  EXPECT_EQ(cipher->get().value()->key_id(), id);
  EXPECT_EQ(cipher->get().value()->key_id(), id);
  EXPECT_EQ(test::bytes_of(runs), "run\n");
  command.key_command = {"/bin/echo", "no-key-at-all"};
  const auto wrong = make_cipher(command)->get();
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("encryption.key_command: that is no key"));
  EXPECT_THAT(wrong.error().message(), Not(HasSubstr("no-key-at-all")));
}

}  // namespace
}  // namespace memd
