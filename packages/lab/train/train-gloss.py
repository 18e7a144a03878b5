"""
Learns the gloss table (models/gloss.md) from the pairs of gloss-pairs.py by word alignment (eflomal, both directions).

    python3 train-gloss.py PAIRS WORK VOCABULARY OUT

PAIRS: the files of gloss-pairs.py. WORK: tokens and links, kept. VOCABULARY: English words, the most frequent one first. OUT: gloss.bin.
The format of the file is in src/text/gloss.ts. Needs eflomal, fugashi, unidic-lite, jieba and kiwipiepy.
"""

import collections
import hashlib
import math
import multiprocessing
import os
import re
import struct
import sys
import unicodedata

LATIN = ["de", "fr", "es", "pt", "it"]
LANGUAGES = [*LATIN, "ru", "ja", "zh", "ko"]
UNSPACED = ["ja", "zh", "ko"]
MAX_WORDS = 10_000
MAX_TOKENS = 70
# Sentences of manuals of one language, which would outweigh the others.
MAX_MANUALS = 6_000
# Written notes have the words of a working day; the rest is the language of interfaces and manuals.
TIMES = {"written": 6, "cldr": 2}
# What particles and endings are aligned with.
EMPTY = set("the a an of to in on at is are be was were been by for as that this it its with and or from s".split())
ENGLISH = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
FOREIGN = re.compile(r"[^\W\d_]+|\d+")


def folded(word):
    """Lower case without accents, as src/text/gloss.ts folds."""
    return "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))


def tokenizer(language):
    if language == "zh":
        import jieba

        jieba.setLogLevel(60)
        return lambda text: [t for t in jieba.cut(text) if FOREIGN.fullmatch(t)]
    if language == "ja":
        import fugashi

        tagger = fugashi.Tagger()
        return lambda text: [w.surface for w in tagger(text) if FOREIGN.fullmatch(w.surface)]
    if language == "ko":
        from kiwipiepy import Kiwi

        kiwi = Kiwi()
        content = ("N", "V", "M", "XR", "SL", "SN")

        def tokens(text):
            found = []
            for t in kiwi.tokenize(text):
                surface = text[t.start : t.start + t.len]
                if t.tag.startswith(content) and FOREIGN.fullmatch(surface):
                    found.append(surface)
            return found

        return tokens
    if language == "ru":
        return lambda text: [t.replace("ё", "е") for t in FOREIGN.findall(text.lower())]
    return lambda text: [folded(t) for t in FOREIGN.findall(text)]


def read_pairs(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            source, foreign, english = line.rstrip("\n").split("\t")
            yield source, foreign, english


def is_held_out(english):
    """One sentence of fifty is not learned from."""
    return hashlib.sha256(english.encode()).digest()[0] < 5


def align(language, pairs_folder, work):
    """Counts of aligned (word, English word), of words and of English words; and the held-out pairs."""
    import eflomal

    split = tokenizer(language)
    pairs, held, manuals = [], [], 0
    for source, foreign, english in read_pairs(f"{pairs_folder}/{language}.tsv"):
        ours, theirs = split(foreign), ENGLISH.findall(english.lower())
        if not ours or not theirs or len(ours) > MAX_TOKENS or len(theirs) > MAX_TOKENS:
            continue
        manuals += source == "python-docs"
        if source == "python-docs" and manuals > MAX_MANUALS:
            continue
        if is_held_out(english):
            held.append((source, ours, theirs))
        else:
            pairs.extend([(ours, theirs)] * TIMES.get(source, 1))
    one, other = f"{work}/{language}.src", f"{work}/{language}.trg"
    forward, backward = f"{work}/{language}.fwd", f"{work}/{language}.rev"
    sides = ["".join(" ".join(pair[side]) + "\n" for pair in pairs) for side in (0, 1)]
    if not (os.path.exists(backward) and open(one, encoding="utf-8").read() == sides[0]):
        for path, text in zip((one, other), sides):
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        with open(one, encoding="utf-8") as a, open(other, encoding="utf-8") as b:
            eflomal.Aligner(n_samplers=2).align(a, b, links_filename_fwd=forward, links_filename_rev=backward, quiet=True)
    links = collections.Counter()
    words, english_words = collections.Counter(), collections.Counter()
    with open(forward) as f, open(backward) as r:
        for (ours, theirs), there, back in zip(pairs, f, r):
            words.update(ours)
            english_words.update(theirs)
            for link in set(there.split()) & set(back.split()):
                i, j = map(int, link.split("-"))
                links[ours[i], theirs[j]] += 1
    return links, words, english_words, held


def english_stem(word):
    for ending, kept in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + kept
    return word


def best(counts):
    """The most frequent English word of a Counter by stem, and its share."""
    stems = collections.defaultdict(collections.Counter)
    for word, count in counts.items():
        stems[english_stem(word)][word] += count
    top = max(stems.values(), key=lambda c: (sum(c.values()), max(c)))
    total = sum(counts.values())
    return max(top.items(), key=lambda item: (item[1], item[0]))[0], sum(top.values()) / total, sum(top.values())


def glosses(language, links, words, english_words):
    """Keys of a language with their English word and the number of occurrences that each explains."""
    by_word = collections.defaultdict(collections.Counter)
    for (word, english), count in links.items():
        # Words that stand beside everything explain nothing.
        if not word.isdigit() and not english.isdigit():
            by_word[word][english] += count
    found = {}
    for word, counts in by_word.items():
        english, share, support = best(counts)
        if support < 2 or share < 0.25 or len(word) > 24:
            continue
        if support < 0.08 * words[word]:
            continue
        found[word] = (english, words[word], share)
    if language in UNSPACED:
        return {w: v for w, v in found.items() if len(w) <= 8 and v[0] not in EMPTY}
    # A prefix stands for its inflected forms if they agree.
    by_prefix = collections.defaultdict(collections.Counter)
    members = collections.Counter()
    for word, counts in by_word.items():
        for length in range(4, len(word) + 1):
            if len(word) - length <= 5:
                by_prefix[word[:length]].update({e: math.sqrt(c) for e, c in counts.items()})
                members[word[:length]] += 1
    for prefix, counts in by_prefix.items():
        english, share, support = best(counts)
        if share >= 0.4 and support >= 2:
            found[prefix + "*"] = (english, 0, share)
    return compact(found, words)


def compact(found, words):
    """Leaves out what a shorter prefix already says, and gives each prefix the occurrences of the words it serves."""

    def by_prefix(word, upto):
        for length in range(min(upto, len(word)), 3, -1):
            if len(word) - length <= 5 and word[:length] + "*" in found:
                return word[:length] + "*"
        return None

    kept = {}
    for key in sorted(k for k in found if k.endswith("*")):
        word = key[:-1]
        shorter = next((word[:n] + "*" for n in range(len(word) - 1, 3, -1) if word[:n] + "*" in kept), None)
        if shorter is None or kept[shorter][0] != found[key][0]:
            kept[key] = found[key]
    found = {**{k: v for k, v in found.items() if not k.endswith("*")}, **kept}
    served = collections.Counter()
    out = {}
    for word in words:
        key = by_prefix(word, len(word))
        if key is not None:
            served[key] += words[word]
    for key, (english, count, share) in found.items():
        if key.endswith("*"):
            if served[key] > 0:
                out[key] = (english, served[key] * 0.5, share)
            continue
        prefix = by_prefix(key, len(key))
        if prefix is not None and found[prefix][0] == english:
            continue
        out[key] = (english, count, share)
    return out


def key_hash(text):
    h = 0x811C9DC5
    for unit in struct.unpack(f"<{len(text.encode('utf-16-le')) // 2}H", text.encode("utf-16-le")):
        h = ((h ^ unit) * 0x01000193) & 0xFFFFFFFF
    return h


FOREIGN_MARK = 0x8000
NO_GLOSS = 0x7FFF


def main():
    pairs, work, vocabulary, out = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    tables, frequencies, english_all, held = {}, {}, collections.Counter(), {}
    with multiprocessing.Pool(2) as pool:
        aligned = pool.starmap(align, [(language, pairs, work) for language in LANGUAGES], chunksize=1)
    for language, (links, words, english_words, held[language]) in zip(LANGUAGES, aligned):
        tables[language] = glosses(language, links, words, english_words)
        total = sum(words.values())
        frequencies[language] = {w: c / total for w, c in words.items()}
        english_all.update(english_words)
        print(language, sum(links.values()), len(tables[language]), flush=True)
    total = sum(english_all.values())
    english = {w: c / total for w, c in english_all.items() if c >= 3 and w.isalpha()}
    # The vocabulary is in the order of frequency; manuals lack many words of everyday English.
    for rank, word in enumerate(open(vocabulary, encoding="utf-8").read().split()):
        if word.isascii() and word.isalpha() and len(word) > 2:
            english[word] = max(english.get(word, 0), 0.1 / (rank + 30))
    entries, texts = {}, {}

    def mark(language, word):
        """True if a word is far more frequent in the language than in English."""
        return frequencies[language].get(word, 0) > 8 * english.get(word, 0)

    for language in LANGUAGES:
        table = tables[language]
        useful = {k: v for k, v in table.items() if k.rstrip("*") != v[0]}
        order = sorted(useful, key=lambda k: (-useful[k][1] * useful[k][2], k))[:MAX_WORDS]
        for key in order:
            gloss = texts.setdefault(useful[key][0], len(texts))
            is_mark = language in LATIN and not key.endswith("*") and mark(language, key)
            entries[key_hash(f"{language}:{key}")] = gloss | (FOREIGN_MARK if is_mark else 0)
        if language in LATIN:
            marks = [w for w, f in frequencies[language].items() if mark(language, w) and f > 2e-5 and w not in order]
            for word in sorted(marks, key=lambda w: -frequencies[language][w])[:2000]:
                entries.setdefault(key_hash(f"{language}:{word}"), NO_GLOSS | FOREIGN_MARK)
    latin = {l: frequencies[l] for l in LATIN}
    for word, frequency in english.items():
        if frequency > 2 * max(f.get(word, 0) for f in latin.values()):
            entries.setdefault(key_hash(f"en:{word}"), NO_GLOSS | FOREIGN_MARK)
    assert len(texts) < NO_GLOSS
    keys = sorted(entries)
    data = "\n".join(texts).encode()
    with open(out, "wb") as file:
        file.write(b"amanGls1" + struct.pack("<II", len(keys), len(data)))
        file.write(struct.pack(f"<{len(keys)}I", *keys))
        file.write(struct.pack(f"<{len(keys)}H", *(entries[k] for k in keys)))
        file.write(data)
    print("keys", len(keys), "glosses", len(texts), "bytes", os.path.getsize(out))
    import json

    with open(f"{work}/held.json", "w", encoding="utf-8") as file:
        json.dump(held, file, ensure_ascii=False)
    with open(f"{work}/tables.json", "w", encoding="utf-8") as file:
        json.dump(tables, file, ensure_ascii=False)


main()
