#include "store/insight/topics/word_grades.hpp"

#include <array>

namespace memd::topics {
namespace {

constexpr std::string_view kFunctionWords = R"(
a about above across after again against ago all almost along already also although always am among an and another any
anybody anyone anything anyway apart are aren around as aside at away back be became because become becomes been before
behind being below beneath beside besides between beyond both but by can cannot cant could couldn d did didn do does
doesn doing don done down during each either else elsewhere enough especially etc even ever every everybody everyone
everything everywhere except few for from further had hadn has hasn have haven having he hence her here hers herself him
himself his how however i ie eg if in indeed inside instead into is isn it its itself just least less let lets ll m many
may maybe me might mine more moreover most mostly much must my myself near nearly neither never no nobody none nor not
nothing now nowhere o of off often on once one ones only onto or other others otherwise ought our ours ourselves out
outside over own per perhaps quite rather re really s same shall shan she should shouldn since so some somebody someone
something sometimes somewhere soon still such t than that the their theirs them themselves then there thereby therefore
these they this those though through throughout thus till to together too toward towards two three four five six seven
eight nine ten twice under unless unlike until unto up upon us ve very via was wasn we well were weren what whatever
when whenever where whereas wherever whether which whichever while who whoever whole whom whose why will with within
without won would wouldn doesnt dont isnt wasnt cant wont didnt havent hasnt arent werent couldnt shouldnt wouldnt im ive youre
theyre thats whats theres lets run running use using yes yet you your yours yourself yourselves)";

constexpr std::string_view kChat = R"(
ok okay yeah yep yup nope hi hello hey thanks thank thx please pls sorry welcome great good nice perfect excellent
awesome cool wow hmm hm gah uh oh ah lol haha alright absolutely certainly definitely exactly obviously basically
actually currently literally simply probably possibly likely unlikely clearly apparently finally eventually immediately
directly quickly easily properly correctly successfully completely fully exactly specifically generally usually
typically normally automatically manually carefully recently previously originally initially additionally effectively
particularly respectively essentially potentially appropriately explicitly implicitly slightly heavily
fuck fucking shit damn crap hell stupid dumb idiot wtf bullshit bloody ass bitch suck btw fyi imo asap lgtm tldr
today tomorrow yesterday week weeks month months year years hour hours minute minutes day days morning evening night
first second third last next previous former latter later earlier early late new old big small large little long short
high low many several various certain different similar main major minor real actual true false right wrong sure able
available possible necessary needed required relevant important interesting useful easy hard difficult simple complex
better best worse worst fine bad clear ready full complete existing current recent original additional extra final
initial general specific particular appropriate proper correct incorrect whole separate single multiple
common special normal regular usual obvious quick fast slow open closed free busy happy afraid curious certain remaining reamining anything longer shorter faster slower cheaper quicker thoroughly systematically silently
accurately dynamically inadvertently accordingly overall brief concise unclear visible stable active stale pending random
unknown safe unsafe loose exact earliest strong weak silent brand meaningful technical increment proceeding alongside
thorough thoroughness comprehensive robust clean cleaner nicely fresh latest newest modern popular overly sufficient unnecessary
unintended expensive temporary individual outstanding ambiguous subsequent surrounding intact worth risky halfway subtle
mutually medium everytime kinda somewhat equivalent associated
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat january february april june july august
september october november december jan feb mar apr jun jul aug sep sept oct nov dec utc gmt cet
e.g i.e vs aka etc n/a todo fixme note notes notice nb ps)";

// Verbs of the talk between people and agents. As nouns they lose little.
constexpr std::string_view kVerbs = R"(
accept achieve act add adds added adding adjust affect agree aim allow answer appear apply approach ask assume attempt avoid
based begin believe belong bother bring call called calls calling came care cause caused change changed changing check
checked checks checking choose chose chosen clarify click combine come comes compare complain complete confirm
consider consist consists contain contains contribute convert correspond count cover create created creates creating
decide decided deal define delete deleted demonstrate depend depends describe described design determine differ
discover discuss display double drop edit enable enabled encounter encourage end ended ends enhance ensure ensures
establish examine exist exists expect expected explain explore extend extract face fail fails failed fall feel figure
fill find finds finish fix fixed fixes fixing focus follow followed following follows force forget found gave generate
generated gets getting get give given gives go goes going gone gonna got grab guess guide handle handled handles handling
happen happened happening happens hear heard help helps highlight hold hope identify identified ignore illustrate
imagine implement implemented implementing implements improve improved include included includes including incorporate
increase indicate indicates inform insert inspect intend introduce introduced investigate involve keep keeps kept kick
know known knows lack land lead leads learn leave leaves leaving left lets lie like likes list listed listen live
locate look looked looking looks lose lost made maintain make makes making manage mark match matches matter mean means
meant meet mention mentioned miss missing modify modified move moved moving need needs notice noticed obtain occur occurs
offer omit open opened opens organize own pass passed passes passing pay perform performs pick place plan please point
populate prefer prepare present preserve press prevent print printed proceed produce produced propose proposed provide
provided provides pull put puts putting raise ran reach read reading reads realize receive recognize recommend reduce
refer reference referenced refers relate related remain remains remember remind remove removed removes removing replace replaced
reply report reported represent request requested require requires resolve resolved respond rest return returned returns
reveal rewrite rewritten rid run running runs said saw say saying says see seeing seem seems seen select send sends sent serve
serves set sets setting share shared should show showed showing shown shows skip skipped solve sort specify specified split
spot stand start started starting starts state stated stay stick stop stopped stops store stored stores submit suggest
suggested suggests suppose supposed support supported supports survive take taken takes taking talk talking tell tells
tend thank think thinking thought throw told took treat tried tries trigger triggered triggers try trying turn
turned turns understand understanding unexpected update updated updates updating use used uses using utilize verified verifies
verify verifying view visit wait waiting walk wanna want wanted wants watch went wonder wondering work worked working works
worry wrap write writes writing written wrote guarantee satisfy reflect remove leverage iterate ran)";

constexpr std::string_view kFillers = R"(
ability addition amount area aspect attribute base basis behavior behaviour benefit bit block body bottom box
bug bugs case cases category chance character characters choice class classes code codebase column combination command commands
comment comments component components concern concerns condition conditions consideration content contents context copy
correctness count data date definition description detail details difference direction directory document documentation
doc docs edge element elements entry entries environment error errors evidence example examples execution exit exception
expectation explanation fact feature features feedback field fields file files finding findings flow folder form format
frontmatter function functions functionality future goal goals group guideline half hand head header heading idea ideas
implementation implementations implication improvement info information input inputs instruction instructions issue
issues item items job key keys kind label level library line lines link local location logic look lot manner max meaning mechanism message messages method methods min mode module modules moment name names nature node nothing
number numbers object objects objective opinion option optional options order output outputs overview package page pair
parameter parameters parent part parts path paths pattern patterns people person phase piece place place plan plans
point points position possibility pre post practice principle priority problem problems process product program project
projects prompt property purpose quality question questions range rationale reason reasons recommendation record records
reference references relation repo repos repository request requirement requirements resource response responses rest result
results role root row rows rule rules scenario scenarios scope script section sections sense sentence sequence service set
setup shape side sign signature size solution solutions sort source sources space spec state statement status step steps
stuff string strings structure style subject success suggestion summary support syntax system table target task tasks team term
terms text thing things thought thoughts time times title tool tools top topic total track type types usage user users
utility value values variable variables variant version versions view way ways word words workspace
agent assistant claude chatgpt llm model conversation session sessions skill subagent
true false null nil none undefined void int bool float double char const var let func def struct enum interface self
return import package public private protected static async await args arg params param ctx err len fmt std str obj
src lib bin tmp usr home etc dev opt bash sh zsh echo cat cd ls grep sed awk head tail mkdir rm cp mv chmod sudo
txt png jpg jpeg svg gif webp html http https www com org net io localhost stdout stderr stdin
critical important warning caution success failure severity confidence
)";

// Halves: two of them, or one and a telling word, make a topic.
constexpr std::string_view kCommon = R"(
access account action actions adjustment agreement app application approval assessment attempt attention author authors
background balance boundary break bridge burden calculation capability capabilities capture capture cell chain chains chat
checklist choice claim claims clarification collection comparison compatibility computer configuration confirmation
connection consistency constant constraint context continue control conversion coordination counter creation creator
criteria critical cycle decision decisions delegate delta detection developer device difference display distinction domain
domains duration effect effort embedded entity equivalent evaluation exclusion explore extra extraction fake family fit
fold foundation fragment front gain group growth guidance guide harness heuristic human hybrid identifier identity impact
infrastructure initial inner instance insight intent interaction interval inverse invocation isolation judgment justification
linear literal load loss low maintenance management mapping match measure medium mechanism mention mix mode monitor motivation
need observation operation operations opportunity oracle origin overhead ownership parties partial pause phrase pick piece
placeholder placement play pool prediction preference presence preview pro procedure proof proposal publish quotes rate ratio
reach receiver recovery redesign reduction refresh register registration registry relationship relationships repeat report
research resolution restriction retrieval reuse review rewrite round safety save scan scheme screen screenshot search
selection sender ship short site sites skill slot solid speed stage stand starter storage story strip structure success
switch symbol talk target technique threshold tick tip toggle topic trade transfer transform trust truth underlying
unification upload verdict visibility whitespace worker write
analysis analyze architecture argument array assertion assumption atomic attribution background backup bash batch binary
bot branch branches browser buffer build builds button cache callback check checkpoint cleanup cli client close cluster color
commit commits compile compiler config configuration conflict conflicts connection console container copy coverage css
customer dashboard database debug debugging default delay demo dependency dependencies deploy deployment dialog diff
dir draft duplicate duplication editor email empty endpoint env error event events export extension external failing
failure failures fallback false fetch filter flag flags flaky font fork framework game gap git github global go golang
guard handler handlers hash helper helpers history hook hooks host icon image images import index inline inner install installation
integration internal invalid java javascript js json kernel key language layout legacy lifecycle limit lint linter linting list
listing loader loading lock locking log logging logs loop machine main map mapping mapper memory menu merge metadata migration
milestone mock modal nested network node npm null order override panel parser parsing patch payload performance permission permissions
pipeline platform plugin plugins pointer policy port pr prefix private production profile protocol push python queue quick
readme rebase redundant ref refactor refactoring regex regression release releases remote removal render rendering replacement
request reset restore retry review reviewer reviewing rollback route router run runner runtime rust sample schema search
security sequence server servers settings setup shell sidebar signal size slash snapshot sql stack stage staging standard
strategy stream string style suffix suite sync tag tags temp template terminal test tests testing theme thread timeout
timestamp token tokens tracking transaction transition tree ts type types typescript ui unit unused update url user users utility
validation validator verification visual wait warning warnings web webpage widget window workflow workflows workspace
worktree worktrees wrapper writer yaml yml)";

constexpr std::string_view kOtherLanguages = R"(
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из
ему теперь когда ваш ваша ваше ваши например значит умолчанию вместо поэтому просто даже ну ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом себя ничего ей может они
тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому
этого какой ним здесь этом один почти мой тем чтобы нее сейчас были куда зачем всех можно при об хоть после над больше тот
через эти нас про них какая много разве эту моя хорошо свою этой перед чуть том такой им более всегда конечно всю между нужно
нужны нужен нужна добавь добавить добавлено сделай сделать это также который которые использовать используй файл файла файлы файле
der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war wird werden wurde hat haben ich du er sie wir ihr
mit von zu zum zur im am auf für bei nach aus wie was wenn dann auch noch nur schon sehr kann können muss soll bitte diese dieser dieses
le la les un une des du de et ou mais est sont était être avoir avec pour dans sur par pas plus ce cette ces qui que quoi dont je tu il elle nous vous ils
el los las una unos unas y o pero es son era ser estar con para por en del al lo su sus que como más muy este esta estos estas
um uma os as dos das nos nas em não com mais isso este esta você
해 해줘 하고 있는 있어 없어 것 수 등 및 그 그리고 하지만 그런데 이 저 더 좀 다 잘 안 못 때 지금 다시 먼저 하는 하면 한 할 된 되는 되어
돼 되면 같은 같이 대한 위한 위해 통해 대해 이제 또 또는 모든 각 내가 내 네 예 아니 아니요 해서 했어 합니다 했습니다 입니다 있습니다 없습니다
됩니다 사용 사용합니다 파일 확인 추가 수정 변경 생성 처리 완료 진행 기존 현재 여기 이거 그거 어떻게 왜 무엇 어떤 경우 부분 방법 말고 만들어 만들어줘
的 了 和 是 在 我 有 不 这 那 你 他 她 它 们 请 吗 呢 吧 把 被 就 也 都 要 会 可以 一个 这个 那个 什么 怎么)";

constexpr std::array kLists{
    // What stands in several lists has the grade of the last one.
    GradedWords{WordGrade::verb, kVerbs},           GradedWords{WordGrade::filler, kFillers},
    GradedWords{WordGrade::common, kCommon},        GradedWords{WordGrade::border, kChat},
    GradedWords{WordGrade::border, kFunctionWords}, GradedWords{WordGrade::border, kOtherLanguages},
};

}  // namespace

std::span<const GradedWords> graded_words() { return kLists; }

}  // namespace memd::topics
