"""How the judges read a text: sentences, words, tokens, hashes.

Texts are strings of bytes (Latin-1), so that lengths and hashes are those of the UTF-8 that memd stores. The lists of
words and the ranks of tokens are the data files of memd.
"""
import ctypes.util
import functools
import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
SPACE = " \t\n\v\f\r"
_xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0").XXH3_64bits_withSeed
_xxhash.argtypes, _xxhash.restype = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64], ctypes.c_uint64


def raw(text):
    """Returns a decoded text as a string of its bytes."""
    return text.encode("utf-8", "replace").decode("latin-1")


def lower(text):
    return text.translate(LOWER)


def hash64(text, seed=0):
    """Returns the XXH3 hash by which the labels name a sentence."""
    return _xxhash(text.encode("latin-1"), len(text), seed)


def is_held_out(session):
    return hash64(session, 5) % 2 == 1


def one_line(text):
    return " ".join(re.split(r"[ \t-\r]+", text.strip(SPACE)))


@functools.cache
def words_of_class(name):
    """Returns one of the word lists of store/text/words."""
    out = set()
    for file in (ROOT / "store/text/words").glob("*.words"):
        lists = []
        for line in file.read_bytes().decode("latin-1").split("\n"):
            if line.startswith("["):
                lists = line.strip("[] \r").split()
            elif not line.startswith("#") and name in lists:
                out.update(word.replace("~", " ") for word in line.split())
    return out


# ---- Sentences and words.

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)", re.S)
_BULLET = re.compile(r"[-*+] |\xe2\x80\xa2 |\d{1,3}[.)] ")
_END = re.compile(r"\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f|[.!?]+[\"')*]*(?=[ \t-\r]|$)")


def _ends_sentence(text, mark):
    begin, end = mark.span()
    if mark.group() != ".":
        return True
    word = re.search(r"[\w.\x80-\xff]*$", text[max(0, begin - 200):begin], re.A).group()
    before = begin - len(word)
    if not word and (before == 0 or text[before - 1] in SPACE):
        return False
    if re.fullmatch("[A-HJ-Z]", word) or (len(word) > 1 and lower(word) in words_of_class("abbreviation")):
        return False
    if word.isdigit() and (before == 0 or text[before - 1] == "\n"):
        return False
    follows = text[end:end + 80].lstrip(" ")[:1]
    return not ("a" <= follows <= "z" and 0 < len(word) <= 3)


def _sentences(block):
    begin = 0
    for mark in _END.finditer(block):
        if mark.start() >= begin and _ends_sentence(block, mark):
            yield block[begin:mark.end()]
            begin = mark.end()
    yield block[begin:]


def units(text):
    """Splits Markdown into (kind, text): sentence, bullet, heading, table, code."""
    blocks, fence, is_open = [], "", False
    for line in text.split("\n"):
        was, opening = fence, _FENCE.match(line)
        if opening and not fence and not ("`" in opening[1] and "`" in opening[2]):
            fence = opening[1]
        elif opening and fence and opening[1].startswith(fence) and not opening[2].strip(" \t\r"):
            fence = ""
        bare = line.strip(SPACE)
        kind = ("code" if was or fence else "" if not bare else "heading" if re.match("#{1,6} ", bare)
                else "table" if bare[0] == "|" else "bullet" if _BULLET.match(bare) else "sentence")
        goes_on = is_open and (kind == blocks[-1][0] and kind not in ("heading", "bullet") or
                               kind == "sentence" and blocks[-1][0] == "bullet" and line[0] in " \t")
        if goes_on:
            blocks[-1][1] += "\n" + line
        elif kind:
            blocks.append([kind, line])
        is_open = bool(kind) and kind != "heading" and not (was and not fence)
    out = []
    for kind, block in blocks:
        cut = kind == "sentence" or kind == "bullet" and len(block) > 300
        out += [(kind, piece) for piece in map(lambda p: p.strip(SPACE), _sentences(block) if cut else [block]) if piece]
    return out


def subject_words(text):
    """Returns the stems of the words that carry the subject."""
    found = (lower(word).replace("'", "") for word in re.findall(r"[A-Za-z0-9\x80-\xff']+", text))
    return {word[:5] for word in found if len(word) > 2 and word not in words_of_class("stop")}


# ---- Tokens, counted as memd counts them.

_SLOTS = struct.unpack("<131072I", (ROOT / "store/text/byte_pairs/cl100k-65535.memdbpe").read_bytes())
_PIECE = re.compile(r"'(?i:[stmd]|re|ve|ll)|(?:(?![\r\n])[\W_])?[^\W\d_]+|\d{1,3}| ?(?:[^\s\w]|_)+[\r\n]*"
                    r"|\s*[\r\n]+|\s+(?!\S)|\s+|\w")


def _rank(token):
    key = 0xCBF29CE484222325
    for byte in token:
        key = (key ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    key ^= key >> 32
    at = key % len(_SLOTS)
    while _SLOTS[at]:
        if _SLOTS[at] >> 16 == key >> 48:
            return (_SLOTS[at] & 0xFFFF) - 1
        at = (at + 1) % len(_SLOTS)
    return None


@functools.cache
def _tokens_of_piece(piece):
    if len(piece) <= 1 or len(piece) <= 128 and _rank(piece) is not None:
        return min(len(piece), 1)
    if len(piece) > 64:
        return _tokens_of_piece(piece[:64]) + _tokens_of_piece(piece[64:])
    parts = [piece[i:i + 1] for i in range(len(piece))]
    while True:
        ranks = [(rank, i) for i in range(len(parts) - 1) if (rank := _rank(parts[i] + parts[i + 1])) is not None]
        if not ranks:
            return len(parts)
        at = min(ranks)[1]
        parts[at:at + 2] = [parts[at] + parts[at + 1]]


def tokens(text):
    pieces = _PIECE.findall(text.encode("latin-1").decode("utf-8", "replace"))
    return sum(_tokens_of_piece(piece.encode()) for piece in pieces)


def fill(lines, budget):
    """Returns the lines that fit, each a line: one too long is left out, and shorter ones behind it are not."""
    out = ""
    for line in lines:
        size = tokens(line + "\n")
        if size <= budget:
            out, budget = out + line + "\n", budget - size
    return out
