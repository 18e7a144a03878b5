"""Fits models/message-questions.bin: a map of rank 32 that is added to a question's vector.

    python3 message-questions.py VECTORS OUT [SET LEFT OUT]

VECTORS comes from message-questions.ts. Needs jax (PyPI). The loss is the negative log of the share of the answers' sentences in a softmax over
all sentences of the conversation, cosine / .05, plus the square of the map's numbers × .02.
"""
import json, sys
import jax, jax.numpy as jnp, numpy as np

folder, out, *left = sys.argv[1:]
vectors = np.fromfile(f"{folder}/vectors.f32", np.float32).reshape(-1, 384)
batches, at = [], 0
for store in json.load(open(f"{folder}/stores.json")):
    notes, answers = np.array(store["notes"]), store["answers"]
    rows, asked = vectors[at : at + len(notes)], vectors[at + len(notes) : at + len(notes) + len(answers)]
    at += len(notes) + len(answers)
    right = np.array([np.isin(notes, own) for own in answers])
    if store["set"] not in left:
        batches += [[jnp.array(x) for x in (rows, asked[i : i + 64], right[i : i + 64])] for i in range(0, len(asked), 64)]


def loss(maps, rows, asked, right):
    moved = asked + asked @ maps[0] @ maps[1].T
    scores = moved / jnp.linalg.norm(moved, axis=1, keepdims=True) @ rows.T / 0.05
    found = jax.nn.logsumexp(jnp.where(right, scores, -1e9), axis=1)
    return (jax.nn.logsumexp(scores, axis=1) - found).mean() + 0.02 * ((maps[0] @ maps[1].T) ** 2).sum()


slope = jax.jit(jax.grad(loss))
rng = np.random.default_rng(1)
maps = [jnp.array(rng.normal(0, 0.02, (384, 32)), jnp.float32) for _ in range(2)]
mean, square, step = [jnp.zeros((384, 32))] * 2, [jnp.zeros((384, 32))] * 2, 0
for _ in range(8):
    for k in rng.permutation(len(batches)):
        step += 1
        for i, g in enumerate(slope(maps, *batches[k])):
            mean[i], square[i] = 0.9 * mean[i] + 0.1 * g, 0.99 * square[i] + 0.01 * g**2
            maps[i] -= 2e-3 * (mean[i] / (1 - 0.9**step)) / (jnp.sqrt(square[i] / (1 - 0.99**step)) + 1e-8)
maps = [np.array(each) for each in maps]
scales = [np.abs(each).max() / 127 for each in maps]
with open(out, "wb") as file:
    file.write(np.array(scales, np.float32).tobytes())
    for each, scale in zip(maps, scales):
        file.write(np.round(each / scale).astype(np.int8).tobytes())
