#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/marked_matches.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Sample {
  std::string_view name;
  std::string_view user;
  std::string_view answer;
};

// Exchanges between developers and agents in their languages. Each query below is about one of them.
constexpr Sample kHistory[] = {
    {"zh-pool", "数据库连接池总是耗尽，请求超时，怎么办？", "把 maxConnections 调到 50，并且在查询结束后释放连接。"},
    {"zh-index", "给订单表的 user_id 字段加一个索引", "已经创建索引，查询从 800ms 降到 12ms。"},
    {"zh-login", "登录页面在手机上显示错位", "调整了弹性布局，按钮不再溢出。"},
    {"zh-cache", "缓存没有失效，用户看到旧数据", "写入之后删除 Redis 里的键，缓存就会刷新。"},
    {"zh-lock", "两个线程互相等待，程序卡死", "原因是死锁：加锁的顺序不一致，现在统一了顺序。"},
    {"zh-deploy", "部署脚本在测试环境失败", "环境变量缺失，补上之后部署成功。"},
    {"ja-memory", "メモリリークが発生してサーバーが落ちる", "イベントリスナーの解除漏れを直しました。"},
    {"ja-date", "日付の表示がタイムゾーンでずれる", "UTCで保存して表示時に変換するように修正した。"},
    {"ja-search", "検索機能が遅いので改善したい", "全文検索の索引を追加して応答が速くなった。"},
    {"ja-upload", "画像のアップロードに失敗する", "ファイルサイズの上限を引き上げた。"},
    {"ja-test", "単体テストを並列で動かすと時々落ちる", "共有していた一時ファイルを分けた。"},
    {"ko-restart", "배포한 뒤에 서버를 재시작하면 세션이 사라져요", "세션을 레디스에 저장하도록 바꿨습니다."},
    {"ko-query", "목록 화면의 쿼리가 너무 느립니다", "복합 인덱스를 추가해서 빨라졌습니다."},
    {"ko-token", "토큰이 만료되면 로그인 화면으로 안 넘어가요", "인터셉터에서 만료를 확인하게 고쳤습니다."},
    {"ko-build", "빌드할 때 메모리가 부족하다고 나와요", "병렬 작업 수를 줄였습니다."},
    {"ko-image", "이미지를 올리면 방향이 돌아가 있어요", "메타데이터의 회전 정보를 반영했습니다."},
    {"ru-pool", "Почему заканчиваются подключения к базе данных?", "Соединения не возвращались в пул, исправил."},
    {"ru-start", "Сервер падает при запуске с ошибкой сегментации",
     "Указатель использовался после освобождения памяти."},
    {"ru-tests", "Тесты нестабильны, иногда падают на сборке", "Убрал гонку между потоками в тестах."},
    {"ru-cache", "Кеш не сбрасывается после обновления записей", "Теперь ключи удаляются при сохранении."},
    {"ru-deploy", "Нужно ускорить развёртывание контейнеров",
     "Образ собирается по слоям, развертывание вдвое быстрее."},
    {"en-pool", "why does the connection pool run dry", "connections were never returned to the pool"},
    {"en-deploy", "speed up the deployment of containers", "layers of the image are cached now"},
    {"en-date", "dates are shown in the wrong time zone", "stored as UTC and converted when shown"},
};

class Languages : public testing::Test {
 protected:
  Languages() {
    int number = 0;
    for (const Sample& sample : kHistory) {
      const auto session = store_.session({.native_id = "s" + std::to_string(number++)});
      names_[store_.exchange(session, {.user = std::string(sample.user), .answer = std::string(sample.answer)})] =
          sample.name;
    }
  }

  SearchAnswer ask(std::string_view text) {
    SearchQuery q;
    q.asked = search::parse_query(text);
    auto r = reader_.search(q);
    EXPECT_TRUE(r) << text;
    return r ? std::move(*r) : SearchAnswer{};
  }
  std::vector<std::string> found(std::string_view text) {
    std::vector<std::string> out;
    for (const auto& hit : ask(text).hits)
      out.emplace_back(names_[hit.id]);
    return out;
  }
  void expect_first(std::string_view question, std::string_view name, std::string_view in_snippet) {
    const SearchAnswer answer = ask(question);
    ASSERT_FALSE(answer.hits.empty()) << question;
    EXPECT_EQ(names_[answer.hits[0].id], name) << question;
    EXPECT_THAT(test::marked(answer.hits[0]), HasSubstr(std::string(in_snippet))) << question;
    EXPECT_FALSE(answer.nothing_relevant) << question;
  }

  test::StoreFixture store_;
  Reader reader_{store_.file()};
  std::map<ExchangeId, std::string_view> names_;
};

TEST_F(Languages, Chinese) {
  expect_first("连接池", "zh-pool", "«连接池»");
  expect_first("连接池耗尽怎么解决", "zh-pool", "«连接池»总是«耗尽»");
  expect_first("数据库超时", "zh-pool", "«数据库»");
  expect_first("订单表索引", "zh-index", "«订单表»");
  expect_first("手机登录页面", "zh-login", "«登录页面»");
  expect_first("为什么缓存不失效", "zh-cache", "«缓存»");
  expect_first("死锁", "zh-lock", "«死锁»");
  expect_first("部署失败的原因是什么？", "zh-deploy", "«部署»");
  expect_first("Redis缓存键", "zh-cache", "«Redis»");
}

TEST_F(Languages, ChineseOfOneCharacter) {
  EXPECT_THAT(found("键"), ElementsAre("zh-cache"));
  EXPECT_THAT(found("表"), testing::Contains("zh-index"));
  expect_first("锁", "zh-lock", "死«锁»");
  EXPECT_THAT(found("鹿"), IsEmpty());
}

TEST_F(Languages, Japanese) {
  expect_first("メモリリーク", "ja-memory", "«メモリリーク»");
  expect_first("ﾒﾓﾘﾘｰｸ", "ja-memory", "«メモリリーク»");
  expect_first("リスナーの解除", "ja-memory", "リスナー");
  expect_first("タイムゾーンの問題", "ja-date", "«タイムゾーン»");
  expect_first("検索を速くする方法", "ja-search", "検索");
  expect_first("画像アップロードの失敗", "ja-upload", "«アップロード»");
  expect_first("テストの並列実行", "ja-test", "«並列»");
  expect_first("日付の表示", "ja-date", "«日付");
}

TEST_F(Languages, Korean) {
  expect_first("서버 재시작", "ko-restart", "«서버»를 «재시작»");
  expect_first("세션 저장", "ko-restart", "«세션»");
  expect_first("느린 쿼리", "ko-query", "«쿼리»");
  expect_first("토큰 만료", "ko-token", "«토큰»");
  expect_first("토큰의 만료를 어떻게 확인했지?", "ko-token", "만료");
  expect_first("메모리 부족", "ko-build", "«메모리»");
  expect_first("이미지 회전", "ko-image", "«이미지»");
}

TEST_F(Languages, Russian) {
  expect_first("подключение к базе", "ru-pool", "«подключения» к «базе»");
  expect_first("запуск сервера", "ru-start", "«Сервер»");
  expect_first("ошибки сегментации", "ru-start", "«ошибкой» «сегментации»");
  expect_first("Как починили нестабильный тест?", "ru-tests", "«нестабильны»");
  expect_first("сброс кеша", "ru-cache", "«Кеш»");
  expect_first("развертывание контейнера", "ru-deploy", "«развёртывание» «контейнеров»");
}

TEST_F(Languages, QuotedIsOnePhrase) {
  EXPECT_THAT(found("\"连接池\""), ElementsAre("zh-pool"));
  EXPECT_THAT(found("\"池连接\""), IsEmpty());
  EXPECT_THAT(found("「メモリリーク」"), ElementsAre("ja-memory"));
  EXPECT_THAT(found("\"Redis 里\""), ElementsAre("zh-cache"));
  EXPECT_THAT(found("\"재시작하면 세션\""), ElementsAre("ko-restart"));
}

TEST_F(Languages, ExcludedAndUnknown) {
  EXPECT_THAT(ask("部署 -缓存 -环境变量").dropped, ElementsAre("-缓存", "-环境变量")) << "they leave nothing";
  EXPECT_THAT(ask("量子纠缠 部署").ignored_terms, ElementsAre("量子纠缠"));
  EXPECT_THAT(ask("部署的怎么").ignored_terms, IsEmpty());
  EXPECT_THAT(found("怎么"), ElementsAre("zh-pool"));  // the query has no other word
}

// A run of many bigrams weighs as much as its words would, so it does not outweigh the other words of the query.
TEST_F(Languages, LongRunDoesNotDrownTheRest) {
  const auto s = store_.session({.native_id = "mixed"});
  const auto both = store_.exchange(s, {.user = "kubernetes 环境 nginx ingress", .answer = "ok"});
  names_[both] = "both";
  EXPECT_THAT(found("kubernetes nginx ingress 环境变量缺失").front(), "both");
}

// Any part of a text, cut between words or characters, is found in quotes and is valid without quotes.
TEST_F(Languages, AnyStretchInQuotesIsFound) {
  std::mt19937 random(11);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::vector<std::string> units{"数", "据", "库", "人",       "人",     "サ",       "ー", "ﾊﾞ", "の", "서",
                                       "버", "를", "ไ",  "한\u3099", " node ", " ошибки ", "A1", " ",  "，", "é"};
  const auto s = store_.session({.native_id = "random"});
  for (int round = 0; round < 150; ++round) {
    std::vector<std::string> text;
    std::string whole;
    for (std::size_t i = 3 + below(12); i > 0; --i)
      whole += text.emplace_back(units[below(units.size())]);
    const ExchangeId id = store_.exchange(s, {.user = whole, .answer = std::to_string(round)});
    const std::size_t first = below(text.size());
    const std::size_t end = std::min(text.size(), first + 1 + below(6));
    std::string stretch;
    for (std::size_t i = first; i < end; ++i)
      stretch += text[i];
    const auto is_latin = [&](std::size_t i) { return i < text.size() && (text[i] == "A1" || text[i] == "é"); };
    const bool cuts_word =
        (first > 0 && is_latin(first - 1) && is_latin(first)) || (is_latin(end - 1) && is_latin(end));
    const bool has_words =
        std::any_of(text.begin() + static_cast<std::ptrdiff_t>(first), text.begin() + static_cast<std::ptrdiff_t>(end),
                    [](const std::string& unit) { return unit != " " && unit != "，"; });
    SearchQuery q;
    q.asked = search::parse_query('"' + stretch + '"');
    q.limit = 500;
    const auto answer = reader_.search(q);
    ASSERT_TRUE(answer) << q.asked.text;
    if (has_words && !cuts_word) {
      EXPECT_TRUE(
          std::any_of(answer->hits.begin(), answer->hits.end(), [&](const SearchHit& hit) { return hit.id == id; }))
          << stretch << " of " << whole;
    }
    ask(whole);
    ask(stretch + " " + whole + stretch);
  }
}

TEST_F(Languages, SnippetsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "这是一段很长的说明文字";
  const auto s = store_.session({.native_id = "long"});
  store_.exchange(s, {.user = text + "唯一的鲸鱼" + text, .answer = ""});
  const auto answer = ask("鲸鱼");
  ASSERT_EQ(answer.hits.size(), 1U);
  const std::string& snippet = answer.hits[0].snippet;
  EXPECT_THAT(test::marked(answer.hits[0]), HasSubstr("«鲸鱼»"));
  EXPECT_LT(snippet.size(), 300U);
  for (std::size_t at = 0; at < snippet.size();) {  // code points are not cut
    const auto lead = static_cast<unsigned char>(snippet[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    ASSERT_TRUE(lead < 0x80 || lead >= 0xC2) << at;
    ASSERT_LE(at + size, snippet.size());
    for (std::size_t i = 1; i < size; ++i)
      ASSERT_EQ(static_cast<unsigned char>(snippet[at + i]) & 0xC0, 0x80);
    at += size;
  }
}

}  // namespace
}  // namespace memd
