// The saved form of the graph of memories.
{
  const data = JSON.parse(document.getElementById('data').textContent);
  const model = { data, ...zoneOf(data) };
  describeSaved(data, model);
  render(html`<div class="report"><${MemoryMap} model=${model} /></div>`, document.getElementById('main'));
}
