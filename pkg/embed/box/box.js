"use strict";
const most = 50; // rows that are shown
const longest = 200; // characters of a name, as the API counts them
const $ = (id) => document.getElementById(id);
const text = (name, otherwise) => Object.hasOwn(messages, name) ? messages[name] : otherwise;
const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function say(words, wrong) {
  $("status").textContent = words;
  $("status").className = wrong ? "wrong" : "";
}

// What comes from lists is put in as text, never as markup.
function piece(kind, words, className, to) {
  const e = document.createElement(kind);
  e.textContent = words;
  if (className) e.className = className;
  to.append(e);
  return e;
}

function name(kind, words, className, to) {
  const e = piece(kind, words, className, to);
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
  for (const fact of [text(row.type, row.type), row.programs, row.listed_on, row.imo && "IMO " + row.imo]) {
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

// The answer says what was asked: the field may hold something else by now.
function answer(body) {
  const missing = body.sources.filter((s) => s.status === "missing");
  const count = body.count.toLocaleString(document.documentElement.lang);
  const words = body.count === 1 ? messages.one : body.count > 1 ? messages.many : missing.length ? messages.none_of_some : messages.none;
  say(fill(words, { count, query: body.query }));
  body.rows.slice(0, most).forEach(show);
  $("more").hidden = body.count <= most;
  $("more").textContent = fill(messages.shown, { shown: most });
  const states = { stale: messages.stale, review: messages.review };
  $("lists").textContent = messages.lists + " " + body.sources.filter((s) => s.status !== "missing").map((s) =>
    [s.source, s.list_date, states[s.status] && "(" + states[s.status] + ")"].filter(Boolean).join(" ")).join(", ");
  $("unsearched").hidden = missing.length === 0;
  $("unsearched").textContent = messages.unsearched + " " + missing.map((s) => s.source).join(", ");
}

// The token lasts an hour; another one stands in the page as it would be loaded now.
let token = document.body.dataset.token;
let ends = Date.now() + Number(document.body.dataset.lasts) * 1000;

async function renew(signal) {
  const response = await fetch(location.href, { headers: { Accept: "text/html" }, signal });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (!response.ok) return page.querySelector("meta[name=error-code]")?.content ?? "unavailable";
  token = page.body.dataset.token;
  ends = Date.now() + Number(page.body.dataset.lasts) * 1000;
}

// ask returns the answer to a query, or the code of an error.
async function ask(query, signal, again) {
  if (Date.now() > ends - 60000) {
    const code = await renew(signal);
    if (code) return { code };
  }
  const response = await fetch("api/v1/screen?name=" + encodeURIComponent(query), { headers: { Authorization: "Bearer " + token }, signal });
  const body = await response.json();
  if (response.ok) return { body };
  if (response.status === 401 && !again) { // another clock, or another key of tokens
    ends = 0;
    return ask(query, signal, true);
  }
  return { code: body.error?.code ?? "internal_error" };
}

let running;
async function search() {
  running?.abort(); // the name typed last is the one that is searched
  const mine = running = new AbortController();
  const query = $("name").value;
  $("results").replaceChildren();
  for (const id of ["more", "unsearched"]) $(id).hidden = true;
  $("lists").textContent = "";
  if (!/[\p{L}\p{N}]/u.test(query)) return say(messages.missing_name, true);
  if ([...query].length > longest) return say(messages.name_too_long, true);
  say(messages.loading);
  try {
    const { body, code } = await ask(query, mine.signal);
    if (mine.signal.aborted) return;
    if (body) answer(body);
    else say(text(code, messages.internal_error), true);
  } catch {
    if (!mine.signal.aborted) say(messages.network, true);
  }
}

// No form is sent: a frame with the attribute sandbox may not allow that.
$("go").addEventListener("click", search);
$("name").addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) search(); });

// The page around may want to fit the frame.
if (window.parent !== window) {
  new ResizeObserver(() => window.parent.postMessage({ type: "listward-height", height: document.documentElement.offsetHeight }, "*")).observe(document.documentElement);
}
