import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A Chromium of this machine, or undefined where there is none. */
export const CHROMIUM = PLACES.find((path) => existsSync(path));

/** What to print where the browser tests are skipped. */
export const NO_CHROMIUM = `skipped: no Chromium at ${PLACES.join(", ")}; apt-get install chromium`;

/** Started without a window and without the connections that it makes of its own accord. */
export const LAUNCH = {
  ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
  args: [
    ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ],
};

/** Run in a page: the texts with less contrast than 4.5 to 1 (WCAG 1.4.3). Browser code, so a string to us. */
export const LOW_CONTRAST = `(() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (colour) => {
    const [x, y, z] = colour.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (node) => {
    if (node === null) return [255, 255, 255];
    const colour = parse(getComputedStyle(node).backgroundColor);
    return colour.length === 4 && colour[3] === 0 ? behind(node.parentElement) : colour;
  };
  return [...document.querySelectorAll("h1, h2, p, span, b, button, label, legend, summary, pre, kbd")]
    .filter((node) => node.checkVisibility() && node.textContent.trim() !== "")
    .flatMap((node) => {
      const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      return ratio < 4.5 ? [node.tagName + " " + node.textContent.slice(0, 20) + " " + ratio.toFixed(2)] : [];
    });
})()`;
