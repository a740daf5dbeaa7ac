/** The sheet's body before the script fills it. No text of a run stands here: all of it goes in as text, by script. */
export const BODY = `
<a class="skip" href="#panel">To the scores</a>
<header>
  <h1 id="title"></h1>
  <progress id="bar" aria-labelledby="count" max="1" value="0"></progress>
  <span id="count"></span>
  <label for="jump" class="space">Go to <select id="jump" class="tool"></select></label>
  <button type="button" class="tool main" id="export">Export CSV</button>
  <button type="button" class="tool" id="load">Load CSV</button>
  <input type="file" id="file" accept=".csv,.txt,text/csv" hidden>
  <button type="button" class="tool" id="helpButton">Help <kbd>?</kbd></button>
</header>
<div id="notice" role="alert" hidden></div>
<noscript><p>This sheet needs JavaScript, which stays on this page: nothing is sent anywhere. The CSV file of the same name holds the same items.</p></noscript>
<main>
  <article id="item" aria-labelledby="heading">
    <h1 id="heading" tabindex="-1"></h1>
    <section class="card"><h2>Task</h2><p class="text" id="task" dir="auto"></p></section>
    <div id="outputs"></div>
  </article>
  <form id="panel" class="card" aria-label="Scores">
    <div id="fields"></div>
    <label class="note" for="note">Note <kbd>n</kbd></label>
    <textarea id="note" maxlength="5000" spellcheck="true"></textarea>
    <div class="row">
      <button type="button" class="tool" id="back">Previous</button>
      <button type="button" class="tool" id="undo">Undo <kbd>u</kbd></button>
      <button type="button" class="tool main" id="next">Next open <kbd>Enter</kbd></button>
    </div>
    <p id="status" role="status"></p>
  </form>
</main>
<dialog id="help" aria-labelledby="helpTitle">
  <h2 id="helpTitle">How to score</h2>
  <p>Read the task, what the agent did and what it answered. Judge what you see, not who may have made it. Some items may look alike: score each as if it were the first. What you enter is kept in this browser as you go; export the CSV when you are done and hand it back.</p>
  <table><tbody id="keys"></tbody></table>
  <label><input type="checkbox" id="shortcuts" checked> Keyboard shortcuts of single letters and digits</label>
  <div class="row"><button type="button" class="tool main" id="helpClose">Close</button></div>
</dialog>
`;
