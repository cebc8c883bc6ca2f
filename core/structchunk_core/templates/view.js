"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const state = { document: 0, compare: false, tree: true, column: 0, chosen: -1, query: "", kinds: new Set(), rules: new Set() };
  let columns = [];
  let units = [];

  // Everything that is shown comes in as text: nothing of a document is ever read as markup.
  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  const count = (number) => number.toLocaleString("en");
  const isBroken = (rule) => data.rules[rule][2] > 0;
  const current = () => data.documents[state.document];
  const brokenIn = (split) =>
    Object.entries(split.counts).reduce((sum, [rule, number]) => sum + (isBroken(rule) ? number : 0), 0);
  const kindOf = (chunk) => chunk.element || "chunk";

  function showDocument() {
    const shown = current();
    state.chosen = -1;
    state.column = 0;
    byId("document").value = String(state.document);
    byId("toggle-compare").hidden = shown.splits.length < 2;
    if (shown.splits.length < 2) state.compare = false;
    showFacts(shown);
    showTree(shown);
    showColumns(shown);
    showChips(shown);
    filter();
    showDetails();
  }

  function showFacts(shown) {
    const split = shown.splits[0];
    const broken = brokenIn(split);
    const facts = [
      ["format", shown.format],
      ["chunks", count(split.chunks.length)],
      ["fill", `${Math.round(split.fill * 100)}% of ${count(data.chunkSize)} ${data.unit}`],
      ["broken", count(broken), broken ? "bad" : "good"],
    ];
    byId("facts").replaceChildren(
      ...facts.map(([name, value, className]) => {
        const row = make("div");
        row.append(make("dt", "", name), make("dd", className || "", value));
        return row;
      }),
    );
  }

  function showTree(shown) {
    units = shown.units.map(([depth, kind, label, line, position]) => {
      const button = make("button");
      button.type = "button";
      button.style.setProperty("--depth", depth);
      button.title = `${kind}, line ${line}`;
      button.append(make("span", "kind", kind.replaceAll("_", " ")), make("span", "label", label));
      button.addEventListener("click", () => chooseAt(position));
      return { button, position };
    });
    byId("tree").replaceChildren(...units.map((unit) => unit.button));
  }

  function showColumns(shown) {
    const splits = state.compare ? shown.splits.slice(0, 2) : shown.splits.slice(0, 1);
    columns = splits.map((split, number) => {
      const element = make("section", "column");
      element.setAttribute("aria-label", `Chunks of ${split.name}`);
      const heading = make("h2", "", split.name);
      const broken = brokenIn(split);
      heading.append(
        make("small", "", `${count(split.chunks.length)} chunks, ${Math.round(split.fill * 100)}% filled`),
        make("small", broken ? "bad" : "good", broken ? `${count(broken)} broken` : "nothing broken"),
      );
      element.append(heading);
      const cards = split.chunks.map((chunk, index) => card(chunk, index, number));
      const lost = split.lost.map((one) => lostBlock(one));
      place(element, split, cards, lost);
      return { element, split, cards, lost };
    });
    byId("columns").replaceChildren(...columns.map((column) => column.element));
  }

  function place(element, split, cards, lost) {
    let next = 0;
    const pieces = [];
    split.chunks.forEach((chunk, index) => {
      while (next < lost.length && chunk.start >= 0 && split.lost[next].start < chunk.start) pieces.push(lost[next++]);
      pieces.push(cards[index].element);
    });
    element.append(...pieces, ...lost.slice(next));
  }

  function lostBlock(one) {
    const element = make("div", "lost");
    element.append(`in no chunk, line ${count(one.line)}`, make("pre", "", one.text));
    return element;
  }

  function card(chunk, index, column) {
    const element = make("article", `chunk h${index % 6}`);
    element.tabIndex = -1;
    const head = make("header");
    const meter = make("span", "meter", count(chunk.size));
    const bar = make("i");
    const level = make("b");
    level.style.transform = `scaleX(${Math.min(1, chunk.size / data.chunkSize)})`;
    bar.append(level);
    meter.prepend(bar);
    meter.title = `${count(chunk.size)} of ${count(data.chunkSize)} ${data.unit}`;
    head.append(make("span", "number", String(index + 1)));
    if (chunk.kind) head.append(make("span", "name", name(chunk)));
    if (chunk.start >= 0) head.append(make("span", "place", lines(chunk)));
    for (const rule of new Set(chunk.findings.map((finding) => finding[0]))) {
      head.append(make("span", isBroken(rule) ? "badge" : "badge note", rule));
    }
    head.append(meter);
    const body = make("pre", current().isCode ? "code" : "");
    element.append(head, body);
    element.addEventListener("click", () => choose(column, index, false));
    const shown = { element, body, chunk, searched: "", visible: true };
    fill(shown, "");
    return shown;
  }

  function name(chunk) {
    const path = chunk.path && chunk.path.length ? chunk.path.join(" › ") : chunk.kind.replaceAll("_", " ");
    return chunk.part ? `${path} (part ${chunk.part})` : path;
  }
  const lines = (chunk) =>
    chunk.lines[0] === chunk.lines[1] ? `line ${count(chunk.lines[0])}` : `lines ${count(chunk.lines[0])}–${count(chunk.lines[1])}`;

  function fill(shown, query) {
    const { chunk, body } = shown;
    const parts = [];
    if (chunk.context) parts.push(piece("context", `${chunk.context}\n`, query));
    if (chunk.before) parts.push(piece("added", chunk.before, query));
    parts.push(piece("", chunk.text, query));
    if (chunk.after) parts.push(piece("added", chunk.after, query));
    body.replaceChildren(...parts);
    shown.searched = query;
  }

  function piece(className, text, query) {
    const element = make("span", className);
    if (!query) {
      element.textContent = text;
      return element;
    }
    const lower = text.toLowerCase();
    let position = 0;
    for (let found = lower.length === text.length ? lower.indexOf(query) : -1; found >= 0; found = lower.indexOf(query, position)) {
      element.append(text.slice(position, found), make("mark", "", text.slice(found, found + query.length)));
      position = found + query.length;
    }
    element.append(text.slice(position));
    return element;
  }

  function showChips(shown) {
    const kinds = new Map();
    const rules = new Map();
    shown.splits.forEach((split, number) => {
      if (number && !state.compare) return;
      for (const chunk of split.chunks) {
        if (!number) kinds.set(kindOf(chunk), (kinds.get(kindOf(chunk)) || 0) + 1);
        for (const [rule] of chunk.findings) rules.set(rule, (rules.get(rule) || 0) + 1);
      }
    });
    for (const [chosen, known] of [[state.kinds, kinds], [state.rules, rules]])
      for (const one of chosen) if (!known.has(one)) chosen.delete(one);
    chips("kinds", kinds, state.kinds, () => "");
    const order = Object.keys(data.rules);
    const sorted = new Map([...rules].sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0])));
    chips("rules", sorted, state.rules, (rule) => (isBroken(rule) ? "bad" : "note"));
  }

  function chips(id, counted, chosen, className) {
    byId(id).replaceChildren(
      ...[...counted].map(([key, number]) => {
        const button = make("button", className(key), key.replaceAll("_", " "));
        button.type = "button";
        button.dataset.key = key;
        if (data.rules[key]) button.title = data.rules[key][0];
        button.append(make("span", "", count(number)));
        button.setAttribute("aria-pressed", String(chosen.has(key)));
        button.addEventListener("click", () => {
          if (!chosen.delete(key)) chosen.add(key);
          button.setAttribute("aria-pressed", String(chosen.has(key)));
          filter();
        });
        return button;
      }),
    );
  }

  function filter() {
    const query = state.query.toLowerCase();
    const isFiltered = Boolean(query || state.kinds.size || state.rules.size);
    let total = 0;
    let matching = 0;
    columns.forEach((column, number) => {
      for (const one of column.cards) {
        const { chunk } = one;
        const visible =
          (number > 0 || !state.kinds.size || state.kinds.has(kindOf(chunk))) &&
          (!state.rules.size || chunk.findings.some(([rule]) => state.rules.has(rule))) &&
          (!query || searched(chunk).includes(query));
        if (visible !== one.visible) {
          one.visible = visible;
          one.element.hidden = !visible;
        }
        const marked = visible ? query : "";
        if (one.searched !== marked) fill(one, marked);
        if (!number) {
          total += 1;
          matching += visible;
        }
      }
      for (const element of column.lost) element.hidden = isFiltered;
    });
    byId("matches").textContent = isFiltered ? `${count(matching)} of ${count(total)} chunks` : "";
  }

  function searched(chunk) {
    if (chunk.lower === undefined) {
      const all = [chunk.context, chunk.before, chunk.text, chunk.after, (chunk.path || []).join(" ")];
      chunk.lower = all.filter(Boolean).join("\n").toLowerCase();
    }
    return chunk.lower;
  }

  function choose(number, index, scroll) {
    const column = columns[number];
    if (!column || !column.cards[index]) return;
    for (const one of byId("columns").querySelectorAll(".chosen, .related")) {
      one.classList.remove("chosen", "related");
      one.removeAttribute("aria-current");
    }
    state.column = number;
    state.chosen = index;
    const { element, chunk } = column.cards[index];
    element.classList.add("chosen");
    element.setAttribute("aria-current", "true");
    if (scroll) {
      column.element.classList.add("jump");
      element.scrollIntoView({ block: "nearest" });
      column.element.classList.remove("jump");
    }
    element.focus({ preventScroll: true });
    if (chunk.start >= 0) relate(number, chunk);
    showPlace(chunk);
    showDetails();
  }

  function relate(number, chunk) {
    const { element } = columns[number].cards[state.chosen];
    columns.forEach((column, other) => {
      if (other === number) return;
      const near = column.cards.filter((one) => overlaps(one.chunk, chunk));
      for (const one of near) one.element.classList.add("related");
      const first = near.find((one) => one.visible);
      if (first) alignWith(element, first.element, column.element, 4);
    });
  }

  // Cards out of sight have only about their height: what comes into sight moves, so once more.
  function alignWith(element, first, column, times) {
    column.classList.add("jump");
    column.scrollTop += first.getBoundingClientRect().top - element.getBoundingClientRect().top;
    column.classList.remove("jump");
    if (times) requestAnimationFrame(() => alignWith(element, first, column, times - 1));
  }

  function showPlace(chunk) {
    let here = null;
    for (const unit of units) {
      unit.button.classList.remove("here");
      if (chunk.start >= 0 && unit.position <= chunk.start) here = unit;
    }
    if (!here) return;
    here.button.classList.add("here");
    if (state.tree) here.button.scrollIntoView({ block: "nearest" });
  }

  function chooseAt(position) {
    const { cards } = columns[0];
    let best = cards.findIndex(({ chunk }) => chunk.start <= position && position < chunk.end);
    if (best < 0) best = cards.findIndex(({ chunk }) => chunk.start >= position);
    if (best >= 0) choose(0, best, true);
  }

  function step(direction, wanted) {
    const column = columns[state.column];
    if (!column) return;
    let index = state.chosen + direction;
    if (state.chosen < 0) index = direction > 0 ? 0 : column.cards.length - 1;
    while (column.cards[index] && !(column.cards[index].visible && wanted(column.cards[index].chunk))) index += direction;
    if (column.cards[index]) choose(state.column, index, true);
  }

  function showDetails() {
    const details = byId("details");
    const column = columns[state.column];
    const shown = column && column.cards[state.chosen];
    if (!shown) {
      details.replaceChildren(overview(), make("p", "empty", "Choose a chunk, or press j."));
      return;
    }
    const { chunk } = shown;
    const parts = [
      make("h3", "", chunk.kind ? name(chunk) : `Chunk ${state.chosen + 1}`),
      make("p", "sub", `chunk ${count(state.chosen + 1)} of ${count(column.cards.length)}, ${column.split.name}`),
      make("h4", "", "Findings"),
    ];
    if (!chunk.findings.length) parts.push(make("p", "clean", "Nothing is broken here."));
    parts.push(...chunk.findings.map((finding) => told(finding)));
    parts.push(...besides(chunk));
    parts.push(make("h4", "", "Chunk"), rows(chunk));
    details.replaceChildren(...parts);
    details.scrollTop = 0;
  }

  function told([rule, line, message], where) {
    const one = make("div", isBroken(rule) ? "finding" : "finding note");
    if (where) one.append(make("p", "where", where));
    one.append(make("strong", "", rule), make("p", "", `line ${count(line)}: ${message}`), make("p", "loss", `Lost: ${data.rules[rule][1]}.`));
    return one;
  }

  function besides(chunk) {
    const parts = [];
    columns.forEach((column, number) => {
      if (number === state.column) return;
      parts.push(make("h4", "", `Beside it, ${column.split.name}`));
      const found = column.cards.flatMap((one, index) =>
        overlaps(one.chunk, chunk) ? one.chunk.findings.map((finding) => told(finding, `chunk ${count(index + 1)}`)) : [],
      );
      parts.push(...(found.length ? found : [make("p", "clean", "Nothing is broken there.")]));
    });
    return parts;
  }
  const overlaps = (one, other) => other.start >= 0 && one.start < other.end && one.end > other.start;

  function overview() {
    const box = make("div");
    current().splits.forEach((split) => {
      box.append(make("h4", "", split.name));
      const found = Object.keys(data.rules).filter((rule) => split.counts[rule]);
      if (!found.length) box.append(make("p", "clean", "No chunk breaks a rule."));
      const list = make("dl", "rows");
      for (const rule of found) list.append(make("dt", "", rule), make("dd", "", count(split.counts[rule])));
      box.append(list);
    });
    return box;
  }

  function rows(chunk) {
    const list = make("dl", "rows");
    const described = [
      ["size", `${count(chunk.size)} of ${count(data.chunkSize)} ${data.unit}`],
      ["lines", chunk.start < 0 ? "not found in the document" : lines(chunk).replace(/^lines? /, "")],
      ["characters", chunk.start < 0 ? "" : `${count(chunk.start)}–${count(chunk.end)}`],
      ["kind", chunk.kind ? chunk.kind.replaceAll("_", " ") : ""],
      ["content", chunk.element || ""],
      ["path", (chunk.path || []).join(" › ")],
      ["defines", (chunk.symbols || []).join(", ")],
      ["problems", (chunk.problems || []).join(", ")],
    ];
    for (const [term, value] of described) if (value) list.append(make("dt", "", term), make("dd", "", value));
    return list;
  }

  function toggle(key, id) {
    state[key] = !state[key];
    byId(id).setAttribute("aria-pressed", String(state[key]));
  }
  function toggleTree() {
    toggle("tree", "toggle-tree");
    byId("stage").classList.toggle("no-tree", !state.tree);
  }
  function toggleCompare() {
    if (current().splits.length < 2) return;
    toggle("compare", "toggle-compare");
    const { column, chosen } = state;
    showColumns(current());
    showChips(current());
    filter();
    state.column = 0;
    state.chosen = -1;
    if (chosen >= 0 && column === 0) choose(0, chosen, true);
    else showDetails();
  }
  function openDocument(number) {
    if (number < 0 || number >= data.documents.length) return;
    state.document = number;
    showDocument();
  }

  const keys = {
    j: () => step(1, () => true),
    k: () => step(-1, () => true),
    f: () => step(1, (chunk) => chunk.findings.length > 0),
    F: () => step(-1, (chunk) => chunk.findings.length > 0),
    u: toggleTree,
    c: toggleCompare,
    "[": () => openDocument(state.document - 1),
    "]": () => openDocument(state.document + 1),
    "/": () => byId("search").focus(),
    "?": () => byId("help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const search = byId("search");
    if (event.key === "Escape" && (state.query || document.activeElement === search)) {
      search.value = state.query = "";
      search.blur();
      filter();
      return;
    }
    if (["INPUT", "SELECT"].includes(document.activeElement.tagName) || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  let waiting = 0;
  byId("search").addEventListener("input", (event) => {
    state.query = event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(filter, 80);
  });
  byId("document").replaceChildren(
    ...data.documents.map((one, number) => {
      const option = make("option", "", one.path);
      option.value = String(number);
      return option;
    }),
  );
  byId("document").addEventListener("change", (event) => openDocument(Number(event.target.value)));
  byId("toggle-tree").addEventListener("click", toggleTree);
  byId("toggle-compare").addEventListener("click", toggleCompare);
  byId("show-help").addEventListener("click", () => byId("help").showModal());
  showDocument();
})();
