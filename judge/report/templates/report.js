"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { items, cases, titles, deciders, redacted } = data;
  const PAGE = 50;
  const RIGHT = ["correct", "semantic_match", "true_negative", "grounded_refusal"];
  const byId = (id) => document.getElementById(id);

  // All values are untrusted: they enter the page as text nodes only.
  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "class") node.className = value;
      else if (value !== null && value !== undefined) node.setAttribute(key, value);
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined && child !== "") node.append(child);
    }
    return node;
  }
  const bdi = (text) => el("bdi", {}, String(text));
  // a long name breaks after a dot or an underscore, not within a word
  const named = (text) => el("bdi", {}, String(text).split(/(?<=[._])/).flatMap((part, n) => (n ? [el("wbr"), part] : [part])));
  const badge = (outcome) => el("span", { class: "badge b-" + outcome }, titles[outcome] || outcome);
  const cut = (x) => (Math.floor(Math.abs(x) * 1000 + 1e-9) / 1000).toFixed(3);
  const figure = (score, bounds) =>
    score !== null && score !== undefined ? cut(score) : bounds[0] === bounds[1] ? "–" : cut(bounds[0]) + " to " + cut(bounds[1]);

  // ---- one list with pages -------------------------------------------------------------------------------------
  function pagedList(list, pager, render) {
    let entries = [];
    let page = 0;
    function show(moveFocus) {
      const pages = Math.max(1, Math.ceil(entries.length / PAGE));
      page = Math.min(Math.max(0, page), pages - 1);
      list.replaceChildren(...entries.slice(page * PAGE, (page + 1) * PAGE).map(render));
      const button = (text, step, disabled) => {
        const b = el("button", { type: "button" }, text);
        b.disabled = disabled;
        b.addEventListener("click", () => { page += step; show(true); });
        return b;
      };
      pager.replaceChildren();
      if (pages > 1) pager.append(button("Previous", -1, page === 0), el("span", {}, `Page ${page + 1} of ${pages}`), button("Next", 1, page === pages - 1));
      if (moveFocus) { list.scrollIntoView({ block: "start" }); const first = list.querySelector("button"); if (first) first.focus({ preventScroll: true }); }
    }
    return {
      all(next) { list.replaceChildren(...next.map(render)); pager.replaceChildren(); },
      again() { show(false); },
      set(next) { entries = next; page = 0; show(false); },
      reveal(entry) { const at = entries.indexOf(entry); if (at < 0) return false; page = Math.floor(at / PAGE); show(false); return true; },
    };
  }

  // ---- items ---------------------------------------------------------------------------------------------------
  const itemList = pagedList(byId("item-list"), byId("item-pager"), itemRow);
  const filterOf = {
    outcome: (i) => i.o, capability: (i) => cases[i.c].cap, field: (i) => i.f, document: (i) => i.doc, rule: (i) => i.r, decider: (i) => i.by, case: (i) => cases[i.c].id,
  };
  const nameOf = { outcome: (v) => titles[v] || v, capability: (v) => data.capabilities[v] || v, decider: (v) => deciders[v] || v };
  const selects = [...document.querySelectorAll("[data-filter]")];
  let onlyCase = null;
  let shown = items;
  let isFiltered = false;

  for (const select of selects) {
    const name = select.dataset.filter;
    const counts = new Map();
    for (const item of items) { const v = filterOf[name](item); if (v) counts.set(v, (counts.get(v) || 0) + 1); }
    const order = name === "outcome" ? data.order.filter((o) => counts.has(o)) : [...counts.keys()].sort();
    for (const v of order) select.append(el("option", { value: v }, `${(nameOf[name] || ((x) => x))(v).slice(0, 90)} (${counts.get(v)})`));
    select.addEventListener("change", filter);
  }
  const text = byId("f-text");
  let haystacks = null;
  let timer = 0;
  text.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
  byId("filters").addEventListener("submit", (e) => e.preventDefault());
  byId("f-clear").addEventListener("click", clear);

  function clear() { for (const s of selects) s.value = ""; text.value = ""; onlyCase = null; filter(); }

  // ---- order: as in the batch until a heading is pressed; again for the other way round, a third time for the batch's order ----------
  const collator = new Intl.Collator("en", { numeric: true });
  const headings = [
    ["Outcome", "c-outcome", (a, b) => data.order.indexOf(a.o) - data.order.indexOf(b.o)],
    ["Case", "c-case", (a, b) => collator.compare(cases[a.c].id, cases[b.c].id)],
    ["Item", "c-item", (a, b) => collator.compare(a.i, b.i)],
    ["Reason", "why", (a, b) => collator.compare(a.why, b.why)],
    ["Score", "c-score num", (a, b) => a.b[0] - b.b[0] || a.b[1] - b.b[1]],
    ["Decided by", "c-by", (a, b) => collator.compare(deciders[a.by] || a.by, deciders[b.by] || b.by)],
  ];
  let order = null; // [index of the heading, 1 or -1]
  const sortButtons = headings.map(([name, kind], at) => {
    const button = el("button", { type: "button", class: kind, "aria-pressed": "false" }, name);
    button.addEventListener("click", () => {
      order = !order || order[0] !== at ? [at, 1] : order[1] === 1 ? [at, -1] : null;
      sortButtons.forEach((b, n) => {
        const way = order && order[0] === n ? order[1] : 0;
        b.setAttribute("aria-pressed", String(way !== 0));
        b.textContent = headings[n][0] + (way ? (way > 0 ? " ↑" : " ↓") : "");
        if (way) b.setAttribute("aria-label", `${headings[n][0]}, sorted ${way > 0 ? "upwards" : "downwards"}`); else b.removeAttribute("aria-label");
      });
      filter();
    });
    return button;
  });
  byId("item-head").append(...sortButtons);
  const inOrder = (found) => (order ? [...found].sort((a, b) => order[1] * headings[order[0]][2](a, b) || a.n - b.n) : found);

  function filter() {
    const wanted = selects.filter((s) => s.value).map((s) => [filterOf[s.dataset.filter], s.value]);
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !haystacks) haystacks = items.map((i) => [cases[i.c].id, i.i, i.t, i.rep, i.gold, i.why, i.r, i.fi.map((f) => f[0]).join(" ")].join("\n").toLowerCase());
    const found = inOrder(items.filter((item, n) =>
      (onlyCase === null || item.c === onlyCase) && wanted.every(([get, v]) => get(item) === v) && words.every((w) => haystacks[n].includes(w))));
    shown = found;
    isFiltered = found.length < items.length;
    byId("item-count").textContent = `${found.length.toLocaleString("en")} of ${items.length.toLocaleString("en")} items` + (onlyCase === null ? "" : ` (case ${cases[onlyCase].id})`) + ".";
    itemList.set(found);
  }

  // ---- paper: everything that is not right, or what the filters leave, and how much is left out ----------------
  const PAPER = 3000;
  let before = null;
  window.addEventListener("beforeprint", () => {
    if (before) return;
    before = [byId("item-count").textContent, byId("case-count").textContent];
    const wanted = isFiltered ? shown : items.filter((i) => !RIGHT.includes(i.o));
    itemList.all(wanted.slice(0, PAPER));
    const rest = items.length - wanted.length;
    const kind = isFiltered ? "items that the filters leave" : "items that are not right";
    const close = items.filter((i) => i.o === "semantic_match").length;
    const allRight = ", all of them right" + (close ? ` (${close} as semantic matches)` : "");
    byId("item-count").textContent = `Printed: ${Math.min(PAPER, wanted.length)} of ${wanted.length} ${kind}. Left out: ${rest + Math.max(0, wanted.length - PAPER)} of ${items.length} items${isFiltered ? "" : wanted.length > PAPER ? "" : allRight}.`;
    caseList.all(cases.slice(0, PAPER));
    byId("case-count").textContent = `Printed: ${Math.min(PAPER, cases.length)} of ${cases.length} cases.`;
  });
  window.addEventListener("afterprint", () => {
    if (!before) return;
    [byId("item-count").textContent, byId("case-count").textContent] = before;
    before = null;
    itemList.again();
    caseList.again();
  });

  function itemRow(item) {
    const button = el("button", { type: "button", class: "row item-row", "aria-expanded": "false", id: "row-" + item.n },
      el("span", { class: "c-outcome" }, badge(item.o)), el("span", { class: "c-case" }, bdi(cases[item.c].id)),
      el("span", { class: "c-item" }, named(item.t && !item.i.includes(item.t) ? `${item.i} (${item.t})` : item.i)),
      el("span", { class: "why" }, bdi(item.why)), el("span", { class: "num c-score" }, figure(item.s, item.b)), el("span", { class: "c-by" }, deciders[item.by] || item.by));
    const row = el("li", { id: "item-" + item.n }, button);
    button.addEventListener("click", () => toggle(row, button, item));
    row.addEventListener("keydown", (e) => {
      if (e.key === "Escape" && button.getAttribute("aria-expanded") === "true") { toggle(row, button, item); button.focus(); }
    });
    return row;
  }

  function toggle(row, button, item) {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) { row.lastChild.remove(); button.removeAttribute("aria-controls"); return; }
    const detail = itemDetail(item);
    detail.id = "detail-" + item.n;
    button.setAttribute("aria-controls", detail.id);
    row.append(detail);
    for (const sheet of detail.querySelectorAll(".sheet")) scrollToHit(sheet);
  }

  byId("item-list").addEventListener("keydown", (e) => {
    if (!e.target.classList.contains("row") || (e.key !== "ArrowDown" && e.key !== "ArrowUp")) return;
    const rows = [...byId("item-list").querySelectorAll(".row")];
    const next = rows[rows.indexOf(e.target) + (e.key === "ArrowDown" ? 1 : -1)];
    if (next) { e.preventDefault(); next.focus(); }
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { e.preventDefault(); text.focus(); }
  });

  // ---- an opened item ------------------------------------------------------------------------------------------
  const block = (title, ...nodes) => [el("h3", {}, title), ...nodes];
  const box = (value, none) => el("div", { class: "box" }, value ? bdi(value) : el("em", {}, none));

  function itemDetail(item) {
    const facts = el("div", {},
      el("div", { class: "two" }, el("div", {}, block("Reported", box(item.rep, "nothing"))), el("div", {}, block("Gold", box(item.gold, "nothing")))),
      item.qu ? block("Question", box(item.qu, "")) : null,
      item.no ? block("What the standard asks for", el("p", {}, item.no)) : null,
      item.pt ? block("What is open", el("p", {}, item.pt)) : null,
      block("Decision", el("p", {}, badge(item.o), " ", bdi(item.why)),
        item.me ? el("p", { class: "small" }, `${titles[item.o]}: ${item.me}.`) : null,
        el("p", {}, `${item.by === "human" ? "" : `Rule: standard ${item.r}. `}Decided by: ${deciders[item.by] || item.by}${item.who ? ", " : ""}`, item.who ? bdi(item.who) : "",
          `. Weight ${item.w}. Score ${figure(item.s, item.b)}.`, item.open ? ` Open: ${item.open}.` : "")),
      item.di ? block("Dimension scores", el("ul", {}, item.di.map((line) => el("li", {}, line)))) : null,
      item.dis.length ? block("What people say of it", el("ul", {}, item.dis.map((text) => el("li", {}, bdi(text))))) : null,
      item.x ? block("Accepted exception", el("p", {}, bdi(`${item.x[0]}: ${item.x[1]} (until ${item.x[2]})`))) : null,
      item.conf !== null && item.conf !== undefined ? block("Confidence reported", el("p", {}, String(item.conf))) : null,
      item.md.length ? block("Given along with it, judged by nobody", el("ul", {}, item.md.map(([key, text]) => el("li", {}, bdi(`${key}: ${text}`))))) : null,
      item.fi.length ? block("Findings", el("ul", { class: "codes" }, item.fi.map(([code, detail]) => el("li", {}, code.replace("HITL", "HUMAN_REVIEW").replaceAll("_", " ").toLowerCase(), " ", el("code", {}, code), detail ? " " : "", detail ? bdi(detail) : "")))) : null,
      item.j ? judged(item) : null);
    const citations = item.p.filter((p) => p.o !== "not_required");
    const views = el("div", {}, citations.length ? citations.map((p, n) => citation(p, n, citations.length)) : el("p", { class: "small" }, "This item needs no provenance."));
    return el("div", { class: "detail" + (views.querySelector(".beside") ? " solo" : ""), role: "group", "aria-label": "Details of " + item.i }, facts, views);
  }

  function judged(item) {
    const j = item.j;
    return block(`Judge${item.rub ? ": " + item.rub : ""}`,
      el("p", {}, el("strong", {}, (j.v || "no verdict").replaceAll("_", " ")), j.m ? " by " : "", j.m ? bdi(j.m) : "", j.c !== null && j.c !== undefined ? `, confidence ${cut(j.c)}` : ""),
      j.e ? el("p", {}, el("strong", {}, "Evidence: "), bdi(j.e)) : null, j.r ? el("p", {}, el("strong", {}, "Reasoning: "), bdi(j.r)) : null,
      j.votes.length ? el("ul", { class: "codes" }, j.votes.map(([who, v]) => el("li", {}, bdi(who), ": ", bdi(v)))) : null);
  }

  function citation(p, n, total) {
    const [doc, page, section, quote] = p.cl;
    const cited = [doc, page && "page " + page, section].filter(Boolean).join(", ");
    const stands = [p.d && p.d !== doc ? p.d : "", p.pf.length ? "page " + p.pf.join(", ") : "", p.sf.join(", ")].filter(Boolean).join(", ");
    const parts = [["quote", p.q], ["page", p.p], ["section", p.sec]].filter((x) => x[1]).map((x) => `${x[0]} ${x[1].replaceAll("_", " ")}`).join(", ");
    const out = el("div", {},
      block(total > 1 ? `Citation ${n + 1} of ${total}` : "Citation",
        el("p", {}, el("span", { class: "badge " + (p.ok ? "r-pass" : "") }, p.o.replaceAll("_", " ")), parts ? ` ${parts}` : "", p.m !== null && p.m !== undefined && p.m < 100 ? `, match ${Math.floor(p.m)} of 100` : ""),
        cited ? el("p", {}, "Cited: ", bdi(cited)) : null, stands ? el("p", {}, p.q === "not_found" ? "Nearest passage: " : "Stands at: ", bdi(stands)) : null));
    if (quote) out.append(el("div", { class: "box quote" }, bdi(quote)));
    if (p.diff) {
      out.append(...block(`Against the ${p.q === "not_found" ? "nearest passage" : "document"} (struck: only in the quote; underlined: only in the document)`,
        el("div", { class: "box quote changes" }, p.diff.map(([op, t]) => (op === "=" ? bdi(t + " ") : el(op === "-" ? "del" : "ins", {}, bdi(t), " "))))));
    } else if (p.ctx) {
      out.append(...block("In the document", el("div", { class: "box quote" }, bdi(p.ctx[0]), el("mark", {}, bdi(p.ctx[1])), bdi(p.ctx[2]))));
    }
    if (p.views && p.views.length) out.append(el("div", { class: "views" + (p.views.length > 1 ? " beside" : "") }, p.views.map((v) => sheet(v, p.q === "not_found"))));
    else if (p.d || doc) out.append(el("p", { class: "small" }, redacted ? "" : /\.docx$/i.test(p.d || doc) ? "No page image: a Word document has no pages." : "No page image here: the document was not at hand when the report was built, or the image budget went to worse outcomes."));
    return out;
  }

  function sheet(view, isNearest) {
    const leaf = data.pages[view.img];
    const image = el("img", { alt: `Page ${leaf.page} of ${leaf.doc}`, src: "data:image/png;base64," + JSON.parse(byId("page-" + view.img).textContent), width: leaf.w, height: leaf.h });
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", `0 0 ${leaf.pw} ${leaf.ph}`);
    svg.setAttribute("aria-hidden", "true");
    for (const [kind, x, y, w, h] of view.rects) {
      const rect = document.createElementNS(ns, "rect");
      for (const [k, v] of Object.entries({ class: kind, x, y, width: w, height: h })) rect.setAttribute(k, v);
      svg.append(rect);
    }
    const frame = el("div", { class: "sheet", tabindex: "0", role: "region", "aria-label": `Page ${leaf.page} of ${leaf.doc}` }, el("div", { class: "leaf" }, image, svg));
    const button = el("button", { type: "button", class: "plain", "aria-pressed": "false" }, "Whole page");
    button.addEventListener("click", () => button.setAttribute("aria-pressed", String(frame.classList.toggle("large"))));
    const role = view.role === "both" ? `Cited page, ${isNearest ? "nearest passage" : "quote"} highlighted` : view.role === "cited" ? "Cited page" : isNearest ? "Nearest passage" : "Where it stands";
    return el("figure", {}, el("figcaption", {}, el("strong", {}, role), `: page ${leaf.page}, `, bdi(leaf.doc), " ", button), frame);
  }

  function scrollToHit(frame) {
    const image = frame.querySelector("img");
    const hit = frame.querySelector("rect");
    if (!hit) return;
    const go = () => { const box = hit.getBoundingClientRect(); frame.scrollTop += box.top - frame.getBoundingClientRect().top - frame.clientHeight / 3; };
    if (image.complete) go(); else image.addEventListener("load", go, { once: true });
  }

  // ---- cases ---------------------------------------------------------------------------------------------------
  const caseList = pagedList(byId("case-list"), byId("case-pager"), caseRow);
  const caseSearch = byId("case-search");
  const caseOrder = byId("case-order");
  caseSearch.addEventListener("input", showCases);
  caseOrder.addEventListener("change", showCases);

  function showCases() {
    const word = caseSearch.value.toLowerCase();
    let found = cases.filter((c) => c.id.toLowerCase().includes(word));
    if (caseOrder.value === "worst") found = [...found].sort((a, b) => a.b[0] - b.b[0] || a.b[1] - b.b[1]);
    byId("case-count").textContent = `${found.length.toLocaleString("en")} of ${cases.length.toLocaleString("en")} cases. A case shows its items below.`;
    caseList.set(found);
  }

  function caseRow(c) {
    const counts = data.order.filter((o) => c.o[o]);
    const words = counts.map((o) => `${c.o[o]} ${titles[o].toLowerCase()}`).join(", ");
    const button = el("button", { type: "button", class: "row case-row" },
      el("span", {}, bdi(c.id), c.h ? " " : "", c.h ? badge("hallucination") : ""), el("span", {}, data.capabilities[c.cap] || c.cap), el("span", { class: "num" }, figure(c.s, c.b)), el("span", { class: "why" }, c.co ? bdi(`${words}. ${c.co}`) : words));
    button.addEventListener("click", () => {
      for (const s of selects) s.value = "";
      text.value = "";
      onlyCase = cases.indexOf(c);
      filter();
      byId("items").scrollIntoView();
      const first = byId("item-list").querySelector("button");
      if (first) first.focus({ preventScroll: true });
    });
    return el("li", {}, button);
  }

  // ---- links to one item ---------------------------------------------------------------------------------------
  const byNumber = new Map(items.map((i) => [i.n, i]));
  function openItem(n) {
    const item = byNumber.get(n);
    if (!item) return;
    clear();
    itemList.reveal(item);
    const button = byId("row-" + n);
    if (button.getAttribute("aria-expanded") === "false") button.click();
    button.scrollIntoView({ block: "start" });
    button.focus({ preventScroll: true });
  }
  document.addEventListener("click", (e) => {
    const gate = e.target.closest(".to-items");
    if (gate) {
      clear();
      const [name, value] = gate.dataset.set.split("=");
      for (const s of selects) if (s.dataset.filter === name) s.value = value;
      filter();
    }
    const link = e.target.closest(".to-item");
    if (link) { e.preventDefault(); history.replaceState(null, "", "#item-" + link.dataset.item); openItem(Number(link.dataset.item)); }
  });

  showCases();
  filter();
  const target = /^#item-(\d+)$/.exec(location.hash);
  if (target) openItem(Number(target[1]));
  window.addEventListener("hashchange", () => { const at = /^#item-(\d+)$/.exec(location.hash); if (at) openItem(Number(at[1])); });
  document.documentElement.dataset.ready = "true";
})();
