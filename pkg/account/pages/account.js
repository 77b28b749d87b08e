"use strict";
// Copy buttons need a script; without one they stay hidden.
for (const button of document.querySelectorAll("[data-copy]")) {
  const from = document.getElementById(button.dataset.copy);
  const before = button.textContent;
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(from.value ?? from.textContent);
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = before; }, 2000);
  });
}
// What is wrong with a form is read out first.
document.querySelector(".problem")?.focus();
