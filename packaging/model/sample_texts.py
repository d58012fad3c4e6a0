"""Seeded texts for comparing tokenizers: prose, code, paths, many scripts, and what breaks careless Unicode code."""

import random
import unicodedata

AWKWARD = [
    "",
    " ",
    "\t\r\n",
    "\0",
    "a\0b",
    "\ufffd",
    "a\ufffdb",
    "\u0085",
    "a\u0085b",
    "a\u00a0b",
    "a\u3000b",
    "a\u2028b\u2029c",
    "a\u200bb",
    "a\u200db",
    "\ufeffhello",
    "soft\u00adhyphen",
    "bell\x07 and delete\x7f",
    "\u202eright to left\u202c",
    "[CLS] [SEP] [MASK] [PAD] [UNK]",
    "[unused1] ##ing ##",
    "don't can't I'm we've o'clock",
    "$100 + 5% = <b>105</b> ^_^ ~ ` |",
    "İstanbul ISTANBUL ıstanbul",
    "STRASSE straße ẞ",
    "ΟΔΥΣΣΕΥΣ Σ ς σ",
    "Ǆ ǅ ǆ ﬁ ﬂ ﬀ Ⅷ ⅷ Ａｂｃ １２３",
    "K Å Ω",
    "naïve café Zürich Ångström piñata Łódź Øresund",
    "nai\u0308ve cafe\u0301 Zu\u0308rich A\u030angstro\u0308m",
    "e\u0301\u0302\u0303\u0304\u0305",
    "\u0301",
    "\u0301\u0301 a",
    "한국어 문장 각",
    "\u1112\u1161\u11ab",
    "中文和English混合abc",
    "日本語のテキスト、カタカナ。ガ ｶﾞ",
    "\U00020000\U0002a6d6 \U0002f800",
    "ไทย ภาษา กำ",
    "हिन्दी नमस्ते क़",
    "العربية مُحَمَّد",
    "עברית שָׁלוֹם",
    "Привет, мир! Ёлка й",
    "👍🏽 👨‍👩‍👧 🇩🇪 ❤️ 🙂",
    "x" * 99,
    "x" * 100,
    "x" * 101,
    "é" * 100,
    "e\u0301" * 100,
    "e\u0301" * 60,
    "中" * 120,
    "a" * 100 + " " + "b" * 101 + " c",
    "1234567890" * 12,
    "_" * 120,
    "٣ ४ ₅ ½ ²",
    "\u00b4 \u00a8 \u02dc \u2010 \u2013 \u2014 \u2018\u2019 \u201c\u201d \u2026",
    "§ ¶ † © ® ™ ° ± × ÷ ¿ ¡ « »",
    "𝒜 𝓑 𝔘𝔫𝔦 ℵ ∑ √ ∞ ≠ ≤",
]
CODE = [
    "int main(int argc, char** argv) { return argc > 1 ? run(argv[1]) : 0; }",
    "for (const auto& [key, value] : table) total += value;",
    "def read_lines(path: str) -> list[str]:\n    with open(path) as f:\n        return f.readlines()",
    "SELECT id, body FROM turn WHERE session_id = ?1 ORDER BY rowid DESC LIMIT 20;",
    "npm ERR! code ERESOLVE could not resolve dependency: peer react@^17.0.2",
    "error[E0382]: borrow of moved value: `config` at src/main.rs:42:9",
    "Traceback (most recent call last): KeyError: 'user_id'",
    "git rebase -i HEAD~3 && git push --force-with-lease origin feature/JIRA-1234",
    "cmake --preset dev && ninja -C build/dev test_store",
    "export PATH=$HOME/.local/bin:$PATH # set for login shells",
    'curl -sS -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/items?limit=10',
    "useEffect(() => { const t = setTimeout(save, 300); return () => clearTimeout(t); }, [draft]);",
    "std::unordered_map<std::string, std::vector<std::uint8_t>> cache;",
    "kubectl -n prod rollout undo deploy/api-server --to-revision=7",
    "Segmentation fault (core dumped) 0x00007fffdeadbeef",
    '{"name":"read_file","arguments":{"path":"/etc/hosts","limit":200}}',
    "@@ -12,7 +12,9 @@ void Reader::close() noexcept {",
    "#define MAX(a, b) ((a) > (b) ? (a) : (b))",
]
SENTENCES = [
    "Why does the ingest stop after the second file?",
    "I went hiking with my sister last weekend and we saw two eagles.",
    "Please rename the function so that it says what it returns.",
    "The test fails only on the build machine because the clock is mocked there.",
    "When did Priya move to the new apartment?",
    "We decided against a graph index: building it took longer than every query together.",
    "Thanks, that fixed it! Can you also update the README?",
    "The birthday cake had lemon frosting and far too many candles.",
    "Roll the migration back, the column must stay nullable until next release.",
    "How do I limit the memory that the worker uses?",
    "My manager said the interview went well, so I may get the job.",
    "The lock is held across the await point, which is a deadlock waiting to happen.",
    "She adopted a grey kitten from the shelter and called it Pixel.",
    "Parsing the timestamp loses the time zone.",
    "Let us order noodles tonight, I am too tired to cook.",
    "Compression halves the size and costs four percent of the speed.",
]
SCRIPTS = [
    (0x20, 0x7E), (0xA1, 0x24F), (0x250, 0x36F), (0x370, 0x52F), (0x591, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F),
    (0xE01, 0xE5B), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1E00, 0x1FFE), (0x2000, 0x206F), (0x2070, 0x22FF),
    (0x2600, 0x27BF), (0x3000, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FBF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF),
    (0xFB00, 0xFB4F), (0xFE00, 0xFE6F), (0xFF01, 0xFFEE), (0x1D400, 0x1D7FF), (0x1F300, 0x1F64F), (0x20000, 0x2A6D6),
]  # fmt: skip


def _assigned(code):
    return unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")


def _character(generator):
    first, last = generator.choice(SCRIPTS)
    while not _assigned(code := generator.randint(first, last)):
        pass
    return chr(code)


def _word(generator, words):
    word = generator.choice(words)
    kind = generator.random()
    if kind < 0.15:
        word = word.capitalize()
    elif kind < 0.2:
        word = word.upper()
    elif kind < 0.27:
        word += generator.choice(words)
    elif kind < 0.3:
        word = unicodedata.normalize(generator.choice(("NFC", "NFD")), "".join(c + "\u0301" for c in word))
    return word


def _prose(generator, words):
    text = ""
    for _ in range(generator.randint(2, 14)):
        text += _word(generator, words) + generator.choice((" ", " ", " ", ", ", ". ", "? ", "\n", " - ", "'s ", "; "))
    return text.strip() if generator.random() < 0.9 else text


def _path(generator, words):
    parts = [_word(generator, words) for _ in range(generator.randint(2, 6))]
    separator = generator.choice(("/", "/", "_", ".", "::", "-", "\\"))
    return generator.choice(("", "/", "~/", "C:\\", "./")) + separator.join(parts) + generator.choice(("", ".cpp", ".py:12"))


def _identifier(generator, words):
    parts = [generator.choice(words) for _ in range(generator.randint(2, 5))]
    name = generator.choice(("_".join(parts), "".join(map(str.capitalize, parts)), "-".join(parts)))
    return f"{name}{generator.choice(('()', ' = ', '[0]', ';', '->', '<T>', ''))}{generator.randint(0, 99999)}"


def _scripts(generator, _):
    first, last = generator.choice(SCRIPTS)
    codes = (generator.randint(first, last) for _ in range(generator.randint(1, 14)))
    return "".join(chr(c) + (" " if generator.random() < 0.2 else "") for c in codes if _assigned(c))


def _mixed(generator, words):
    pieces = (_character, lambda g: " ", lambda g: _word(g, words), lambda g: chr(g.randint(0, 0xFF)))
    return "".join(generator.choice(pieces)(generator) for _ in range(generator.randint(1, 12)))


def _long(generator, words):
    text = ""
    while len(text) < generator.randint(85, 115):
        text += generator.choice(words)
    return text[: generator.randint(95, 105)]


def sample_texts(vocabulary, count, seed):
    """The awkward ones, the examples, then random ones up to `count`."""
    generator = random.Random(seed)
    words = [token for token in vocabulary[1996:8000] if token.isalpha()]
    texts = AWKWARD + CODE + SENTENCES
    makers = (_prose, _prose, _path, _identifier, _scripts, _scripts, _mixed, _mixed, _long)
    while len(texts) < count:
        texts.append(makers[len(texts) % len(makers)](generator, words))
    return texts
