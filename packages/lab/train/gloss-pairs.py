"""
Collects parallel text for the gloss table (models/gloss.md), one file of "foreign<TAB>English" lines per language.

    python3 gloss-pairs.py MIRRORS WHEELS NPM WRITTEN OUT

MIRRORS: bare clones named owner+name/repo. WHEELS: unpacked wheels. NPM: unpacked npm packages. WRITTEN: JSON lines of
notes with their English translations.
"""

import glob
import html
import json
import os
import re
import subprocess
import sys

LANGUAGES = ["de", "fr", "es", "pt", "it", "ru", "ja", "zh", "ko"]
BRANCHES = {"es": "3.12", "ja": "3.11", "zh-cn": "3.14", "fr": "3.13", "ko": "3.13", "pt-br": "3.14", "it": "3.13"}
ELECTRON = ["de-DE", "es-ES", "fr-FR", "ja-JP", "pt-BR", "ru-RU", "zh-CN"]
CODES = {
    "de": "de de_DE de-DE", "fr": "fr fr_FR fr-FR", "es": "es es_ES es-ES", "pt": "pt pt_BR pt-BR pt-br", "it": "it it_IT it-IT",
    "ru": "ru ru_RU ru-RU", "ja": "ja ja_JP ja-JP", "zh": "zh zh_CN zh-CN zh-cn zh_Hans zh_Hans_CN", "ko": "ko ko_KR ko-KR",
}
LANGUAGE_OF = {code: language for language, codes in CODES.items() for code in codes.split()}


def unquoted(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": " "}.get(m[1], m[1]), text)


def po_pairs(text):
    """The translated messages of a PO file, without those marked fuzzy."""
    for block in re.split(r"\n\s*\n", text):
        if re.search(r"^#,.*fuzzy", block, re.M) or re.search(r"^#~", block, re.M):
            continue
        fields, name = {}, None
        for line in block.split("\n"):
            start = re.match(r'(msgid|msgid_plural|msgstr|msgctxt|msgstr\[\d+\])\s+"(.*)"\s*$', line)
            if start:
                name = start[1]
                fields[name] = start[2]
            elif name and (more := re.match(r'\s*"(.*)"\s*$', line)):
                fields[name] += more[1]
        source = unquoted(fields.get("msgid", ""))
        for english, foreign in (
            (source, fields.get("msgstr") or fields.get("msgstr[0]")),
            (unquoted(fields.get("msgid_plural", "")), fields.get("msgstr[1]")),
        ):
            if english and foreign:
                yield unquoted(foreign), english


def without_markup(text):
    text = re.sub(r"``[^`]*``|`[^`<]*<[^`>]*>`_*|https?://\S+", " ", text)
    text = re.sub(r":[a-zA-Z:+-]+:`~?!?([^`]*)`", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]+>|%\(\w+\)[sd]|%[sd]|\{[^}]*\}|&&?(?=\w)", " ", html.unescape(text))
    text = re.sub(r"`[^`]*`", " ", text)
    return re.sub(r"\s+", " ", text.replace("*", " ").replace("\t", " ")).strip()


def blocks(markdown):
    markdown = re.sub(r"```.*?```", "", markdown, flags=re.S)
    return [b.strip() for b in re.split(r"\n\s*\n", markdown) if b.strip()]


def git(repo, *arguments):
    return subprocess.run(["git", "-C", repo, *arguments], capture_output=True, check=True).stdout


def blobs(repo, commit, accept):
    """Paths and texts of the accepted files of a commit."""
    names = [n for n in git(repo, "ls-tree", "-r", "--name-only", commit).decode().split("\n") if accept(n)]
    asked = "\n".join(f"{commit}:{name}" for name in names).encode()
    out = subprocess.run(["git", "-C", repo, "cat-file", "--batch"], input=asked, capture_output=True, check=True).stdout
    at = 0
    for name in names:
        end = out.index(b"\n", at)
        if out[at:end].endswith(b" missing"):
            at = end + 1
            continue
        size = int(out[at:end].split()[-1])
        yield name, out[end + 1 : end + 1 + size].decode("utf-8", "replace")
        at = end + 2 + size


def python_docs(mirrors):
    for code, branch in BRANCHES.items():
        language = LANGUAGE_OF["pt_BR" if code == "pt-br" else "zh_CN" if code == "zh-cn" else code]
        for _, text in blobs(f"{mirrors}/python+python-docs-{code}/repo", f"refs/heads/{branch}", lambda n: n.endswith(".po")):
            for pair in po_pairs(text):
                yield language, *pair


def electron(mirrors):
    repo = f"{mirrors}/electron+i18n/repo"
    files = dict(blobs(repo, "HEAD", lambda n: n.startswith("content/") and n.endswith(".md")))
    for name, text in files.items():
        folder, _, rest = name.removeprefix("content/").partition("/")
        english = files.get(f"content/en-US/{rest}")
        if folder == "en-US" or folder not in ELECTRON or english is None:
            continue
        ours, theirs = blocks(text), blocks(english)
        if len(ours) != len(theirs):
            continue
        for foreign, source in zip(ours, theirs):
            if foreign != source:
                yield LANGUAGE_OF[folder], foreign, source


def wheels(folder):
    for path in glob.glob(f"{folder}/**/*.po", recursive=True):
        code = re.search(r"/(?:locale|translations)/([^/]+)/LC_MESSAGES/", path)
        if code and code[1] in LANGUAGE_OF and "/dist/" not in path:
            for pair in po_pairs(open(path, encoding="utf-8").read()):
                yield LANGUAGE_OF[code[1]], *pair
    for path in glob.glob(f"{folder}/**/jupyterlab_language_pack_*/**/LC_MESSAGES/*.json", recursive=True):
        code = re.search(r"/locale/([^/]+)/", path)[1]
        for english, foreign in json.load(open(path, encoding="utf-8")).items():
            if english and code in LANGUAGE_OF:
                text = english.split("\x04")[-1]
                yield LANGUAGE_OF[code], foreign[0] if isinstance(foreign, list) else foreign, text
    for path in glob.glob(f"{folder}/**/kolibri/locale/*/LC_MESSAGES/*.json", recursive=True):
        code = re.search(r"/locale/([^/]+)/", path)[1]
        if code not in LANGUAGE_OF:
            continue
        english = json.load(open(path.replace(f"/locale/{code}/", "/locale/en/"), encoding="utf-8"))
        for key, foreign in json.load(open(path, encoding="utf-8")).items():
            if key in english:
                yield LANGUAGE_OF[code], foreign, english[key]


def typescript(npm):
    lib = glob.glob(f"{npm}/typescript-*/package/lib")[0]
    found = re.findall(r'diag\(\d+, [^,]+, "([^"]+)", "((?:[^"\\]|\\.)*)"', open(f"{lib}/typescript.js").read())
    english = {key: unquoted(text) for key, text in found}
    for path in glob.glob(f"{lib}/*/diagnosticMessages.generated.json"):
        code = path.split("/")[-2]
        if code in LANGUAGE_OF:
            for key, foreign in json.load(open(path, encoding="utf-8-sig")).items():
                if key in english:
                    yield LANGUAGE_OF[code], foreign, english[key]


def monaco(npm):
    folder = glob.glob(f"{npm}/monaco-editor-*/package/esm")[0]

    def read(path):
        text = open(path, encoding="utf-8").read()
        return json.loads(re.search(r"_VSCODE_NLS_MESSAGES=(\[.*?\]);\s*(?:globalThis|//|$)", text, re.S)[1])

    english = read(f"{folder}/nls.messages.js")
    for path in glob.glob(f"{folder}/nls.messages.*.js"):
        code = path.split(".")[-2]
        if code in LANGUAGE_OF:
            for foreign, source in zip(read(path), english):
                if foreign and source:
                    yield LANGUAGE_OF[code], foreign, source


def leaves(tree, path=()):
    if isinstance(tree, str):
        yield path, tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, (*path, key))


def cldr(npm):
    def load(kind, code, pattern):
        found = glob.glob(f"{npm}/cldr-{kind}-full-*/package/{pattern.format(code)}")
        return json.load(open(found[0], encoding="utf-8"))

    pictures = load("annotations", "en", "annotations/{}/annotations.json")["annotations"]["annotations"]
    for language in LANGUAGES:
        for sign, names in load("annotations", language, "annotations/{}/annotations.json")["annotations"]["annotations"].items():
            english = pictures.get(sign, {})
            if "tts" in names and "tts" in english:
                yield language, names["tts"][0], english["tts"][0]
        for kind, pattern in (("dates", "main/{}/ca-gregorian.json"), ("dates", "main/{}/dateFields.json"), ("units", "main/{}/units.json")):
            known = dict(leaves(load(kind, "en", pattern)["main"]["en"]))
            for path, foreign in leaves(load(kind, language, pattern)["main"][language]):
                if path in known and ("wide" in path or "long" in path or kind == "dates" and "dateFields" in pattern):
                    yield language, foreign, known[path]


def written(folder):
    for path in sorted(glob.glob(f"{folder}/*.jsonl")):
        # The questions by which recall is judged are not learned from.
        if "recall" in path:
            continue
        for line in open(path, encoding="utf-8"):
            if not line.strip():
                continue
            entry = json.loads(line)
            for key, value in entry.items():
                if isinstance(value, str) and isinstance(entry.get(f"{key}English"), str) and entry["language"] in LANGUAGES:
                    yield entry["language"], value, entry[f"{key}English"]


def main():
    mirrors, wheel_folder, npm, written_folder, out = sys.argv[1:]
    sources = {
        "python-docs": lambda: python_docs(mirrors),
        "electron": lambda: electron(mirrors),
        "wheels": lambda: wheels(wheel_folder),
        "typescript": lambda: typescript(npm),
        "monaco": lambda: monaco(npm),
        "cldr": lambda: cldr(npm),
        "written": lambda: written(written_folder),
    }
    os.makedirs(out, exist_ok=True)
    files = {language: open(f"{out}/{language}.tsv", "w", encoding="utf-8") for language in LANGUAGES}
    for name, read in sources.items():
        counts, seen = dict.fromkeys(LANGUAGES, 0), set()
        for language, foreign, english in read():
            foreign, english = without_markup(foreign), without_markup(english)
            if not foreign or not english or foreign == english or (language, foreign, english) in seen:
                continue
            if len(english) > 1500 or not re.search(r"[A-Za-z]{2}", english):
                continue
            seen.add((language, foreign, english))
            counts[language] += 1
            files[language].write(f"{name}\t{foreign}\t{english}\n")
        print(name, counts, flush=True)


main()
