// The list of conversations: filters over columns, and only the rows in sight are drawn.
const ROW = 62;
const list = document.getElementById("list");
const filters = document.getElementById("filters");
const state = { index: null, shown: [], chosen: -1, matches: null, quest: 0 };

function fill(select, options) {
  select.replaceChildren(make("option", { value: "" }, "any"), ...options.map(([value, text]) => make("option", { value }, text)));
}

function setUp(index) {
  state.index = index;
  const { elements } = filters;
  fill(elements.suite, index.suites.map(([study, model, benchmark], place) => [place, `${model}, ${benchmark} (${study})`]));
  fill(elements.arm, index.arms.map(([, label], place) => [place, label]));
  fill(elements.outcome, index.outcomes.map((name, place) => [place, name]));
  const uses = index.trails.map(() => 0);
  for (const trail of index.runs.trail) uses[trail] += 1;
  const common = index.trails.map((text, place) => [place, text]).sort((a, b) => uses[b[0]] - uses[a[0]]);
  fill(elements.trail, common.slice(0, 60));
  if (index.suites.length < 2) filters.querySelector(".suite-filter").remove();
  if (index.runs.flip.some(Boolean)) elements.flip.value = "any";
  filters.hidden = false;
  document.getElementById("browser").hidden = false;
  refresh();
}

const wanted = (name) => {
  const value = filters.elements[name]?.value ?? "";
  return value === "" ? null : Number(value);
};

// With `keep`, one goes on reading: the list grows around what is chosen.
function refresh(keep = false) {
  const { runs } = state.index;
  const columns = { suite: wanted("suite"), arm: wanted("arm"), trail: wanted("trail"), last: wanted("outcome"), advised: wanted("advised") };
  const tests = Object.entries(columns).filter(([, value]) => value !== null).map(([name, value]) => [runs[name], value]);
  const flips = { any: [1, 2], lost: [1], won: [2], none: [0] }[filters.elements.flip.value];
  const shown = [];
  for (let run = 0; run < runs.arm.length; run += 1) {
    if (tests.every(([column, value]) => column[run] === value) && (!flips || flips.includes(runs.flip[run])) && (!state.matches || state.matches.has(run))) shown.push(run);
  }
  const before = state.shown[state.chosen];
  const offset = state.chosen * ROW - list.scrollTop;
  state.shown = shown;
  list.firstElementChild.style.height = `${shown.length * ROW}px`;
  tellCount();
  const place = keep ? shown.indexOf(before) : -1;
  if (place >= 0) {
    state.chosen = place;
    list.scrollTop = place * ROW - offset;
    draw();
    return;
  }
  list.scrollTop = 0;
  if (shown.length) choose(0, false);
  else {
    state.chosen = -1;
    list.removeAttribute("aria-activedescendant");
    draw();
    document.getElementById("reader").replaceChildren(make("p", { class: "soft" }, "No conversation fits these filters."));
  }
}

function tellCount(more = "") {
  document.getElementById("count").textContent = `${state.shown.length} of ${state.index.runs.arm.length} conversations${more}`;
}

function row(place) {
  const { runs, ids, gists, arms, trails, suites } = state.index;
  const run = state.shown[place];
  const [, label, bad] = arms[runs.arm[run]];
  const epoch = runs.epoch[run] > 1 ? `, epoch ${runs.epoch[run]}` : "";
  const suite = suites.length > 1 ? `${suites[runs.suite[run]][1]} · ` : "";
  return make("div", { role: "option", id: `run-${run}`, class: `item${bad ? " bad" : ""}`, style: `top:${place * ROW}px`, "data-place": place,
    "aria-selected": String(place === state.chosen), "aria-setsize": state.shown.length, "aria-posinset": place + 1 },
    make("span", { class: "trail", role: "img", "aria-label": inWords(trails[runs.trail[run]]) }, trails[runs.trail[run]]),
    make("span", { class: "gist", dir: "auto" }, gists[runs.sample[run]] || ids[runs.sample[run]]),
    make("span", { class: "where" }, `${suite}${label} · `, make("bdi", {}, ids[runs.sample[run]]), epoch));
}

const SIGNS = { "✓": "right", "✗": "wrong", "–": "no answer", "○": "void", "·": "no score", "→": "then, after the advice," };
const inWords = (trail) => [...trail].map((sign) => SIGNS[sign] ?? sign).join(" ");

function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(state.shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 4);
  const rows = [];
  for (let place = first; place < last; place += 1) rows.push(row(place));
  list.firstElementChild.replaceChildren(...rows);
}

function choose(place, byHand = true) {
  state.chosen = Math.max(0, Math.min(state.shown.length - 1, place));
  const top = state.chosen * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  list.setAttribute("aria-activedescendant", `run-${state.shown[state.chosen]}`);
  draw();
  read(state.shown[state.chosen], byHand);
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };
if (list) {
  list.addEventListener("scroll", draw, { passive: true });
  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter") document.getElementById("reader").focus();
    if (!(event.key in STEPS) || !state.shown.length) return;
    event.preventDefault();
    choose(state.chosen + STEPS[event.key]);
  });
  list.addEventListener("click", (event) => {
    const item = event.target.closest(".item");
    if (!item) return;
    choose(Number(item.dataset.place));
    if (matchMedia("(max-width: 46rem)").matches) document.getElementById("reader").scrollIntoView();
  });
  new ResizeObserver(draw).observe(list);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("change", (event) => event.target.name !== "text" && refresh());
  filters.addEventListener("reset", () => setTimeout(() => { state.matches = null; state.quest += 1; refresh(); }));
  let pause = 0;
  filters.elements.text.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(seek, 200);
  });
  // Numbers in tables that stand for conversations lead to them.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-show-arm]");
    if (!link) return;
    filters.reset();
    setTimeout(() => {
      const { arms, trails } = state.index;
      filters.elements.arm.value = arms.findIndex(([arm]) => arm === link.dataset.showArm);
      filters.elements.flip.value = link.dataset.showFlip ?? "";
      if (link.dataset.showTrail) filters.elements.trail.value = trails.indexOf(link.dataset.showTrail);
      refresh();
      list.focus({ preventScroll: true });
    }, 1);
  });
}

async function seek() {
  const needle = filters.elements.text.value.trim().toLowerCase();
  const quest = (state.quest += 1);
  if (!needle) {
    state.matches = null;
    refresh();
    return;
  }
  let drawn = -1;
  try {
    await search(needle, state.index, (found, step, steps) => {
      if (quest !== state.quest) return false;
      const now = performance.now();
      if (step === steps || now - drawn > 400) {
        state.matches = found;
        refresh(drawn > 0);
        drawn = now;
      }
      const hidden = found.size - state.shown.length;
      tellCount(step < steps ? `; searching, ${Math.round((100 * step) / steps)}%` : hidden ? `; ${hidden} more hold these words but don’t fit the filters` : "");
      return true;
    });
  } catch (error) {
    tellCount(`; ${error.message}`);
  }
}

if (box) unpack(box.textContent).then((index) => { setUp(index); document.documentElement.dataset.ready = ""; });
else document.documentElement.dataset.ready = "";
