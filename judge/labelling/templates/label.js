"use strict";
(() => {
  const token = new URLSearchParams(location.search).get("token") || "";
  const byId = (id) => document.getElementById(id);
  let state = null;
  let picked = null;
  let busy = false;
  let place = { document: "", page: 1 };
  let opened = null; // the form that is filled in: { read() }
  const NAME = "loan-judge annotator";

  function el(tag, name, ...children) {
    const node = document.createElement(tag);
    if (name) node.className = name;
    node.append(...children.filter((c) => c !== null && c !== undefined));
    return node;
  }

  async function call(path, body) {
    const headers = { "X-Judge-Token": token };
    if (body) headers["Content-Type"] = "application/json";
    const reply = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
    const found = reply.headers.get("Content-Type").startsWith("application/json") ? await reply.json() : { error: await reply.text() };
    if (!reply.ok) throw new Error(found.error || "the server refused");
    return found;
  }

  async function act(path, body) {
    if (busy) return;
    busy = true;
    try { show(await call(path, body && { annotator: byId("annotator").value, ...body })); }
    catch (error) { const where = byId(state ? "error" : "refusal"); where.textContent = error instanceof TypeError ? "The server does not answer. Your last answer is safe if the next item came; start judge label again." : error.message; where.scrollIntoView({ block: "nearest" }); }
    finally { busy = false; }
  }

  const refresh = (task) => act("/api/state?" + new URLSearchParams({ annotator: byId("annotator").value, ...(task === undefined ? {} : { task }) }));
  byId("who").addEventListener("submit", (e) => { e.preventDefault(); remember(byId("annotator").value); byId("annotator").blur(); refresh(); });
  function remember(name) { if (byId("who").dataset.by === "token") return; try { localStorage.setItem(NAME, name); } catch { /* a browser that keeps nothing asks again */ } }
  function remembered() { try { return localStorage.getItem(NAME) || ""; } catch { return ""; } }

  function show(next) {
    state = next;
    picked = null;
    byId("error").textContent = byId("refusal").textContent = "";
    byId("intro").hidden = true;
    byId("me").hidden = false;
    byId("me").replaceChildren("You are ", el("strong", "", el("bdi", "", state.who)));
    byId("progress").max = Math.max(1, state.total);
    byId("progress").value = state.done;
    byId("count").textContent = `${state.done} of ${state.total} labelled` + (state.skipped ? `, ${state.skipped} skipped` : "");
    byId("ask").hidden = !state.task;
    byId("done").hidden = Boolean(state.task);
    byId("undo").disabled = byId("undo-last").disabled = !state.can_undo;
    showAgreement();
    showGiven();
    if (state.task) showTask(state.task);
    else { byId("document").hidden = true; byId("closing").textContent = state.closing || ""; byId("done-title").focus(); }
  }

  function showTask(task) {
    byId("case").replaceChildren(task.case.startsWith("case ") ? "Agreement of " : "Case ", el("bdi", "", task.case));
    byId("question").replaceChildren(el("bdi", "", task.question));
    const blocks = task.texts.map(([title, text]) => el("div", "", el("h2", "", title), el("div", "box", el("bdi", "", text))));
    const pair = task.texts.length > 1 && task.texts[0][0] === "Reported" && task.texts[1][0] === "Gold";
    byId("texts").replaceChildren(...(pair ? [el("div", "pair", ...blocks.splice(0, 2))] : []), ...blocks);
    for (const box of document.querySelectorAll(".box")) if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    byId("choices").replaceChildren(...task.choices.map((choice, n) => {
      const button = el("button", "", el("kbd", "", String(n + 1)), el("span", "", choice.title, choice.hint ? el("small", "", el("br"), choice.hint) : null));
      button.type = "button";
      button.addEventListener("click", () => choose(n));
      return button;
    }));
    closeForm();
    byId("point").textContent = task.point || "";
    const mine = state.mine;
    byId("note").value = drafts.get(draftKey()) ?? (mine ? mine.note : "");
    byId("note-label").replaceChildren(state.adjudication ? "Note: why (needed, " : "Note: why (optional, ", el("kbd", "", "n"), ")");
    byId("again").hidden = !mine;
    const before = mine && task.choices.find((c) => c.value === mine.choice);
    byId("again").textContent = mine ? `You answered this: ${before ? before.title : mine.choice}. A new answer replaces it; both stay in the label file.` : "";
    byId("others").hidden = !state.others.length;
    byId("others").replaceChildren(el("h2", "", "The answers so far"), ...state.others.map((x) => el("p", "", el("strong", "", el("bdi", "", x.annotator), ": "), x.answer, x.note ? ". " : "", el("bdi", "", x.note))));
    byId("barred").textContent = task.barred || "";
    byId("former").hidden = !state.former.length;
    byId("former").replaceChildren(el("h2", "", "Decided before, on another state of this item: it does not count now"), ...state.former.map((x) =>
      el("p", "", el("strong", "", el("bdi", "", x.annotator), ": "), x.answer, x.when ? `, ${x.when.slice(0, 10)}` : "", ` (${x.why})`, x.shown ? [", reported then: ", x.shown].join("") : "", x.note ? ". " : "", el("bdi", "", x.note))));
    showDocument(task);
    byId("question").focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  function choose(n) {
    const choice = state && state.task && state.task.choices[n];
    if (!choice) return;
    if (!choice.form.length) { send(choice.value, ""); return; }
    picked = choice.value;
    const mine = state.mine && state.mine.choice === choice.value && state.mine.text ? JSON.parse(state.mine.text) : null;
    opened = buildForm(choice.form, mine || {}, true);
    byId("lines").replaceChildren(opened.node);
    byId("form").hidden = false;
    const first = byId("lines").querySelector("input,select,textarea");
    if (first) first.focus();
  }
  async function send(choice, text) {
    const [key, given] = [draftKey(), state];
    await act("/api/label", { task: state.task.number, choice, text, note: byId("note").value });
    if (state !== given) drafts.delete(key);
  }
  // A note without an answer stays with its item, until it is answered, while the page is open.
  const drafts = new Map();
  const draftKey = () => JSON.stringify([state.who, state.task.number]);
  byId("note").addEventListener("input", () => drafts.set(draftKey(), byId("note").value));
  function closeForm() { picked = opened = null; byId("form").hidden = true; byId("lines").replaceChildren(); }
  byId("form").addEventListener("submit", (e) => { e.preventDefault(); if (opened) send(picked, JSON.stringify(opened.read())); });
  byId("form").addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); byId("send").click(); } });

  // ---- forms: a line is a label and its control; a list of forms adds and removes whole forms -----------------------
  let ids = 0;
  function buildForm(inputs, values, isOuter) {
    const box = el("div", "lines");
    const lines = inputs.map((line) => {
      const given = name(values, line.name);
      return { ...buildLine(line, given ?? shownPlace(line, isOuter) ?? line.value), follows: isOuter && given === undefined };
    });
    const kind = lines.find((l) => l.line.name === "kind");
    const fit = () => { for (const l of lines) if (l.line.only_for.length) l.node.hidden = !l.line.only_for.includes(kind ? kind.read() : ""); };
    if (kind) kind.node.addEventListener("change", fit);
    fit();
    box.append(...lines.map((l) => l.node));
    box.addEventListener("input", (e) => { for (const l of lines) if (l.node.contains(e.target)) l.follows = false; });
    return { node: box, lines, read: () => Object.fromEntries(lines.filter((l) => !l.node.hidden).map((l) => [l.line.name, l.read()])) };
  }
  const name = (values, key) => (values && Object.hasOwn(values, key) ? values[key] : undefined);
  // The person corrects what stands on the page before them, so its place is where a form begins.
  function shownPlace(line, isOuter) {
    if (!isOuter || byId("document").hidden) return undefined;
    return line.kind === "page" ? (isText() ? undefined : String(place.page)) : line.name === "document" ? place.document : undefined;
  }
  function followPage() { // a place that nobody wrote is that of the page that is turned to
    for (const l of opened ? opened.lines : []) if (l.follows) l.write(shownPlace(l.line, true));
  }
  function buildLine(line, value) {
    if (line.kind === "forms") return buildList(line, value);
    const id = `line-${(ids += 1)}`;
    const control = controlOf(line, value);
    control.id = id;
    control.required = line.is_needed && line.kind !== "lines";
    if (line.hint) control.placeholder = line.hint;
    const title = el("label", "", line.title, line.is_needed ? el("span", "needed", " (needed)") : null);
    title.htmlFor = id;
    return { line, node: el("div", "line", title, control), read: () => control.value, write: (text) => { if (text !== undefined) control.value = text; } };
  }
  function controlOf(line, value) {
    const text = value === null || value === undefined ? "" : value === true ? "yes" : value === false ? "no" : Array.isArray(value) ? value.join("\n") : String(value);
    if (line.kind === "choice" || line.kind === "yes_no") {
      const select = el("select");
      const options = line.kind === "yes_no" ? [["yes", "yes"], ["no", "no"]] : line.options;
      for (const [v, title] of [["", "–"], ...options]) { const o = el("option", "", title); o.value = v; select.append(o); }
      select.value = text;
      return select;
    }
    const control = el(line.kind === "lines" ? "textarea" : "input");
    if (line.kind === "lines") control.rows = 3;
    if (line.kind === "page") control.inputMode = "numeric";
    control.autocomplete = "off";
    control.value = text;
    return control;
  }
  function buildList(line, value) {
    const list = el("div", "list");
    const forms = [];
    const add = (values) => {
      const form = buildForm(line.inner, values, false);
      const remove = el("button", "", "Remove");
      remove.type = "button";
      const set = el("fieldset", "sub", el("legend", "", line.title), form.node, remove);
      remove.addEventListener("click", () => { forms.splice(forms.indexOf(form), 1); set.remove(); more.focus(); });
      forms.push(form);
      list.append(set);
      return set;
    };
    const more = el("button", "", `Add: ${line.title}`);
    more.type = "button";
    more.addEventListener("click", () => { const set = add({}); const first = set.querySelector("input,select,textarea"); if (first) first.focus(); });
    for (const values of Array.isArray(value) ? value : []) add(values);
    if (!forms.length && line.is_needed) add({});
    return { line, node: el("div", "line", list, more), write: () => {}, read: () => forms.map((f) => f.read()) };
  }

  const skip = () => state && state.task && act("/api/skip", { task: state.task.number });
  const undo = () => state && state.can_undo && act("/api/undo", {});
  function showGiven() {
    for (const box of [byId("given-box"), byId("given-done")]) {
      box.hidden = !state.given.length;
      box.querySelector("summary").textContent = `Your answers (${state.done})`;
      box.querySelector("ol").replaceChildren(...state.given.map((g) => {
        const button = el("button", "", el("bdi", "", g.question), ": ", el("strong", "", g.answer));
        button.type = "button";
        button.addEventListener("click", () => refresh(g.number));
        return el("li", "", button);
      }));
    }
  }
  byId("skip").addEventListener("click", skip);
  byId("undo").addEventListener("click", undo);
  byId("undo-last").addEventListener("click", undo);

  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && /^(INPUT|TEXTAREA)$/.test(e.target.tagName)) { e.target.blur(); return; }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey || e.repeat || !state) return;
    if (/^[1-9]$/.test(e.key)) { e.preventDefault(); choose(Number(e.key) - 1); }
    else if (e.key === "s") { e.preventDefault(); skip(); }
    else if (e.key === "u") { e.preventDefault(); undo(); }
    else if (e.key === "n" && state.task) { e.preventDefault(); byId("note").focus(); }
  });

  // ---- the document ------------------------------------------------------------------------------------------
  function showDocument(task) {
    const names = Object.keys(task.documents || {});
    const view = (task.views || []).find((v) => v.marks.length) || (task.views || [])[0];
    found = { document: "", text: "", pages: [] };
    byId("find-text").value = byId("find-count").textContent = "";
    byId("document").hidden = names.length === 0 && !view;
    if (byId("document").hidden) return;
    if (view && !names.includes(view.document)) names.unshift(view.document);
    byId("files").replaceChildren(...names.map((name) => { const o = el("option", "", name); o.value = name; return o; }));
    place = view ? { document: view.document, page: view.page } : { document: names[0], page: 1 };
    byId("files").value = place.document;
    showPage();
  }
  const isText = () => (state.task.texts_of || []).includes(place.document);
  const count = () => (state.task.documents || {})[place.document] || place.page;

  function showPage() {
    const task = state.task;
    const view = (task.views || []).find((v) => v.document === place.document && v.page === place.page);
    const cited = (task.views || []).filter((v) => v.role !== "found").map((v) => `page ${v.page}`).join(", ");
    const stands = (task.views || []).filter((v) => v.role !== "cited").map((v) => `page ${v.page}`).join(", ");
    followPage();
    byId("page-number").value = String(place.page);
    byId("page-count").textContent = `of ${count()}`;
    byId("before").disabled = place.page <= 1;
    byId("after").disabled = place.page >= count();
    byId("place").textContent = [cited ? "Cited: " + cited : "No page was cited", task.is_lost && "the quote was found nowhere in the text", stands && (task.is_similar ? "other words than the quote's, the nearest, stand on " : "the quote stands on ") + stands].filter(Boolean).join("; ");
    document.querySelector("label[for=page-number]").textContent = isText() ? "Part" : "Page";
    if (isText()) { showText(task, view); return; }
    const hit = found.pages.find((p) => found.document === place.document && p.page === place.page);
    const image = el("img");
    image.alt = `Page ${place.page} of ${place.document}`;
    const query = new URLSearchParams({ token, task: task.number, document: place.document, page: place.page });
    const leaf = el("div", "leaf", image);
    byId("sheet").replaceChildren(leaf);
    byId("sheet").scrollTop = 0;
    image.addEventListener("load", () => {
      if (hit) mark(leaf, hit.marks, view ? view.size : [image.naturalWidth * POINTS, image.naturalHeight * POINTS], "hit");
      else if (view && view.marks.length) mark(leaf, view.marks, view.size, "");
    });
    image.addEventListener("error", () => { byId("sheet").replaceChildren(el("p", "soft", "This page cannot be shown.")); });
    image.src = "/api/page?" + query;
  }
  async function showText(task, view) { // a document without pages: its text in parts
    const asked = { ...place }, words = found.document === place.document ? found.text : "";
    byId("place").textContent = view && !words ? (task.is_similar ? "Other words than the quote's, the nearest, are marked" : "The quote is marked") : "";
    let given = { text: "", marks: [] };
    try { given = await call("/api/text?" + new URLSearchParams({ task: task.number, document: asked.document, page: asked.page, text: words })); }
    catch (error) { byId("place").textContent = error.message; }
    if (asked.document !== place.document || asked.page !== place.page || task !== state.task) return;
    const leaf = el("div", "text");
    let at = 0;
    for (const [start, end] of given.marks) {
      if (start < at) continue;
      leaf.append(given.text.slice(at, start), el("mark", "", given.text.slice(start, end)));
      at = end;
    }
    leaf.append(given.text.slice(at));
    byId("sheet").replaceChildren(leaf);
    const first = leaf.querySelector("mark");
    byId("sheet").scrollTop = first ? first.getBoundingClientRect().top - byId("sheet").getBoundingClientRect().top - byId("sheet").clientHeight / 3 : 0;
  }
  function mark(leaf, marks, size, kind) {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    svg.setAttribute("aria-hidden", "true");
    for (const [x, y, width, height] of marks) {
      const rect = document.createElementNS(ns, "rect");
      for (const [k, v] of Object.entries({ x, y, width, height, class: kind })) rect.setAttribute(k, v);
      svg.append(rect);
    }
    leaf.append(svg);
    const box = svg.firstChild.getBoundingClientRect();
    byId("sheet").scrollTop += box.top - byId("sheet").getBoundingClientRect().top - byId("sheet").clientHeight / 3;
  }
  byId("files").addEventListener("change", () => { place = { document: byId("files").value, page: 1 }; showPage(); });
  const POINTS = 72 / 100; // points a pixel: pages come at 100 dots an inch
  let found = { document: "", text: "", pages: [] };
  byId("page-number").addEventListener("change", () => { place.page = Math.min(count(), Math.max(1, Number.parseInt(byId("page-number").value, 10) || place.page)); showPage(); });
  byId("find").addEventListener("submit", async (e) => {
    e.preventDefault();
    const words = byId("find-text").value.trim();
    if (!words) { found = { document: "", text: "", pages: [] }; byId("find-count").textContent = ""; showPage(); return; }
    const isNew = found.text !== words || found.document !== place.document;
    if (isNew) {
      try { found = { document: place.document, text: words, ...(await call("/api/search?" + new URLSearchParams({ task: state.task.number, document: place.document, text: words }))) }; }
      catch (error) { byId("find-count").textContent = error.message; return; }
    }
    const at = found.pages.findIndex((p) => (isNew ? p.page >= place.page : p.page > place.page));
    const next = found.pages[Math.max(0, at)];
    const hits = found.pages.reduce((n, p) => n + p.marks.length, 0);
    byId("find-count").textContent = next ? `${hits} marked on ${found.pages.length} ${isText() ? "part" : "page"}${found.pages.length === 1 ? "" : "s"}` : "not found in this document's text";
    if (next) place.page = next.page;
    showPage();
  });
  byId("before").addEventListener("click", () => { place.page -= 1; showPage(); });
  byId("after").addEventListener("click", () => { place.page += 1; showPage(); });

  function showAgreement() {
    byId("agreement").replaceChildren(...state.agreement.map((a) => el("p", "", el("bdi", "", a.first), " and ", el("bdi", "", a.second),
      `: agree on ${a.agreed} of ${a.items}, kappa ${a.kappa === null ? "undefined (one class)" : a.kappa.toFixed(2)}`)));
  }
  byId("annotator").value = remembered();
  if (remembered()) refresh(); else byId("annotator").focus();
  document.documentElement.dataset.ready = "true";
})();
