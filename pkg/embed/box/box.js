"use strict";
const most = 50; // rows that are shown
const $ = (id) => document.getElementById(id);
const say = (text, wrong) => { $("status").textContent = text; $("status").className = wrong ? "wrong" : ""; };
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// What comes from lists is put in as text, never as markup.
function piece(kind, text, className, to) {
  const e = document.createElement(kind);
  e.textContent = text;
  if (className) e.className = className;
  to.append(e);
  return e;
}

function name(kind, text, className, to) {
  const e = piece(kind, text, className, to);
  e.dir = "auto";
  return e;
}

function show(row) {
  const item = document.createElement("li");
  name("h2", row.name, "", item);
  if (row.matched_name && row.matched_name !== row.name) {
    const also = piece("p", messages.matched + " ", "small", item);
    name("bdi", row.matched_name, "", also);
  }
  const facts = piece("p", "", "facts", item);
  piece("span", row.source, "source", facts);
  for (const fact of [messages[row.type] ?? row.type, row.programs, row.listed_on, row.imo && "IMO " + row.imo]) {
    if (fact) piece("span", fact, "", facts);
  }
  if (/^https?:\/\//.test(row.url)) {
    const link = piece("a", messages.record, "", facts);
    link.href = row.url;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    link.setAttribute("aria-label", messages.record + ": " + row.name);
  }
  $("results").append(item);
}

function answer(body) {
  say(body.count === 0 ? messages.none : body.count === 1 ? messages.one : fill(messages.many, { count: body.count.toLocaleString() }));
  body.rows.slice(0, most).forEach(show);
  $("more").hidden = body.count <= most;
  $("more").textContent = fill(messages.shown, { shown: most });
  const states = { stale: messages.incomplete, review: messages.incomplete, missing: messages.missing };
  $("lists").textContent = messages.lists + " " + body.sources.map((s) =>
    [s.source, s.list_date, states[s.status] && "(" + states[s.status] + ")"].filter(Boolean).join(" ")).join(", ");
}

async function search(query) {
  $("results").replaceChildren();
  $("more").hidden = true;
  $("lists").textContent = "";
  if (!/[\p{L}\p{N}]/u.test(query)) return say(messages.missing_name, true);
  say(messages.loading);
  $("go").disabled = true;
  try {
    const response = await fetch("api/v1/screen?name=" + encodeURIComponent(query), { headers: { Authorization: "Bearer " + document.body.dataset.token } });
    const body = await response.json();
    if (response.ok) answer(body);
    else say(messages[body.error?.code] ?? messages.internal_error, true);
  } catch {
    say(messages.network, true);
  } finally {
    $("go").disabled = false;
  }
}

$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  // A computer that slept has an old token: a new page has a new one.
  if (Date.now() > ends) return again();
  search($("name").value);
});

// The token ends: the page loads itself again, with what was typed behind the address,
// where no server sees it.
const ends = Date.now() + (Number(document.body.dataset.lasts) - 60) * 1000;
function again() {
  location.hash = encodeURIComponent($("name").value);
  location.reload();
}
setInterval(() => { if (Date.now() > ends && document.activeElement !== $("name")) again(); }, 30000);
if (location.hash) {
  try { $("name").value = decodeURIComponent(location.hash.slice(1)); } catch { /* not ours */ }
  history.replaceState(null, "", location.pathname + location.search);
}

// The page around may want to fit the frame.
if (window.parent !== window) {
  new ResizeObserver(() => window.parent.postMessage({ type: "listward-height", height: document.documentElement.offsetHeight }, "*")).observe(document.documentElement);
}
