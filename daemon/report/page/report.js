// All parts of a report.

// `linked`: the id of a session to open.
function Report({ model, linked }) {
  const table = useSessionTable(model);
  useEffect(() => { if (linked) table.open(linked); }, [linked, model]);
  const parts = [
    ['Overview', html`<${Overview} model=${model} />`],
    ['Activity', html`<${Activity} model=${model} table=${table} />`],
    ['Sessions', html`<${SessionTable} model=${model} table=${table} />`],
    ['Topics over time', html`<${Topics} model=${model} choose=${table.choose} />`],
    ['Memories', html`<${MemoryMap} model=${model} />`],
    ['Tokens and cost', html`<${Tokens} model=${model} />`],
    ['Files touched most', html`<${TouchedFiles} model=${model} />`],
    ['Tools', html`<${Tools} model=${model} />`],
    ['Coverage', html`<${Coverage} model=${model} />`],
    ['What this report does not cover', html`<${Gaps} model=${model} />`],
  ];
  return html`<div class="report">${parts.map(([title, part]) => html`<${Guarded} key=${title} title=${title}>${part}</${Guarded}>`)}</div>`;
}
