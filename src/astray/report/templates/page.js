"use strict";
for (const bar of document.querySelectorAll(".filters")) {
  const flips = [...document.querySelectorAll(`#flips-${bar.dataset.suite} > details`)];
  const chosen = { arm: "", way: "" };
  const show = () => {
    let seen = 0;
    for (const flip of flips) {
      const fits = Object.entries(chosen).every(([key, value]) => !value || flip.dataset[key] === value);
      flip.hidden = !fits;
      seen += fits;
    }
    bar.querySelector(".count").textContent = `${seen} shown`;
  };
  for (const button of bar.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const key = "arm" in button.dataset ? "arm" : "way";
      chosen[key] = button.dataset[key];
      for (const other of button.parentElement.children) {
        other.setAttribute("aria-pressed", String(other === button));
      }
      show();
    });
  }
  bar.hidden = false;
  show();
}
