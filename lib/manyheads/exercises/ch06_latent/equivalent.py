"""Mutants of right answers that do the same, with the reason."""

EQUIVALENT = {
    "latent-decode-step": {
        "There is one head to take: the first is the last.": [
            "solution: new_key = reference.apply_rotary(down[:, None, :, latent_rank:], [past])[:, 0]  =>  "
            "new_key = reference.apply_rotary(down[:, None, :, latent_rank:], [past])[:, -1]"
        ],
    },
    "latent-rank": {
        "The larger of two numbers, in either order.": ["solution: most = max(most, 0)  =>  most = max(0, most)"],
        "No loss is exactly 1 bit above MHA's: the rounding of ln 2 would decide, differently in each technique.": [
            "solution: within = losses - mha_loss <= np.log(2)  =>  within = losses - mha_loss < np.log(2)",
            "quotient and rest: good = ranks[(ranks <= most) & (losses <= mha_loss + np.log(2))]  =>  "
            "good = ranks[(ranks <= most) & (losses < mha_loss + np.log(2))]",
            "ranks counted: return (most, next((int(r) for r, b in zip(ranks, bits) if b <= 1 and r <= most), -1))"
            "  =>  "
            "return (most, next((int(r) for r, b in zip(ranks, bits) if b < 1 and r <= most), -1))",
            "the next number below: good = np.exp(losses - mha_loss) <= 2  =>  good = np.exp(losses - mha_loss) < 2",
            "the first good one: if mha_loss >= loss - np.log(2):  =>  if mha_loss > loss - np.log(2):",
        ],
    },
}
