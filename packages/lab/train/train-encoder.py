"""Trains the student of models/encoder.bin: three layers of all-MiniLM-L6-v2, first on the teacher's vectors, then on pairs.

    python3 train-encoder.py --teacher DIR --data DIR --out DIR [--minutes1 40] [--minutes2 50] [--layers 1,3,5] [--threads 1]

DIR of the teacher has model.safetensors, config.json and vocab.txt; data comes from encoder-pairs.ts and encoder-ids.ts. Writes
model.safetensors for encoder-file.ts. Both phases end by the clock. Needs torch 2 (PyPI); an accelerator is used if torch sees one.
Every tenth repository is kept out and its pairs are ranked before, during and after.
"""
import argparse, json, math, os, shutil, struct, time
import torch
import torch.nn as nn
import torch.nn.functional as F

options = argparse.ArgumentParser()
options.add_argument("--teacher", required=True)
options.add_argument("--data", required=True)
options.add_argument("--out", required=True)
options.add_argument("--start", help="folder of an earlier student to go on from")
options.add_argument("--layers", default="1,3,5")
options.add_argument("--minutes1", type=float, default=40)
options.add_argument("--minutes2", type=float, default=50)
options.add_argument("--rate1", type=float, default=4e-4)
options.add_argument("--rate2", type=float, default=2e-4)
options.add_argument("--batch", type=int, default=128)
options.add_argument("--often", type=float, default=10, help="how often a question is drawn, an other pair once")
options.add_argument("--every", type=float, default=15, help="minutes between two judgements")
options.add_argument("--threads", type=int, default=1)
options.add_argument("--seed", type=int, default=1)
o = options.parse_args()
torch.manual_seed(o.seed)
torch.set_num_threads(o.threads)
device = "cuda" if torch.cuda.is_available() else "cpu"
began = time.time()
HIDDEN, INNER, HEADS, WORDS, PLACES = 384, 1536, 12, 30522, 512
half = lambda: torch.autocast(device, dtype=torch.bfloat16)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out, self.norm1 = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.LayerNorm(HIDDEN, 1e-12)
        self.up, self.down, self.norm2 = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN), nn.LayerNorm(HIDDEN, 1e-12)

    def forward(self, x, mask):
        texts, pieces, _ = x.shape
        q, k, v = self.qkv(x).reshape(texts, pieces, 3, HEADS, HIDDEN // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        x = self.norm1(x + self.out(seen.transpose(1, 2).reshape(x.shape)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    """A BERT; the vector of the first segment is part of the words."""

    def __init__(self, layers):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(WORDS, HIDDEN), nn.Embedding(PLACES, HIDDEN), nn.LayerNorm(HIDDEN, 1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids, real):
        """The unit vector of each text and the last vector of each piece."""
        x = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]])
        mask = ((~real)[:, None, None, :] * -1e4).expand(-1, 1, ids.shape[1], -1)
        for layer in self.layers:
            x = layer(x, mask)
        m, x = real[:, :, None].float(), x.float()
        return F.normalize((x * m).sum(1) / m.sum(1), dim=-1), x


def parts_of(layer, k):
    """The linear and norm parts of a layer with their names in a file of BERT; None where three are one here."""
    p = f"encoder.layer.{k}."
    return [
        (layer.out, p + "attention.output.dense"), (layer.norm1, p + "attention.output.LayerNorm"),
        (layer.up, p + "intermediate.dense"), (layer.down, p + "output.dense"), (layer.norm2, p + "output.LayerNorm"),
    ], [p + f"attention.self.{name}" for name in ("query", "key", "value")]


def load(folder, chosen):
    raw = open(f"{folder}/model.safetensors", "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8 : 8 + size])

    def tensor(name):
        start, end = head[name]["data_offsets"]
        return torch.frombuffer(bytearray(raw[8 + size + start : 8 + size + end]), dtype=torch.float32).reshape(head[name]["shape"])

    model = Encoder(len(chosen))
    with torch.no_grad():
        model.words.weight.copy_(tensor("embeddings.word_embeddings.weight") + tensor("embeddings.token_type_embeddings.weight")[0])
        model.places.weight.copy_(tensor("embeddings.position_embeddings.weight"))
        for kind in ("weight", "bias"):
            getattr(model.norm, kind).copy_(tensor(f"embeddings.LayerNorm.{kind}"))
            for layer, k in zip(model.layers, chosen):
                parts, three = parts_of(layer, k)
                for part, name in parts:
                    getattr(part, kind).copy_(tensor(f"{name}.{kind}"))
                getattr(layer.qkv, kind).copy_(torch.cat([tensor(f"{name}.{kind}") for name in three]))
    return model.to(device)


def save(model):
    tensors = {
        "embeddings.word_embeddings.weight": model.words.weight, "embeddings.position_embeddings.weight": model.places.weight,
        "embeddings.token_type_embeddings.weight": torch.zeros(2, HIDDEN),
    }
    for kind in ("weight", "bias"):
        tensors[f"embeddings.LayerNorm.{kind}"] = getattr(model.norm, kind)
        for k, layer in enumerate(model.layers):
            parts, three = parts_of(layer, k)
            tensors.update({f"{name}.{kind}": getattr(part, kind) for part, name in parts})
            tensors.update({f"{name}.{kind}": part for name, part in zip(three, getattr(layer.qkv, kind).chunk(3))})
    head, blobs, at = {}, [], 0
    for name, value in tensors.items():
        blob = value.detach().cpu().contiguous().numpy().tobytes()
        head[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    os.makedirs(o.out, exist_ok=True)
    with open(f"{o.out}/model.new", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))
    os.replace(f"{o.out}/model.new", f"{o.out}/model.safetensors")
    for name in ("vocab.txt", "config.json"):
        shutil.copy(f"{o.teacher}/{name}", o.out)


teacher = load(o.teacher, list(range(6))).eval()
student = load(o.start, range(len(o.layers.split(",")))) if o.start else load(o.teacher, [int(k) for k in o.layers.split(",")])

read = lambda name, kind: torch.frombuffer(bytearray(open(f"{o.data}/{name}", "rb").read()), dtype=kind)
pieces = read("ids.u16", torch.int16).to(torch.int32) & 0xFFFF
ends = read("ends.u32", torch.int32).long()
starts = torch.cat([torch.zeros(1, dtype=torch.long), ends[:-1]])
sizes = ends - starts
pairs = read("pairs.u32", torch.int32).long().reshape(-1, 4)  # left, right, kind, repository
names = json.load(open(f"{o.data}/names.json"))
IS_QUESTION = torch.tensor([kind.startswith("question") for kind in names["kinds"]])


def batch(rows):
    longest = int(sizes[rows].max())
    ids, real = torch.zeros(len(rows), longest, dtype=torch.long), torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, row in enumerate(rows.tolist()):
        size = int(sizes[row])
        ids[i, :size], real[i, :size] = pieces[starts[row] : ends[row]], True
    return ids.to(device), real.to(device)


def vectors(model, rows, size):
    """The vectors of texts, those of like length computed together, so that little is padding."""
    order = sizes[rows].argsort()
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order))
    return torch.cat([model(*batch(rows[order[i : i + size]]))[0] for i in range(0, len(rows), size)])[back.to(device)]


held = torch.tensor([i % 10 == 3 for i in range(len(names["repos"]))])
is_held = held[pairs[:, 3]]
train, judged = pairs[~is_held], pairs[is_held]
samples = [judged[judged[:, 2] == kind] for kind in range(len(names["kinds"]))]
judged = torch.cat([some[torch.randperm(len(some))[: 400 if IS_QUESTION[kind] else 150]] for kind, some in enumerate(samples)])


def judge(model, label):
    """Ranks the right text among all of its repository's that are judged."""
    model.eval()
    texts = torch.unique(judged[:, :2].reshape(-1))
    with torch.no_grad(), half():
        all_vectors = vectors(model, texts, 128).cpu()
    at = {int(text): i for i, text in enumerate(texts)}
    line = []
    for kind, name in enumerate(names["kinds"]):
        ranks = []
        mine = judged[judged[:, 2] == kind]
        for repo in mine[:, 3].unique().tolist():
            rivals = torch.unique(judged[judged[:, 3] == repo][:, 1])
            if len(rivals) < 10:
                continue
            right = all_vectors[[at[int(text)] for text in rivals]]
            for l, r in mine[mine[:, 3] == repo][:, :2].tolist():
                score = right @ all_vectors[at[l]]
                ranks.append(1 + int((score > score[(rivals == r).nonzero()[0, 0]]).sum()))
        t = torch.tensor(ranks).float()
        line.append(f"{name} {len(ranks)}: @1 {(t <= 1).float().mean():.3f} @10 {(t <= 10).float().mean():.3f} MRR {(1 / t).mean():.3f}")
    print(f"[{time.time() - began:.0f} s] {label}: " + " | ".join(line), flush=True)
    model.train()


def run(label, minutes, rate, loss_of):
    matrices = [p for p in student.parameters() if p.dim() > 1]
    rest = [p for p in student.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98))
    first = last = time.time()
    step, total = 0, 0.0
    student.train()
    while time.time() - first < minutes * 60:
        left = 1 - (time.time() - first) / (minutes * 60)
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 60) * max(0.02, left)
        with half():
            loss = loss_of()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimiser.step()
        total += float(loss)
        step += 1
        if step % 50 == 0:
            print(f"[{time.time() - began:.0f} s] {label} {step}: loss {total / 50:.4f}", flush=True)
            total = 0.0
        if time.time() - last > o.every * 60:
            save(student)
            judge(student, f"{label}, {step} steps")
            last = time.time()
    save(student)
    judge(student, f"{label}, all {step} steps")


texts = torch.unique(train[:, :2].reshape(-1))
texts = texts[sizes[texts].argsort()]


def distil():
    """The teacher's vectors of texts and of pieces, and how near the texts are to each other; 4,096 pieces of texts of like length."""
    at = int(torch.randint(0, max(1, len(texts) - 300), (1,)))
    rows = texts[at : at + max(24, min(256, 4096 // int(sizes[texts[at]])))]
    ids, real = batch(rows)
    with torch.no_grad():
        aim, aim_pieces = teacher(ids, real)
    got, got_pieces = student(ids, real)
    m = real[:, :, None].float()
    off = (((got_pieces - aim_pieces) ** 2) * m).sum() / m.sum() / aim_pieces[real].pow(2).sum(-1).mean()
    same = torch.eye(len(rows), dtype=torch.bool, device=device)
    near = F.log_softmax((got @ got.T / 0.05).masked_fill(same, -1e4), -1)
    aim_near = F.softmax((aim @ aim.T / 0.05).masked_fill(same, -1e4), -1)
    return 10 * (1 - (got * aim).sum(-1)).mean() + 3 * off + F.kl_div(near, aim_near, reduction="batchmean")


by_repo = [some for repo in train[:, 3].unique().tolist() if len(some := train[train[:, 3] == repo]) >= 40]
by_size = torch.tensor([math.sqrt(len(some)) * (2 if IS_QUESTION[some[:, 2]].any() else 1) for some in by_repo])
near_wrong = {}


def find_near_wrong():
    """For each question, texts of its repository that the student holds for near and that are not its own."""
    student.eval()
    for some in by_repo:
        asked = some[IS_QUESTION[some[:, 2]]]
        if len(asked) == 0:
            continue
        rights = torch.unique(some[:, 1])
        rights = rights[torch.randperm(len(rights))[:400]]
        with torch.no_grad(), half():
            score = vectors(student, asked[:, 0], 128) @ vectors(student, rights, 128).T
        own = {}
        for left, right in asked[:, :2].tolist():
            own.setdefault(left, set()).add(right)
        for left, row in zip(asked[:, 0].tolist(), score.float().argsort(1, descending=True)[:, 2:22].cpu()):
            near_wrong[left] = [right for right in rights[row].tolist() if right not in own[left]]
    student.train()


def contrast():
    """Pairs of two repositories, so that most rivals are of the same project, questions often; each question brings a near wrong text."""
    chosen = []
    for repo in torch.multinomial(by_size, 2).tolist():
        some = by_repo[repo]
        often = torch.where(IS_QUESTION[some[:, 2]], o.often, 1.0)
        chosen.append(some[torch.multinomial(often, min(o.batch // 2, len(some)))])
    p = torch.cat(chosen)
    wrong = [torch.tensor(near_wrong[left])[torch.randint(0, len(near_wrong[left]), (1,))] for left in p[:, 0].tolist() if near_wrong.get(left)]
    rights = torch.cat([p[:, 1], *wrong])
    score = vectors(student, p[:, 0], 32) @ vectors(student, rights, 32).T / 0.05
    same = p[:, 1][:, None] == rights[None, :]
    same[:, : len(p)] |= p[:, 0][:, None] == p[:, 0][None, :]
    same.fill_diagonal_(False)
    score = score.masked_fill(same.to(device), -1e4)
    aim = torch.arange(len(p), device=device)
    return F.cross_entropy(score, aim) + 0.3 * F.cross_entropy(score[:, : len(p)].T, aim)


judge(teacher, "teacher")
if o.start:
    judge(student, "start")
if o.minutes1 > 0:
    run("distil", o.minutes1, o.rate1, distil)
if o.minutes2 > 0:
    find_near_wrong()
    run("pairs", o.minutes2, o.rate2, contrast)
