"""Prints unicode_tables.cpp:

    python3 unicode_tables.py > unicode_tables.cpp
"""

import textwrap
import unicodedata

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
# Other_Alphabetic characters that are no marks: circled and squared letters.
ALPHABETIC_SYMBOLS = [(0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189)]
JOIN_CONTROLS = (0x200C, 0x200D)
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)


def category(c):
    return unicodedata.category(chr(c))


def is_word(c):
    kind = category(c)
    return (kind[0] in "LM" or kind in ("Nl", "Nd", "Pc") or c in JOIN_CONTROLS
            or any(first <= c <= last for first, last in ALPHABETIC_SYMBOLS))


def ranges(predicate):
    result = []
    for c in CODE_POINTS:
        if not predicate(c):
            continue
        if result and result[-1][1] == c - 1:
            result[-1][1] = c
        else:
            result.append([c, c])
    return [f"{{{first:#x}, {last:#x}}}" for first, last in result]


def lower_runs():
    pairs = [(c, chr(c).lower()) for c in CODE_POINTS]
    pairs = [(c, ord(low)) for c, low in pairs if len(low) == 1 and low != chr(c)]
    result, i = [], 0
    while i < len(pairs):
        c, low = pairs[i]
        count, step = 1, 1
        for s in (1, 2):
            n = 1
            while i + n < len(pairs) and pairs[i + n] == (c + s * n, low + s * n):
                n += 1
            if n > count:
                count, step = n, s
        result.append(f"{{{c:#x}, {c + step * (count - 1):#x}, {step}, {low - c}}}")
        i += count
    return result


def unaccented():
    result = []
    for c in CODE_POINTS:
        parts = unicodedata.normalize("NFD", chr(c))
        rest = [ord(p) for p in parts if unicodedata.category(p) != "Mn"]
        if parts == chr(c) or c in HANGUL_SYLLABLES or category(c) == "Mn":
            continue
        assert len(rest) <= 3
        result.append(f"{{{c:#x}, {{{', '.join(f'{p:#x}' for p in rest)}}}}}")
    return result


def table(kind, name, entries):
    body = textwrap.fill(", ".join(e.replace(" ", "~") for e in entries), 98).replace("~", " ")
    constant = "".join(part.capitalize() for part in name.split("_"))
    print(f"constexpr {kind} k{constant}[] = {{\n{body}}};\n")


TABLES = [
    ("CodeRange", "word", ranges(is_word)),
    ("CodeRange", "punctuation", ranges(lambda c: category(c)[0] == "P")),
    ("CodeRange", "control", ranges(lambda c: category(c) in ("Cc", "Cf", "Co"))),
    ("CodeRange", "nonspacing_marks", ranges(lambda c: category(c) == "Mn")),
    ("LowerRun", "lower", lower_runs()),
    ("Unaccented", "unaccented", unaccented()),
]

assert unicodedata.unidata_version == "14.0.0"
print("// Written by unicode_tables.py from Unicode 14.")
print('#include "nn/tokenizer/unicode_tables.h"\n')
print("namespace gradwalk::nn {\nnamespace {\n\n// clang-format off\n")
for entry in TABLES:
    table(*entry)
print("// clang-format on\n\n}  // namespace\n")
for kind, name, _ in TABLES:
    constant = "".join(part.capitalize() for part in name.split("_"))
    print(f"std::span<const {kind}> unicode_{name}() {{ return k{constant}; }}")
print("\n}  // namespace gradwalk::nn")
