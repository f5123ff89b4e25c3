// One conversation: how its answers were read, the question, what was said with the advice marked, labels in the margin.
const NAMES = { system: "Instructions", user: "User", "simulated user": "Simulated user", judge: "Judge", agent: "Agent", tool: "Tool" };
const KINDS = { correct: "correct", wrong: "wrong", partial: "wrong" };
const MARKS = { correct: "✓", wrong: "✗", partial: "✗" };
const LONG = 900; // characters of instructions, or of a tool's result, that are shown folded
let reading = 0;

async function read(run, byHand) {
  const mine = (reading += 1);
  const pane = document.getElementById("reader");
  const { runs } = state.index;
  let parts;
  try {
    const found = await chunk(runs.chunk[run]);
    if (mine !== reading) return;
    parts = sheet(run, found, (at) => (at < 0 ? null : found.strings[at]));
  } catch (error) {
    parts = [make("p", { class: "warning", role: "alert" }, error.message)];
  }
  if (mine !== reading) return;
  pane.replaceChildren(...parts);
  if (byHand) pane.scrollTop = 0;
}

function sheet(run, found, text) {
  const { runs, ids, arms, suites } = state.index;
  const [answers, before, steps, hidden, labels] = found.runs[run];
  const [study, , benchmark] = suites[runs.suite[run]];
  const id = ids[runs.sample[run]];
  const [question, gold, , , choices] = found.sheets[[study, benchmark, id].join("\t")] ?? [-1, -1, -1, -1, []];
  const [arm, label] = arms[runs.arm[run]];
  const epoch = runs.epoch[run] > 1 ? `, epoch ${runs.epoch[run]}` : "";
  return [
    make("h3", { class: "reader-title" }, make("bdi", {}, id), epoch, make("span", { class: "soft", title: arm }, ` ${label}`)),
    readings(answers, before, text, text(gold)),
    siblings(run),
    choices.length ? make("ul", { class: "choices" }, ...choices.map(([name, at]) => choice(name, text(at), name === text(gold)))) : null,
    question >= 0 && !steps.length ? make("p", { class: "said", dir: "auto" }, text(question)) : null,
    steps.length ? talk(steps, labels, text) : make("p", { class: "soft" }, "No transcript was kept."),
    hidden ? make("p", { class: "soft" }, `${hidden} more steps are in the transcripts table.`) : null,
  ].filter(Boolean);
}

function readings(answers, before, text, gold) {
  const chip = (where, outcome, answer) =>
    make("li", { class: `chip ${KINDS[outcome] ?? "none"}` }, make("span", { class: "when" }, where), ` ${MARKS[outcome] ?? "–"} `,
      answer === null ? null : make("bdi", { class: "read" }, short(answer)), ` ${outcome.replaceAll("_", " ")}`);
  return make("ul", { class: "readings", "aria-label": "Answers as they were read" },
    before ? chip("without advice", before[0], text(before[1])) : null,
    ...answers.map(([round, outcome, answer]) => chip(`R${round}`, outcome, text(answer))),
    gold === null ? null : make("li", { class: "chip gold" }, make("span", { class: "when" }, "gold "), make("bdi", { class: "read" }, short(gold))));
}

const short = (words) => (words.length > 80 ? `${words.slice(0, 79)}…` : words);

const choice = (name, words, right) =>
  make("li", { class: right ? "right" : null }, make("span", { class: "choice-label" }, name), " ", make("span", { dir: "auto" }, words), right ? make("span", { class: "soft" }, " gold") : null);

// The same sample under other arms: all of them stand together in the index.
function siblings(run) {
  const { runs, arms, trails } = state.index;
  const same = (other) => runs.sample[other] === runs.sample[run];
  const found = [];
  let first = run;
  while (first > 0 && same(first - 1)) first -= 1;
  for (let other = first; other < runs.arm.length && same(other); other += 1) {
    if (runs.suite[other] === runs.suite[run] && runs.epoch[other] === runs.epoch[run]) found.push(other);
  }
  if (found.length < 2) return null;
  const links = found.map((other) => {
    const button = make("button", { type: "button", "aria-pressed": String(other === run), "aria-label": `${arms[runs.arm[other]][1]}: ${inWords(trails[runs.trail[other]])}` },
      arms[runs.arm[other]][1], make("span", { class: "trail" }, trails[runs.trail[other]]));
    button.addEventListener("click", async () => {
      await read(other, true);
      document.querySelector("#reader .siblings [aria-pressed=true]")?.focus();
    });
    return make("li", {}, button);
  });
  return make("ul", { class: "siblings", "aria-label": "The same sample under every arm" }, ...links);
}

function talk(steps, labels, text) {
  const items = [];
  let round = steps[0][0];
  let last = 0;
  for (const step of steps) {
    const skipped = step[1] - last - 1;
    if (last && skipped > 0) items.push(make("li", { class: "round" }, make("span", {}, skipped === 1 ? "1 step left out" : `${skipped} steps left out`)));
    last = step[1];
    if (step[0] !== round) {
      round = step[0];
      items.push(make("li", { class: "round" }, make("span", {}, `Round ${round}`)));
    }
    items.push(turn(step, labels.filter((label) => label[0] === step[1]), text));
  }
  return make("ol", { class: "talk" }, ...items);
}

function turn([, , kind, words, advice, answer, reasoning, calls, cut], labels, text) {
  const body = [];
  if (reasoning >= 0) body.push(make("details", { class: "thought" }, make("summary", {}, "Reasoning, not said aloud"), make("p", { class: "said", dir: "auto" }, text(reasoning))));
  if (text(words)) body.push(said(kind, text(words), text(advice)));
  for (const call of calls) body.push(make("pre", { class: "call", dir: "auto" }, text(call)));
  if (answer >= 0) body.push(make("p", { class: "given" }, "Answer: ", make("bdi", {}, text(answer))));
  if (cut) body.push(make("p", { class: "soft" }, `${cut} more characters are in the transcripts table.`));
  const margin = labels.map(([, name, importance, summary, quote, labeller]) =>
    make("li", { title: `importance ${importance} of 10` }, make("strong", {}, name), " ", labeller >= 0 ? make("span", { class: "soft" }, `(${text(labeller)}) `) : null, text(summary), text(quote) ? make("q", { dir: "auto" }, text(quote)) : null));
  return make("li", { class: `step ${kind}` }, make("p", { class: "speaker" }, NAMES[kind]), make("div", { class: "words" }, ...body),
    margin.length ? make("ul", { class: "margin", "aria-label": "Labels of this step" }, ...margin) : null);
}

// A policy or a listing would push the conversation out of sight; advice never is folded away.
function said(kind, words, advice) {
  const whole = make("p", { class: "said", dir: "auto" }, ...marked(words, advice));
  if ((kind !== "system" && kind !== "tool") || words.length <= LONG || advice) return whole;
  const start = words.slice(0, 160).trimEnd();
  return make("details", { class: "long" }, make("summary", { dir: "auto" }, `${start}… (${words.length.toLocaleString("en")} characters)`), whole);
}

function marked(words, advice) {
  if (!advice) return [words];
  return words.split(advice).flatMap((piece, place) => (place ? [make("mark", {}, advice), piece] : [piece]));
}
