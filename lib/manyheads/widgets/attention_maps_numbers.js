// Attention maps in numbers and in words: reading them, scores of a head, what a place says. No page is needed here.

/** The layers' weights as views of one array: [sequences, heads, q_len, k_len] each, in thousandths. */
export function readLayers(described, bytes, sequences) {
  // A copy: the bytes may start at an odd place of their buffer. WebAssembly and browsers are little-endian.
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const all = new Uint16Array(copy);
  let start = 0;
  return described.map(({ name, shape, causal }) => {
    const [heads, qLen, kLen] = shape;
    const size = sequences * heads * qLen * kLen;
    const layer = { name, causal, heads, qLen, kLen, numbers: all.subarray(start, start + size) };
    start += size;
    return layer;
  });
}

/** One head's map of one sequence: rows are queries. */
export function mapOf(layer, sequence, head) {
  const { heads, qLen, kLen, numbers, causal } = layer;
  const start = (sequence * heads + head) * qLen * kLen;
  return { qLen, kLen, causal, at: (query, key) => numbers[start + query * kLen + key] / 1000 };
}

/** Whether a key lies in a query's future: above the diagonal that ends in the lower right corner. */
export const isFuture = ({ qLen, kLen }, query, key) => key > query + kLen - qLen;

const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0);
const queriesFromOne = (map) => Array.from({ length: map.qLen - 1 }, (_, i) => i + 1);

/** Mean weight on the token before, over the queries from 1 on. */
export const previousTokenScore = (map) => mean(queriesFromOne(map).map((query) => map.at(query, query - 1)));

/** Mean weight on token 0, over the queries from 1 on. */
export const firstTokenScore = (map) => mean(queriesFromOne(map).map((query) => map.at(query, 0)));

/** Of all queries whose token came before, latest at p: mean weight on p + 1. null if no token repeats. */
export function inductionScore(map, tokens) {
  const latest = new Map();
  const weights = [];
  tokens.forEach((token, query) => {
    if (latest.has(token)) weights.push(map.at(query, latest.get(token) + 1));
    latest.set(token, query);
  });
  return weights.length ? mean(weights) : null;
}

/** The key with the largest weight of a query; the first of several. */
export function largestKey(map, query) {
  let best = 0;
  for (let key = 1; key < map.kLen; key += 1) if (map.at(query, key) > map.at(query, best)) best = key;
  return best;
}

const named = (kind, place, token) => (token === undefined ? `${kind} ${place}` : `${kind} ${place} ('${token}')`);

/** What a place of a map says. */
export function readOut(map, tokens, query, key) {
  const from = named("query", query, tokens?.[query + map.kLen - map.qLen]);
  const to = named("key", key, tokens?.[key]);
  const masked = map.causal && isFuture(map, query, key) ? " (the future, masked)" : "";
  return `${from} \u2192 ${to}: weight ${map.at(query, key).toFixed(3)}${masked}`;
}

/** What a head does, in numbers. */
export function scoresInWords(map, tokens) {
  if (map.qLen !== map.kLen) return "Scores need as many queries as keys.";
  if (map.qLen < 2) return "Scores need two tokens.";
  const said = [
    `previous token ${previousTokenScore(map).toFixed(3)}`,
    `first token ${firstTokenScore(map).toFixed(3)}`,
  ];
  if (tokens) {
    const induction = inductionScore(map, tokens);
    said.push(induction === null ? "induction: no token repeats" : `induction ${induction.toFixed(3)}`);
  }
  return `Mean weight in this sequence: ${said.join(", ")}.`;
}
