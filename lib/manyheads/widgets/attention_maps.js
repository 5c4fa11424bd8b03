// Attention maps to walk over. Everything happens here: no kernel is needed, and nothing is asked of any host.
// A widget is one module, so Python puts attention_maps_numbers.js before this file: its functions are at hand.

// ---- Drawing ----

/** Square root, so that small weights can be seen. */
const strength = (weight) => Math.sqrt(weight);

function fill(context, map, colour, size) {
  const [width, height] = size;
  context.fillStyle = colour;
  // Edges on whole pixels: no seams between the cells.
  const x = (key) => Math.round((key * width) / map.kLen);
  const y = (query) => Math.round((query * height) / map.qLen);
  for (let query = 0; query < map.qLen; query += 1) {
    for (let key = 0; key < map.kLen; key += 1) {
      context.globalAlpha = strength(map.at(query, key));
      context.fillRect(x(key), y(query), x(key + 1) - x(key), y(query + 1) - y(query));
    }
  }
  context.globalAlpha = 1;
}

function hatch(context, map, ink, [width, height]) {
  context.save();
  context.beginPath();
  for (let query = 0; query < map.qLen; query += 1) {
    const first = Math.max(query + map.kLen - map.qLen + 1, 0);
    const left = (first * width) / map.kLen;
    const top = (query * height) / map.qLen;
    if (first < map.kLen) context.rect(left, top, width - left, height / map.qLen);
  }
  context.clip();
  context.beginPath();
  const step = 7 * (window.devicePixelRatio || 1);
  for (let x = -height; x < width; x += step) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.strokeStyle = ink;
  context.globalAlpha = 0.3;
  context.stroke();
  context.restore();
}

/** Give a canvas as many pixels as the screen has there; its context and size. */
function prepared(canvas) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  return [canvas.getContext("2d"), [canvas.width, canvas.height]];
}

// ---- The page ----

const HELP = "Choose a head above; point at the large map, or move over it with the arrow keys.";

function make(tag, properties = {}, ...children) {
  const { attributes = {}, ...rest } = properties;
  const element = Object.assign(document.createElement(tag), rest);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const clamped = (value, length) => Math.min(Math.max(value, 0), length - 1);

function render({ model, el }) {
  const sequences = model.get("sequences");
  const layers = readLayers(model.get("layers"), model.get("weights"), sequences);
  const allTokens = model.get("tokens");
  const colours = model.get("colours");
  const colourOf = (head) => colours[head % colours.length];
  const cursor = { query: 0, key: 0 };

  const chosen = () => {
    const layer = clamped(model.get("layer"), layers.length);
    const sequence = clamped(model.get("sequence"), sequences);
    const head = clamped(model.get("head"), layers[layer].heads);
    return { layer, head, sequence, map: mapOf(layers[layer], sequence, head), tokens: allTokens[sequence] };
  };

  // -- Elements --
  const select = make("select", {}, ...Array.from({ length: sequences }, (_, i) =>
    make("option", { value: String(i), textContent: String(i) })));
  const choice = make("label", { className: "mh-am-sequence", hidden: sequences < 2 }, "Sequence ", select);
  const thumbs = layers.map((layer) => Array.from({ length: layer.heads }, (_, h) =>
    make("button",
      {
        type: "button",
        className: "mh-am-thumb",
        attributes: { role: "radio", "aria-label": `${layer.name}, head ${h}` },
      },
      make("canvas", { attributes: { "aria-hidden": "true" } }),
      make("span", { textContent: `head ${h}` }))));
  const grid = make("div", { className: "mh-am-grid", attributes: { role: "radiogroup", "aria-label": "Heads" } },
    ...layers.map((layer, l) => make("div", { className: "mh-am-row" },
      make("div", { className: "mh-am-name", textContent: layer.name }), ...thumbs[l])));
  const heading = make("p", { className: "mh-am-heading" });
  const top = make("div", { className: "mh-am-top", attributes: { "aria-hidden": "true" } });
  const side = make("div", { className: "mh-am-side", attributes: { "aria-hidden": "true" } });
  const canvas = make("canvas");
  const mark = make("div", { className: "mh-am-mark" });
  const large = make("div",
    { className: "mh-am-large", tabIndex: 0, attributes: { role: "application", "aria-roledescription": "map" } },
    canvas, mark);
  const said = make("p", { className: "mh-am-said", attributes: { "aria-live": "polite" } });
  const scores = make("p", { className: "mh-am-scores" });
  const legend = make("p", { className: "mh-am-legend" });
  const summary = make("summary");
  const body = make("tbody");
  const head = make("thead", {}, make("tr", {},
    make("th", { textContent: "key", scope: "col" }), make("th", { textContent: "weight", scope: "col" })));
  const table = make("details", { className: "mh-am-table" }, summary, make("div", {}, make("table", {}, head, body)));
  const root = make("div", { className: "mh-am" }, choice, grid, heading,
    make("div", { className: "mh-am-big" }, top, side, large), said, scores, legend, table);
  el.append(root);

  // -- Showing --
  const drawThumbs = () => {
    const now = chosen();
    thumbs.forEach((row, l) => row.forEach((button, h) => {
      const map = mapOf(layers[l], now.sequence, h);
      const here = l === now.layer && h === now.head;
      button.setAttribute("aria-checked", String(here));
      button.tabIndex = here ? 0 : -1;
      button.style.setProperty("--mh-head", colourOf(h));
      const [context, size] = prepared(button.firstChild);
      fill(context, map, colourOf(h), size);
    }));
  };

  const label = (strip, texts, room) => {
    // As many as there is room for: one in so many.
    const step = Math.max(1, Math.ceil((11 * texts.length) / Math.max(room, 1)));
    strip.replaceChildren(...texts.map((text, i) =>
      make("span", {}, make("span", { textContent: i % step === 0 ? text : "" }))));
  };

  const drawLarge = () => {
    const { map, head, tokens } = chosen();
    large.style.aspectRatio = `${map.kLen} / ${Math.min(Math.max(map.qLen, 0.35 * map.kLen), 1.6 * map.kLen)}`;
    const [context, size] = prepared(canvas);
    fill(context, map, colourOf(head), size);
    if (map.causal) hatch(context, map, getComputedStyle(root).color, size);
    const texts = (count, first) => Array.from({ length: count }, (_, i) => tokens?.[i + first] ?? String(i));
    label(top, texts(map.kLen, 0), large.clientWidth);
    label(side, texts(map.qLen, map.kLen - map.qLen), large.clientHeight);
  };

  const showCursor = () => {
    const { map, tokens } = chosen();
    const { query, key } = cursor;
    mark.style.cssText = `left:${(100 * key) / map.kLen}%;top:${(100 * query) / map.qLen}%;` +
      `width:${100 / map.kLen}%;height:${100 / map.qLen}%`;
    const text = readOut(map, tokens, query, key);
    if (said.textContent !== text) said.textContent = text;
    summary.textContent = `The row of query ${query} as a table`;
    body.replaceChildren(...Array.from({ length: map.kLen }, (_, k) => make("tr", {},
      make("th", { textContent: named("", k, tokens?.[k]).trim(), scope: "row" }),
      make("td", { textContent: map.at(query, k).toFixed(3) }))));
    [...side.children].forEach((span, i) => span.classList.toggle("mh-am-here", i === query));
    [...top.children].forEach((span, i) => span.classList.toggle("mh-am-here", i === key));
  };

  const drawAll = () => {
    const { layer, head, map, sequence, tokens } = chosen();
    cursor.query = clamped(cursor.query, map.qLen);
    cursor.key = clamped(cursor.key, map.kLen);
    select.value = String(sequence);
    heading.textContent = `${layers[layer].name}, head ${head}`;
    large.setAttribute("aria-label", `${heading.textContent}: attention map; the arrow keys move over it`);
    scores.textContent = scoresInWords(map, tokens);
    const swatches = [0, 0.05, 0.25, 0.5, 1].flatMap((weight) => {
      const swatch = make("span", { className: "mh-am-swatch" }, make("span"));
      swatch.firstChild.style.cssText = `background:${colourOf(head)};opacity:${strength(weight)}`;
      return [swatch, ` ${weight}${weight < 1 ? ", " : ""}`];
    });
    const hatched = map.causal ? "; hatched: the future, masked." : ".";
    legend.replaceChildren(`${HELP} Rows are queries, columns are keys. Weight `, ...swatches, hatched);
    drawThumbs();
    drawLarge();
    showCursor();
  };

  // -- Choosing --
  const choose = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const startAtLargest = () => {
    const { map } = chosen();
    cursor.query = map.qLen - 1;
    cursor.key = largestKey(map, cursor.query);
  };
  select.addEventListener("change", () => choose({ sequence: Number(select.value) }));
  thumbs.forEach((row, l) => row.forEach((button, h) => {
    button.addEventListener("click", () => choose({ layer: l, head: h }));
  }));
  const keep = (event) => {
    event.preventDefault();
    event.stopPropagation(); // JupyterLab goes to another cell by the same keys
  };
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  grid.addEventListener("keydown", (event) => {
    if (!steps[event.key]) return;
    keep(event);
    const now = chosen();
    const layer = clamped(now.layer + steps[event.key][0], layers.length);
    const next = clamped(now.head + steps[event.key][1], layers[layer].heads);
    choose({ layer, head: next });
    thumbs[layer][next].focus();
  });
  large.addEventListener("keydown", (event) => {
    const { map } = chosen();
    if (steps[event.key]) {
      cursor.query = clamped(cursor.query + steps[event.key][0], map.qLen);
      cursor.key = clamped(cursor.key + steps[event.key][1], map.kLen);
    } else if (event.key === "Home") cursor.key = 0;
    else if (event.key === "End") cursor.key = map.kLen - 1;
    else return;
    keep(event);
    showCursor();
  });
  const point = (event) => {
    const { map } = chosen();
    const box = canvas.getBoundingClientRect();
    cursor.key = clamped(Math.floor(((event.clientX - box.left) / box.width) * map.kLen), map.kLen);
    cursor.query = clamped(Math.floor(((event.clientY - box.top) / box.height) * map.qLen), map.qLen);
    showCursor();
  };
  large.addEventListener("pointermove", point);
  large.addEventListener("pointerdown", point);

  // -- Following the page --
  for (const name of ["layer", "head", "sequence"]) model.on(`change:${name}`, drawAll);
  let width = 0;
  const resized = new ResizeObserver(() => {
    if (root.clientWidth === width) return; // drawing may change the height
    width = root.clientWidth;
    drawAll();
  });
  resized.observe(root);
  const themed = new MutationObserver(drawAll);
  themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class"] });
  themed.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  startAtLargest();
  drawAll();
  return () => {
    resized.disconnect();
    themed.disconnect();
  };
}

export default { render };
