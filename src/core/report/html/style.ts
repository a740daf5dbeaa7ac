/** Style of report.html: light and dark by the reader's setting, one column on a phone, all unfolded lines on paper. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #ffffff; --text: #1c1f23; --soft: #5a626b; --line: #d5dae0; --code: #eef1f4;
  --accent: #1554b5; --good: #17692f; --good-back: #e3f4e7; --bad: #b02020; --bad-back: #fdeaea;
  --doubt: #8a5a00; --doubt-back: #fdf3dc; --band: #e3e7ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121417; --card: #1b1e22; --text: #e8eaed; --soft: #a5adb7; --line: #363c44; --code: #262a30;
    --accent: #8fbaff; --good: #7fd397; --good-back: #16301e; --bad: #ff9d9d; --bad-back: #3a1b1d;
    --doubt: #f0c66b; --doubt-back: #372c12; --band: #30353c;
  }
}
* { box-sizing: border-box; }
html { font-size: 100%; -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; overflow-wrap: anywhere; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .8rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; max-width: 52rem; overflow-wrap: anywhere; }
a { color: var(--accent); }
ul { margin: .4rem 0; padding-left: 1.3rem; max-width: 56rem; }
ul.plain { list-style: none; padding-left: 0; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
code, pre { font: .86em/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", Consolas, monospace; }
code { background: var(--code); border-radius: .25rem; padding: .08em .3em; overflow-wrap: anywhere; }
pre { margin: .35rem 0; padding: .6rem .75rem; background: var(--code); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 32rem; overflow: auto; }
.soft { color: var(--soft); }
.small { font-size: .88rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.15rem; margin: .8rem 0; min-width: 0; }
header.card { margin-top: 0; border-left: .45rem solid var(--soft); }
header.passed { border-left-color: var(--good); } header.failed { border-left-color: var(--bad); } header.undecided { border-left-color: var(--doubt); }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
.badge { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; font-weight: 650; font-size: .88rem; background: var(--code); color: var(--soft); white-space: nowrap; }
.badge.good { background: var(--good-back); color: var(--good); } .badge.bad { background: var(--bad-back); color: var(--bad); } .badge.doubt { background: var(--doubt-back); color: var(--doubt); }
.badge.large { font-size: 1.05rem; padding: .25rem .9rem; text-transform: capitalize; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; margin: .9rem 0 0; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
nav { margin: 1rem 0 0; font-size: .92rem; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .42rem .7rem .42rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); font-size: .86rem; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
td.num, th.num { text-align: right; white-space: nowrap; }
td.value { white-space: nowrap; }
td.id { overflow-wrap: anywhere; min-width: 9rem; }
svg.interval { display: block; width: 10rem; height: 1.5rem; }
svg .band { fill: var(--band); } svg .zero { stroke: var(--soft); stroke-dasharray: 2 2; } svg .range { stroke: currentcolor; stroke-width: 3; stroke-linecap: round; } svg .point { fill: currentcolor; }
.tone-good { color: var(--good); } .tone-bad { color: var(--bad); } .tone-doubt { color: var(--doubt); } .tone-soft { color: var(--soft); }
.marks { white-space: nowrap; letter-spacing: .08em; }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .25rem 0; overflow-wrap: anywhere; }
details.card > summary { font-weight: 600; margin: -.25rem 0; }
details.card[open] > summary { margin-bottom: .4rem; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .9rem; }
.side { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; min-width: 0; }
.side > h4 { margin: 0 0 .3rem; font-size: .9rem; color: var(--soft); font-weight: 600; }
.card > h3:first-child { margin-top: 0; }
h4 { margin: .7rem 0 .2rem; font-size: .92rem; }
.diff .add { color: var(--good); background: var(--good-back); } .diff .del { color: var(--bad); background: var(--bad-back); } .diff .hunk { color: var(--soft); }
.diff span { display: block; min-height: 1.5em; }
.step { border-left: .2rem solid var(--line); padding: .1rem 0 .1rem .8rem; margin: .5rem 0; }
.step.user { border-left-color: var(--accent); } .step.call.error { border-left-color: var(--bad); }
.step > .who { font-size: .82rem; color: var(--soft); font-weight: 600; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; margin: .1rem 0; max-width: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media screen and (max-width: 46rem) {
  main { padding: .8rem .7rem 3rem; }
  .card { padding: .8rem .85rem; }
  .sides { grid-template-columns: minmax(0, 1fr); }
  dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; } dl.facts dd { margin-bottom: .4rem; }
  table.stack, table.stack tbody, table.stack tr, table.stack td { display: block; }
  table.stack thead { display: none; }
  table.stack tr { padding: .5rem 0; border-bottom: 1px solid var(--line); } table.stack tr:last-child { border-bottom: 0; }
  table.stack td { border: 0; padding: .08rem 0; text-align: left; white-space: normal; min-width: 0; }
  table.stack td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  table.stack td.id { font-weight: 600; } table.stack td.id .small { font-weight: 400; }
  table.stack svg.interval { width: 100%; max-width: 16rem; }
}
@media print {
  :root { --page: #fff; --card: #fff; --text: #000; --soft: #444; --line: #bbb; --code: #f2f2f2; --good: #0b5a23; --bad: #8f1111; --doubt: #6b4500; --band: #e5e5e5; --good-back: #fff; --bad-back: #fff; --doubt-back: #fff; }
  html { font-size: 78%; } .scroll { overflow: visible; } svg.interval { width: 8rem; }
  main { max-width: none; padding: 0; } nav { display: none; }
  .card { break-inside: auto; border-color: #bbb; } h2, h3, tr, summary { break-after: avoid; } tr, .step { break-inside: avoid; }
  pre { max-height: none; overflow: visible; } a { color: inherit; }
}
`;
