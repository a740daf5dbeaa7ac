/** The sheet's style: large type, light and dark, one column on narrow screens and at 200 % zoom. */
export const STYLE = String.raw`
:root {
  color-scheme: light dark;
  --page: #f6f6f4; --card: #ffffff; --text: #1b1c1d; --soft: #55585c; --line: #8a8d91;
  --accent: #0b4fb3; --on-accent: #ffffff; --active: #e6eefb; --good: #17643a; --warn: #8a2a06; --warn-back: #fff1e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131416; --card: #1d1f22; --text: #ececec; --soft: #b4b8bd; --line: #7d8288;
    --accent: #9cc2ff; --on-accent: #10223d; --active: #22304a; --good: #83d6a4; --warn: #ffb591; --warn-back: #3a2317;
  }
}
* { box-sizing: border-box; }
html { font-size: 112.5%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1, h2, legend { font-size: 1rem; font-weight: 700; margin: 0 0 .4rem; padding: 0; }
h1 { font-size: 1.25rem; }
button, select, textarea { font: inherit; color: inherit; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
/* Focus comes here by script, so that reading starts at the top; nothing can be done with it. */
#heading:focus-visible { outline: none; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: .5rem; top: .5rem; background: var(--card); padding: .5rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .6rem 1rem; background: var(--card); border-bottom: 1px solid var(--line); }
header h1 { margin: 0; }
header progress { width: 10rem; height: .8rem; accent-color: var(--accent); }
header .space { flex: 1; }
.tool { min-height: 2.6rem; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); cursor: pointer; }
.tool.main { background: var(--accent); color: var(--on-accent); border-color: var(--accent); font-weight: 600; }
select.tool { max-width: 100%; }
#notice { margin: .6rem 1rem 0; padding: .5rem .8rem; border-left: .4rem solid var(--warn); background: var(--warn-back); color: var(--warn); }
main { display: grid; grid-template-columns: minmax(0, 1fr) 27rem; gap: 1rem; padding: 1rem; align-items: start; max-width: 120rem; margin: 0 auto; }
/* A pair has one question and needs the width for its sides. */
main.pair { grid-template-columns: minmax(0, 1fr) 20rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem; margin-bottom: .8rem; min-width: 0; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit; }
.actions .text { font: .88rem/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; margin-top: .6rem; }
summary { cursor: pointer; font-weight: 700; min-height: 2rem; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .8rem; }
#panel { position: sticky; top: .6rem; max-height: calc(100vh - 6rem); display: flex; flex-direction: column; }
#fields { overflow: auto; min-height: 12rem; position: relative; margin: -.3rem -.5rem .3rem; padding: .3rem .5rem; }
fieldset { border: 1px solid transparent; border-radius: .5rem; margin: 0 0 .6rem; padding: .5rem .6rem .6rem; min-width: 0; }
fieldset.active { background: var(--active); border-color: var(--accent); }
legend { float: left; width: 100%; }
legend span { font-weight: 400; color: var(--soft); }
legend + * { clear: both; }
.choice { display: flex; gap: .6rem; align-items: baseline; width: 100%; min-height: 2.2rem; margin-top: .2rem; padding: .25rem .5rem; text-align: left; background: var(--card); border: 1px solid var(--line); border-radius: .35rem; cursor: pointer; font-size: .86rem; line-height: 1.35; }
.choice:hover { border-color: var(--accent); }
.choice b { flex: none; min-width: 1.3rem; text-align: center; font-size: 1rem; }
.choice[aria-pressed="true"] { background: var(--accent); color: var(--on-accent); border-color: var(--accent); font-weight: 600; }
.choice[aria-pressed="true"] b::before { content: "\2713\00a0"; }
label.note { display: block; font-weight: 700; margin: .2rem 0 .2rem; }
textarea { width: 100%; height: 4.2rem; flex: none; padding: .4rem .5rem; background: var(--card); border: 1px solid var(--line); border-radius: .35rem; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .6rem; }
.row .main { flex: 1; }
#status { min-height: 1.5rem; margin: .4rem 0 0; color: var(--soft); font-size: .9rem; }
.done { color: var(--good); font-weight: 600; }
dialog { max-width: 42rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--text); padding: 1.2rem 1.4rem; }
dialog::backdrop { background: rgb(0 0 0 / 50%); }
dialog table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
dialog td { padding: .25rem .6rem .25rem 0; vertical-align: top; }
kbd { display: inline-block; min-width: 1.6rem; padding: 0 .35rem; border: 1px solid var(--line); border-radius: .3rem; text-align: center; font: .9rem ui-monospace, "DejaVu Sans Mono", monospace; }
@media (max-width: 64rem) {
  main, main.pair { grid-template-columns: minmax(0, 1fr); padding: .6rem; }
  #panel { position: static; max-height: none; display: block; }
  #fields { overflow: visible; }
  .choice { min-height: 2.6rem; }
}
@media (max-width: 52rem) { .sides { grid-template-columns: minmax(0, 1fr); } }
`;
