"""Writes store/enrich/embedding/unicode_table.hpp: what BERT's normaliser and pre-tokeniser do with each character.

They work character by character, so the reference implementation is asked about each one:
    pip install tokenizers==0.23.1 && python3 packaging/model/unicode_tables.py
Hangul syllables are left out: their decomposition is arithmetic.
"""

import pathlib

from tokenizers import normalizers, pre_tokenizers

OUT = pathlib.Path(__file__).parents[2] / "store/enrich/embedding/unicode_table.hpp"
KEEP, DROP, SPACE, ALONE, FIRST_MAPPING = range(5)
BLOCK = 128
TABLE_END = 0x30000  # above, whole ranges behave alike
HANGUL = range(0xAC00, 0xD7A4)

NORMALISER = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)
SPLITTER = pre_tokenizers.BertPreTokenizer()


def is_alone(char):
    """A word of its own, whatever is beside it."""
    return len(SPLITTER.pre_tokenize_str("a" + char + "a")) == 3


def hangul(code):
    index = code - HANGUL.start
    tail = chr(0x11A7 + index % 28) if index % 28 else ""
    return chr(0x1100 + index // 588) + chr(0x1161 + index % 588 // 28) + tail


class Pool:
    """Replacements one after the other: a byte with the length (and 128 if it is a word of its own), then UTF-8."""

    def __init__(self):
        self.bytes = bytearray()
        self.places = {}

    def place(self, text, alone):
        entry = bytes([len(text.encode()) | (128 if alone else 0)]) + text.encode()
        if entry not in self.places:
            self.places[entry] = len(self.bytes)
            self.bytes += entry
        return self.places[entry]


def entry(code, pool):
    char = chr(code)
    if 0xD800 <= code < 0xE000:
        return DROP
    out = NORMALISER.normalize_str(char)
    if code in HANGUL:
        assert out == hangul(code) and not any(map(is_alone, out))
        return KEEP
    if out == "":
        return DROP
    if out == " ":
        return SPACE
    if out == char:
        return ALONE if is_alone(char) else KEEP
    if out == f" {char} ":
        return ALONE
    alone = (out[0] == " " and out[-1] == " " and len(out) == 3) or (len(out) == 1 and is_alone(out))
    text = out.strip(" ")
    assert " " not in text and (alone or not any(map(is_alone, text)))
    return FIRST_MAPPING + pool.place(text, alone)


def array(kind, name, values, width=400):
    lines, line = [], ""
    for value in values:
        item = f"{value},"
        if len(line) + len(item) > width:
            lines.append(line)
            line = ""
        line += item
    return f"inline constexpr {kind} {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def main():
    pool = Pool()
    entries = [entry(code, pool) for code in range(0x110000)]
    assert max(entries) < 65536
    blocks, index = {}, []
    for first in range(0, TABLE_END, BLOCK):
        index.append(blocks.setdefault(tuple(entries[first : first + BLOCK]), len(blocks)))
    assert len(blocks) <= 256
    ranges, first = [], TABLE_END
    for code in range(TABLE_END, 0x110000 + 1):
        if code == 0x110000 or entries[code] != entries[first]:
            if entries[first] != KEEP:
                ranges.append((first, code - 1, entries[first]))
            first = code
    OUT.write_text(
        "#pragma once\n\n// Made by packaging/model/unicode_tables.py; do not edit.\n// clang-format off\n\n"
        "#include <cstdint>\n\nnamespace memd::embedding::unicode {\n\n"
        f"inline constexpr unsigned kBlock = {BLOCK};\ninline constexpr char32_t kTableEnd = {TABLE_END:#x};\n\n"
        "// Of a block of characters, its place in kEntries.\n"
        + array("std::uint8_t", "kBlocks", index)
        + f"\n// {KEEP} kept, {DROP} dropped, {SPACE} a space, {ALONE} a word of its own, else "
        + f"{FIRST_MAPPING} + place in kReplacements.\n"
        + array("std::uint16_t", "kEntries", [value for block in blocks for value in block])
        + "\n// A byte with the length of what follows, 128 more when it is a word of its own; then UTF-8.\n"
        + array("unsigned char", "kReplacements", pool.bytes)
        + "\n// Above the table; what is in no range is kept.\n"
        "struct Range { char32_t first, last; std::uint16_t entry; };\n"
        "inline constexpr Range kRanges[] = {\n"
        + "".join(f"{{{a:#x}, {b:#x}, {value}}},\n" for a, b, value in ranges)
        + "};\n\n}  // namespace memd::embedding::unicode\n"
    )


if __name__ == "__main__":
    main()
