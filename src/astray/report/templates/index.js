// The index of conversations, and the chunks with what was said, unpacked when they are asked for.
const box = document.getElementById("packed-index");
const inside = Number(box?.dataset.inside ?? 0);
const chunks = new Map();
const waiting = new Map();

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Files beside the page call this with their chunk.
globalThis.astray = {
  more(stamp, place, packed) {
    const { resolve, reject } = waiting.get(place) ?? {};
    if (stamp !== box.dataset.stamp) reject?.(new Error(`more-${place}.js belongs to another report; write this one again`));
    else resolve?.(packed);
  },
};

function beside(place) {
  return new Promise((resolve, reject) => {
    waiting.set(place, { resolve, reject });
    const script = make("script", { src: `more-${place}.js` });
    script.addEventListener("error", () => reject(new Error(`more-${place}.js isn’t beside this page; copy it along with the page`)));
    script.addEventListener("load", () => script.remove());
    document.head.append(script);
  });
}

const KEPT = 24;
function chunk(place) {
  if (!chunks.has(place)) {
    const packed = place < inside ? Promise.resolve(document.getElementById(`packed-${place}`).textContent) : beside(place);
    const found = packed.then(unpack);
    found.catch(() => chunks.delete(place));
    chunks.set(place, found);
    if (chunks.size > KEPT) chunks.delete(chunks.keys().next().value);
  }
  return chunks.get(place);
}

// Runs whose conversations hold a text, chunk by chunk; `tell` says how far it is, and stops it by returning false.
async function search(needle, index, tell) {
  const { runs, ids, gists } = index;
  const found = new Set();
  const places = [...new Set(runs.chunk)].filter((place) => place >= 0);
  const near = ids.map((id, sample) => `${id} ${gists[sample]}`.toLowerCase().includes(needle));
  runs.sample.forEach((sample, run) => near[sample] && found.add(run));
  for (const [step, place] of places.entries()) {
    if (!tell(found, step, places.length)) return;
    const { strings, runs: here } = await chunk(place);
    const hits = new Set();
    strings.forEach((text, at) => text.toLowerCase().includes(needle) && hits.add(at));
    if (!hits.size) continue;
    for (const [run, [answers, , steps]] of Object.entries(here)) {
      const texts = [...answers.map((one) => one[2]), ...steps.flatMap((one) => [one[3], one[5], one[6], ...one[7]])];
      if (texts.some((at) => hits.has(at))) found.add(Number(run));
    }
  }
  tell(found, places.length, places.length);
}
