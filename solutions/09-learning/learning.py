# %% [markdown]
# # 09 · What heads learn
#
# **Time:** about 140 minutes, in eight parts of 10 to 20 minutes and a written question.
# **You need:** NumPy indexing, `reshape` and `@`; what attention with several heads computes. No GPU. torch for the
# experiments, which are not graded: without it they are left out.
# **Beside it:** chapter 09 of the book, *What heads learn*. Everything that you need is also said here.
#
# A layer with eight heads can look at eight places in eight ways. Does it? People who looked into trained models found
# heads that always look at the token before, heads that rest on the first token, and *induction heads*, which find
# where the present token came before and read what came next. But a map with a pattern in it can deceive, and so can a
# single training run. In this notebook you write the instruments: a loss that counts what can be known, scores for
# three kinds of heads, ablation, and a fair comparison of models. Then you turn them on models that are trained while
# you wait, in less than two minutes in all.
#
# <!-- how it works -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

from manyheads import reference
from manyheads.grading import check

# %% [markdown]
# **Shapes** are written with these names throughout, and batch always comes first:
#
# | name | meaning |
# |---|---|
# | `batch` | sequences handled at once |
# | `seq` | tokens in each sequence; each is a query, and each is a key |
# | `heads`, `n_heads` | heads of a layer |
# | `head_dim` | numbers in one query, key or result of a head |
# | `d_model` | numbers for each token between the layers |
# | `vocabulary` | how many different tokens there are |
#
# An *attention map* is the weights of one head for one sequence, `(seq, seq)`. **Row `i` belongs to query `i`, column
# `j` to key `j`**, and `weights[b, h, i, j]` says how much query `i` takes from token `j`. Everything here is *causal*:
# query `i` sees the keys 0 to `i`, so the weights right of the diagonal are 0, and every row sums to 1. Counting starts
# at 0.
#
# The next cell trains the model for the experiments. It has two layers of attention with two heads each and nothing
# else, and learns sequences that begin to repeat themselves after a while. In training, only the tokens that can be
# known count: those after the first of the repeat. Where torch is missing there is no `pair`, and the cells below that
# look at it do nothing. Else `pair` holds, for fresh sequences whose second half repeats the first:
#
# | name | what it is |
# |---|---|
# | `pair.tokens` | integers (batch, seq) |
# | `pair.first` | where the repeated half begins |
# | `pair.logits` | (batch, seq, vocabulary), of the trained model |
# | `pair.maps`, `pair.untrained_maps` | (layers, batch, heads, seq, seq), after training and before it |
# | `pair.loss(layer, head)` | the loss with one head replaced by 0; with -1 and -1, of the whole model |
# | `pair.n_layers`, `pair.n_heads` | 2 and 2 |

# %%
from manyheads import studies

pair = studies.induction(seed=0) if studies.wanted() else None  # some seconds

# %% [markdown]
# ## 1 · The loss on the copied part
#
# *15 minutes. You need: logarithms and exponentials, slices.*
#
# A language model gives, at each position, one number for every token of the vocabulary, its *logits*: a prediction
# of the token that comes next. So **row `i` of the logits predicts token `i + 1`**. The softmax of a row makes
# probabilities of it, and the loss of one prediction is minus the natural logarithm of the probability that the token
# had which really came:
#
# $$\text{loss} = \log \sum_v e^{z_v} - z_t$$
#
# with the logits $z$ of that row and the token $t$. Its unit is the *nat*. In a sequence of random tokens that are
# then repeated, nobody can predict the first part, and how a model does there says nothing about copying. So only
# the tokens at positions `first` to `seq - 1` count: return the mean of their losses over all sequences, one number.
# Row `first - 1` predicts the first of them; the last row predicts nothing that we have.
#
# By hand: two tokens in the vocabulary, one sequence `[0, 1, 1]`, and the rows have the probabilities (1/2, 1/2),
# (3/4, 1/4) and (1/2, 1/2). Row 0 predicts token 1 with 1/2, row 1 predicts token 2 with 1/4. With `first` 1 the loss
# is (log 2 + log 4) / 2 = 1.0397, with `first` 2 it is log 4 = 1.3863. Row 2 is not used.
#
# <!-- contract: copying-loss -->
#
# Logits may be large. The exponential of a number beyond 709 is infinite, and that of one below -745 is 0 (in float32
# beyond 88 and below -103). But the loss does not change if the same number is taken away from all logits of a row,
# such as the largest of them: from those that are summed *and* from that of the token. And a probability that is too
# small for a float has a logarithm all the same: do not compute the probability on the way.


# %% nbgrader={"solution": true}
def copying_loss(logits, tokens, first):
    """Mean cross-entropy, in nats, of the tokens at positions first and later; one number."""
    ### BEGIN SOLUTION
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:]
    shifted = used - used.max(axis=-1, keepdims=True)
    log_sums = np.log(np.exp(shifted).sum(axis=-1))
    own = np.take_along_axis(shifted, wanted[:, :, None], -1).squeeze(-1)
    return float((log_sums - own).mean())
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("copying-loss", copying_loss, aspect="values")

# %% nbgrader={"grade": true}
check("copying-loss", copying_loss, aspect="large logits")

# %% [markdown]
# **Try it** on the trained model. The token at `pair.first` itself is the start of the repeat, and cannot be known yet:
# only from the one after it can the model tell where it is. Guessing among 32 tokens costs log 32 = 3.47. Before you
# run the cell: which of its three losses is the largest?

# %%
if pair is not None:
    print("from the second repeated token on", round(float(copying_loss(pair.logits, pair.tokens, pair.first + 1)), 3))
    print("from the first repeated token on ", round(float(copying_loss(pair.logits, pair.tokens, pair.first)), 3))
    print("over the whole sequence          ", round(float(copying_loss(pair.logits, pair.tokens, 1)), 3))

# %% [markdown]
# Over the whole sequence the model does worse than guessing. It learnt only what can be known, and nobody taught it to
# be unsure: in the first half it is sure, and wrong. One token alone that cannot be known, the first of the repeat,
# makes the second loss so much larger than the first. That is why a loss has to say which tokens it counts.

# %% [markdown]
# ## 2 · A map for each head
#
# *20 minutes. You need: `@` on arrays with four axes, and what a softmax is.*
#
# A map is made of queries and keys; values have no part in it. Queries for all heads are `x @ w_q`, keys are
# `x @ w_k`, both `(batch, seq, n_heads * head_dim)`. The heads lie side by side in the columns: head `h` owns the
# `head_dim` columns from `h * head_dim` on. For each head and each query, the *scores* are its products with all keys,
# divided by the square root of `head_dim`. A query must not see later tokens: their scores become minus infinity. The
# softmax over the keys makes weights of the scores.
#
# By hand: one sequence with the tokens `[0]` and `[1]`, so that `d_model` is 1; two heads of width 4. `w_q` holds eight
# ones, so query 1 is four ones in each head, and query 0 four zeros. `w_k` holds four zeros for head 0, and four times
# (log 3) / 2 for head 1. The keys of head 0 are all 0: its scores are 0, and query 1 spreads its weight evenly, 1/2
# and 1/2. In head 1, key 1 has the product 4 · (log 3) / 2 with query 1; divided by the square root of 4 that is log 3.
# Key 0 has 0. So the weights of query 1 are 1/4 and 3/4. Query 0 sees itself only, with weight 1.
#
# <!-- contract: causal-attention-maps -->
#
# The result has the dtype of the arguments. In NumPy 2, `np.sqrt` of a whole number is a float64, which makes float32
# arrays float64; `head_dim ** 0.5` does not.


# %% nbgrader={"solution": true}
def causal_attention_maps(x, w_q, w_k, n_heads):
    """The causal attention weights of every head; (batch, n_heads, seq, seq)."""
    ### BEGIN SOLUTION
    q = reference.split_heads(x @ w_q, n_heads)
    k = reference.split_heads(x @ w_k, n_heads)
    *_, seq, head_dim = q.shape
    scores = q @ k.swapaxes(-1, -2) / head_dim**0.5
    scores = np.where(reference.causal_mask(seq, seq), scores, -np.inf)
    return reference.softmax(scores)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("causal-attention-maps", causal_attention_maps, aspect="values")

# %% nbgrader={"grade": true}
check("causal-attention-maps", causal_attention_maps, aspect="float32")

# %% [markdown]
# **Try it.** Below are four heads that nobody has trained: six random tokens, random weights. Print their last rows.
# They differ, as any random rows do. So a difference between heads alone does not show that they have learnt
# anything. With torch and matplotlib you also see the maps of the trained pair of layers: one sequence, one row for
# each layer.

# %%
rng = np.random.default_rng(0)
untrained = causal_attention_maps(
    rng.standard_normal((1, 6, 64)), *rng.standard_normal((2, 64, 64)) / 8, n_heads=4
)  # fmt: skip
print(untrained[0, :, -1].round(2))

# %%
if pair is not None:
    try:
        from IPython.display import display

        from manyheads import plots

        display(plots.attention_maps(pair.untrained_maps, title="before training"))
        display(plots.attention_maps(pair.maps, title="after training"))
    except ImportError as error:
        print(f"The maps are not drawn: {error}")

# %% [markdown]
# ## 3 · Heads that look at the token before
#
# *10 minutes. You need: a diagonal of a matrix.*
#
# The simplest job of a head is to bring along the token before. How much does a head do it? Take the weight of query
# `i` on token `i - 1`, and average it over the queries and over all sequences of the batch. Query 0 has no token
# before it and is left out: the mean is over queries 1 to `seq - 1`. There is one score for each head, between 0 and 1.
#
# By hand: one sequence, one head, three tokens. The rows are `[1, 0, 0]`, `[0.75, 0.25, 0]` and `[0.25, 0.5, 0.25]`.
# Query 1 gives 0.75 to token 0, query 2 gives 0.5 to token 1. The score is their mean, 0.625.
#
# <!-- contract: previous-token-score -->
#
# The result has the dtype of the weights.


# %% nbgrader={"solution": true}
def previous_token_score(weights):
    """The mean weight on the token before, for each head; (heads,)."""
    ### BEGIN SOLUTION
    before = np.diagonal(weights, offset=-1, axis1=2, axis2=3)  # (batch, heads, seq - 1)
    return before.mean(axis=2).mean(axis=0)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("previous-token-score", previous_token_score, aspect="values")

# %% nbgrader={"grade": true}
check("previous-token-score", previous_token_score, aspect="float32")

# %% [markdown]
# **Try it.** In which layer is there a head that looks back by one, and was it there before training?

# %%
if pair is not None:
    for name, maps in (("before training", pair.untrained_maps), ("after training", pair.maps)):
        for layer in range(pair.n_layers):
            print(name, "layer", layer, previous_token_score(maps[layer]).round(3))

# %% [markdown]
# ## 4 · Heads that rest on the first token
#
# *10 minutes. You need: slices.*
#
# The weights of a query sum to 1, even if there is nothing to look for. Many trained models then put most of their
# weight on the very first token, which every query can see; it is called an *attention sink* (Xiao and others 2023). To
# find such heads, take the weight of query `i` on token 0 and average it over the queries and over all sequences of
# the batch. Query 0 sees nothing else, so its weight is 1 in any head: it is left out, and the mean is over queries
# 1 to `seq - 1`.
#
# By hand: with the rows `[1, 0, 0]`, `[0.75, 0.25, 0]` and `[0.25, 0.5, 0.25]`, queries 1 and 2 give 0.75 and 0.25 to
# token 0. The score is 0.5.
#
# <!-- contract: first-token-score -->
#
# The result has the dtype of the weights.


# %% nbgrader={"solution": true}
def first_token_score(weights):
    """The mean weight on token 0, for each head; (heads,)."""
    ### BEGIN SOLUTION
    resting = weights[:, :, 1:, 0]  # (batch, heads, seq - 1): query 0 has no choice
    return resting.mean(axis=2).mean(axis=0)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("first-token-score", first_token_score, aspect="values")

# %% nbgrader={"grade": true}
check("first-token-score", first_token_score, aspect="float32")

# %% [markdown]
# **Try it.** Do not expect a sink here: they are found in larger models, trained on text. A head that spreads its
# weight evenly has a score, too. What is it for 32 tokens?

# %%
if pair is not None:
    for layer in range(pair.n_layers):
        print("layer", layer, first_token_score(pair.maps[layer]).round(3))
    even = np.tri(32) / np.arange(1, 33)[:, None]
    print("evenly spread", first_token_score(even[None, None]).round(3))

# %% [markdown]
# ## 5 · Heads that continue what came before
#
# *20 minutes. You need: loops, or comparing an array with itself.*
#
# In "… Ada Lovelace … Ada", a good guess for the next token is what followed "Ada" the last time. An *induction head*
# does this: at query `i` it looks at the token *after* the last earlier place of the same token. For each query `i`,
# let `p` be the **latest** place before `i` with `tokens[p] == tokens[i]`. The weight that counts is that of query `i`
# on key `p + 1`.
#
# - A query whose token did not come before, in its own sequence, is left out.
# - The score is the mean over all queries that are left, of all sequences together: add up, count, and divide once.
#   It is not a mean of the sequences' means.
# - Where a token follows itself, `p` is `i - 1`, and the key `p + 1` is the query's own place `i`. It counts like any
#   other.
# - If no query of any sequence has an earlier place, the score of every head is 0.
#
# By hand: one sequence with the tokens `[5, 8, 5, 8]`, and one head. Queries 0 and 1 are left out. Query 2 finds its 5
# at place 0, so its weight on key 1 counts; query 3 finds its 8 at place 1, and its weight on key 2 counts. If row 2 is
# `[0.125, 0.75, 0.125, 0]` and row 3 is `[0.125, 0.125, 0.25, 0.5]`, the score is (0.75 + 0.25) / 2 = 0.5. If the last
# token is a 6 instead, query 3 is left out too, and the score is 0.75.
#
# <!-- contract: induction-score -->
#
# The result has the dtype of the weights. Loops are fine. If NumPy says that an index is out of bounds, look at your
# `p`: it has to be a place of this very sequence, and one *before* `i`. So look `p` up first and note the query's own
# place afterwards, and begin each sequence with nothing noted.


# %% nbgrader={"solution": true}
def induction_score(weights, tokens):
    """The mean weight on what came after the same token last time, for each head; (heads,)."""
    ### BEGIN SOLUTION
    total = np.zeros(weights.shape[1], weights.dtype)
    count = 0
    for b, row in enumerate(tokens):
        last_seen = {}  # of this sequence: token -> place
        for i, token in enumerate(row):
            if token in last_seen:
                total += weights[b, :, i, last_seen[token] + 1]
                count += 1
            last_seen[token] = i
    return total / count if count else total
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("induction-score", induction_score, aspect="values")

# %% nbgrader={"grade": true}
check("induction-score", induction_score, aspect="twice in a row")

# %% nbgrader={"grade": true}
check("induction-score", induction_score, aspect="no repeats")

# %% nbgrader={"grade": true}
check("induction-score", induction_score, aspect="float32")

# %% [markdown]
# **Try it.** Find the induction heads. In which layer are they? Compare with part 3.

# %%
if pair is not None:
    for name, maps in (("before training", pair.untrained_maps), ("after training", pair.maps)):
        for layer in range(pair.n_layers):
            print(name, "layer", layer, induction_score(maps[layer], pair.tokens).round(3))

# %% [markdown]
# ## 6 · Taking heads away
#
# *20 minutes. You need: what `W_O` does with the results of the heads.*
#
# A head may look at something and nobody use what it brings. To know, take it away and see what the model loses. This
# is called *ablation*. The results of the heads of a layer are `(batch, n_heads, seq, head_dim)`. For each token they
# are laid side by side, head 0 first, and multiplied with `W_O`, `(n_heads * head_dim, d_model)`. To take a head away,
# replace what it gives before that:
#
# - `"zero"`: by 0, for every sequence and token;
# - `"mean"`: by the mean of what it gave, over all sequences and tokens: one vector of `head_dim` numbers, the same
#   everywhere. Each ablated head has a mean of its own. So the head says nothing about *this* token any more, and the
#   next layer still gets numbers of the usual size.
#
# The other heads stay as they are. `ablated` may name several heads, in any order, or none.
#
# By hand: one sequence of two tokens, two heads of width 1. Head 0 gives 1 and 3, head 1 gives 10 and 20, and `w_o` is
# `[[1], [100]]`. With all heads, the output is 1 + 1000 = 1001 and 3 + 2000 = 2003. With head 0 replaced by 0 it is
# 1000 and 2000. The mean of head 0 is 2: replaced by that, it is 1002 and 2002.
#
# <!-- contract: ablate-heads -->
#
# The arrays belong to the caller: change a copy of `heads`, and leave `heads` as it is. The result has the dtype of
# the arguments.


# %% nbgrader={"solution": true}
def ablate_heads(heads, w_o, ablated, how):
    """The layer's output with some heads replaced by 0 or by their mean; (batch, seq, d_model)."""
    ### BEGIN SOLUTION
    kept = np.array(heads)  # a copy: heads stays as it is
    for h in ablated:
        if how == "zero":
            kept[:, h] = 0
        else:
            kept[:, h] = heads[:, h].reshape(-1, heads.shape[3]).mean(axis=0)
    return reference.combine_heads(kept) @ w_o
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("ablate-heads", ablate_heads, aspect="zero")

# %% nbgrader={"grade": true}
check("ablate-heads", ablate_heads, aspect="mean")

# %% nbgrader={"grade": true}
check("ablate-heads", ablate_heads, aspect="float32")

# %% [markdown]
# ## 7 · The most needed head
#
# *15 minutes. You need: two loops, or indexing.*
#
# Now for a whole model. You get a function: `loss(layer, head)` is the loss of the model in which this one head is
# ablated, and `loss(-1, -1)` is the loss of the whole model. Find the head without which the loss is **largest**, and
# return its layer, its head, and the *increase*: the loss without it minus the loss of the whole model. That is a
# difference, in nats, with its sign. No two heads have the same loss.
#
# Some heads do harm: without them the loss falls, and their increase is negative. Such a head is not needed, however
# large the fall. It may even be that all increases are negative; then the largest of them, the one nearest to 0,
# counts.
#
# Each call runs the model over all its data. So ask for each head **once**, and for the whole model once; one aspect
# looks at the calls.
#
# By hand: two layers of two heads. The whole model has the loss 2. Without heads 0 and 1 of layer 0 it is 2.25 and 1.5,
# without those of layer 1 it is 2 and 2.125. The increases are 0.25, -0.5, 0 and 0.125. The answer is layer 0, head 0,
# 0.25, though the change by -0.5 is larger.
#
# <!-- contract: most-needed-head -->


# %% nbgrader={"solution": true}
def most_needed_head(loss, n_layers, n_heads):
    """The layer and head whose ablation raises the loss most, and by how much."""
    ### BEGIN SOLUTION
    losses = np.array([[loss(layer, head) for head in range(n_heads)] for layer in range(n_layers)])
    layer, head = divmod(int(losses.argmax()), n_heads)
    return layer, head, float(losses[layer, head]) - loss(-1, -1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("most-needed-head", most_needed_head, aspect="values")

# %% nbgrader={"grade": true}
check("most-needed-head", most_needed_head, aspect="every ablation helps")

# %% nbgrader={"grade": true}
check("most-needed-head", most_needed_head, aspect="calls")

# %% [markdown]
# **Try it.** Which head does the trained pair of layers need most? Is it one that had a high induction score? A key in
# the first layer knows its own token and place, but not what stands before it. Think about what the heads of the second
# layer could find if no head below told each token that. And both heads of the second layer had a high induction score:
# why does the loss rise so little without either one of them?

# %%
if pair is not None:
    print("whole model", round(pair.loss(-1, -1), 3))
    for layer, head in np.ndindex(pair.n_layers, pair.n_heads):
        print("without layer", layer, "head", head, round(pair.loss(layer, head), 3))
    print(most_needed_head(pair.loss, pair.n_layers, pair.n_heads))

# %% [markdown]
# ## 8 · Helped, stopped helping, or hurt
#
# *20 minutes. You need: mean and standard deviation.*
#
# Do more heads help? One training run for each number of heads cannot tell: with another seed, the random numbers at
# the start, the order may be another. So train each number of heads with several seeds, the same seeds for all. You
# get a function: `train(n_heads, seed)` trains a model and returns its final loss. Call it **once** for each number of
# heads with each seed; one aspect looks at the calls.
#
# Return two arrays. `means` has the mean loss over the seeds, for each number of heads. `verdicts` has one whole number
# for each step, from `head_counts[i]` to `head_counts[i + 1]`:
#
# - For each seed, take the difference of the losses, *before minus after*: positive if the loss fell.
# - Let $\bar d$ be the mean of these differences, $s$ their standard deviation with `ddof=1`, and $S$ the number of
#   seeds. The *standard error* of the mean is $s / \sqrt{S}$.
# - If $|\bar d| > 2 s / \sqrt{S}$, the step counts: the verdict is 1 if $\bar d$ is positive (more heads helped) and -1
#   if it is negative (they hurt). Else it is 0: nobody can tell.
#
# A seed that makes a task hard makes it hard for both numbers of heads, and the difference for that seed does not show
# it. That is why the differences are taken first, seed by seed.
#
# By hand: three seeds. One head has the losses 6, 4 and 5, two heads have 5, 3.1 and 3.9, four heads 5.1, 3 and 3.9.
# The means are 5, 4 and 4. From one head to two, the differences are 1, 0.9 and 1.1: mean 1, standard deviation 0.1,
# standard error 0.1 / 1.73 = 0.058. 1 is more than 0.116: verdict 1. From two to four they are -0.1, 0.1 and 0: mean
# 0, verdict 0. Had you compared the two groups as they are, whose losses spread by 1, you could not have told either.
#
# <!-- contract: compare-head-counts -->


# %% nbgrader={"solution": true}
def compare_head_counts(train, head_counts, seeds):
    """Mean loss of each number of heads, and for each step 1 (helped), -1 (hurt) or 0 (cannot be told)."""
    ### BEGIN SOLUTION
    losses = np.array([[train(n_heads, seed) for seed in seeds] for n_heads in head_counts])
    fell = losses[:-1] - losses[1:]  # for each step, seed by seed
    mean = fell.mean(axis=1)
    error = fell.std(axis=1, ddof=1) / len(seeds) ** 0.5
    verdicts = np.sign(mean) * (abs(mean) > 2 * error)
    return losses.mean(axis=1), verdicts.astype(int)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("compare-head-counts", compare_head_counts, aspect="values")

# %% nbgrader={"grade": true}
check("compare-head-counts", compare_head_counts, aspect="calls")

# %% [markdown]
# **Try it**, in about half a minute. `studies.copying(n_heads, seed)` trains a model with one layer and `d_model` 64.
# At each token it has to say which tokens stood one, two, three and four places before. Before you run the cell: from
# where on do you expect more heads to stop helping? Guessing among 16 tokens costs log 16 = 2.77.

# %%
if studies.wanted():
    head_counts = [1, 2, 4, 8, 16]
    means, verdicts = compare_head_counts(studies.copying, head_counts, [0, 1, 2])
    for n_heads, mean, verdict in zip(head_counts, means, [None, *verdicts], strict=True):
        said = {None: "", 1: "helped", 0: "cannot be told", -1: "hurt"}[verdict]
        print(f"{n_heads:2} heads  {mean:.3f} nats  {said}")

# %% [markdown]
# The task asks for four places, and with four heads each can look at one of them. What comes after that is no law, but
# what three seeds show on this task. "Cannot be told" is not "there is no difference": ever smaller losses leave less
# and less to tell.
#
# Three heads are not in the list, and here is why. `head_dim` is `d_model / n_heads`, and 3 does not divide 64.

# %%
from manyheads import AttentionConfig

try:
    AttentionConfig(d_model=64, n_heads=3)
except ValueError as error:
    print(error)

# %% [markdown]
# ## 9 · In your own words
#
# *10 minutes. You need: parts 3 to 7 read. 4 points, given by a person.*
#
# A colleague looks at one head of a model. In its maps there is a clear line on the diagonal just below the main one.
# "It is a previous-token head," she says, "the model needs it, and the others have jobs too: all eight heads of this
# layer have different maps, so each has learnt something of its own." Then she ablates the head, and the loss rises by
# 0.001. In at most 200 words:
#
# - (a) Which of her three claims does the line support, and which does the ablation speak against (1 point)?
# - (b) Why do different maps not show that heads have learnt jobs, and with what would you compare them (1 point)?
# - (c) In a model with *one* layer, why can a head not do what an induction head does, and what does the head below
#   contribute in a model with two (2 points)?

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-what-maps-prove"}
# ### BEGIN SOLUTION
# **An answer.** (a) The line shows where the head looks: it does attend to the token before. It does not show that
# anything uses what the head brings. The ablation speaks against "the model needs it": without the head the loss hardly
# changes. (Another head may do the same, so that it is not missed; it is this one head that is not needed.)
#
# (b) Random weights give every head another map before any training. So a difference alone is no sign of learning. I
# would compare with the same model before training, and with a score that says what a head does, over many sequences,
# rather than look at one map.
#
# (c) At query i the head has to find the place p where the same token came before, and read p + 1. But a key in the
# first layer is made of its own token and position only: the key at p + 1 does not know that token p is the one
# looked for. With two layers, a head below looks at the token before, and writes into p + 1 which token stood at p. The
# head above looks for a key that says "before me stood this token", finds p + 1, and copies its token.
#
# **Rubric (4 points).**
#
# - 1 point: the line supports where the head looks, and the ablation speaks against the need (or: for redundancy).
# - 1 point: maps differ already with random weights; compare with the untrained model, or with scores over many
#   sequences.
# - 1 point: in one layer the key at p + 1 knows only its own token (and place), and so cannot be found by what stands
#   before it.
# - 1 point: the head below, a previous-token head, writes the token before into each place; the head above finds it.
# ### END SOLUTION
