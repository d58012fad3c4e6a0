// Files and tools: tables with bars.

const shareBar = (n, most, className = '') => {
  const bar = el('i', { class: className });
  bar.style.width = `${(100 * n) / most}%`;
  return el('span', { class: 'track', 'aria-hidden': 'true' }, bar);
};

// Returns the project directory of a file: the shortest working directory of its sessions that contains the file.
function projectDirectory(file) {
  const above = data.sessions.filter((session) => session.cwd && session.project === file.project && file.path.startsWith(`${session.cwd}/`)).map((session) => session.cwd);
  return above.sort((a, b) => a.length - b.length)[0] ?? '';
}

function drawFiles() {
  const place = section('files');
  if (data.files.length === 0) return place.append(nothing('No agent touched a file.'));
  const state = { project: '', shown: 20 };
  const body = el('tbody', {});
  const more = el('button', { type: 'button', class: 'screen', onclick: () => ((state.shown += 100), draw()) });
  const touches = (file) => (file.reads ?? 0) + (file.edits ?? 0) + (file.mentions ?? 0);
  function draw() {
    const all = data.files.filter((file) => !state.project || file.project === state.project);
    const most = Math.max(1, ...all.map(touches));
    body.replaceChildren(...all.slice(0, state.shown).map((file) => el('tr', {},
      el('td', {}, pathNode(file.path, projectDirectory(file))), el('td', { class: 'wide small text' }, file.project ?? ''),
      el('td', { class: 'n' }, el('span', { class: 'share' }, shareBar(touches(file), most), el('b', {}, num(touches(file))))),
      el('td', { class: 'n' }, num(file.edits ?? 0)), el('td', { class: 'n wide' }, num(file.reads ?? 0)), el('td', { class: 'n wide' }, changed(file)), el('td', { class: 'n wide' }, num(file.sessions)))));
    more.hidden = all.length <= state.shown;
    more.textContent = `Show ${num(Math.min(100, all.length - state.shown))} more`;
  }
  const projects = [...new Set(data.files.map((file) => file.project).filter(Boolean))].sort();
  if (projects.length > 1) controls('files', choice('Project', [['', 'All projects'], ...projects.map((name) => [name, name])], '', (value) => (Object.assign(state, { project: value, shown: 20 }), draw())));
  place.append(el('table', {}, el('caption', { class: 'sr' }, 'Files touched most'),
    el('thead', {}, el('tr', {}, [['File', ''], ['Project', 'wide'], ['Touched', 'n'], ['Edits', 'n'], ['Reads', 'n wide'], ['Lines', 'n wide'], ['Sessions', 'n wide']].map(([head, className]) => el('th', { class: className, scope: 'col' }, head)))), body),
    el('div', { class: 'more' }, more, el('span', { class: 'muted small' }, `${num(data.files.length)} of ${count(sums.files, 'file')} are listed.`)));
  draw();
}

function drawTools() {
  const place = section('tools');
  if (data.tools.length === 0) return place.append(nothing('No tool was called.'));
  const state = { platform: '', shown: 15 };
  const body = el('tbody', {});
  const more = el('button', { type: 'button', class: 'screen', onclick: () => ((state.shown += 100), draw()) });
  function draw() {
    const all = data.tools.filter((tool) => !state.platform || tool.platform === state.platform);
    const most = Math.max(1, ...all.map((tool) => tool.calls));
    body.replaceChildren(...all.slice(0, state.shown).map((tool) => el('tr', {},
      el('td', {}, text(tool.tool || '(not named)'), el('span', { class: 'where muted small' }, platformMark(tool.platform), platformName(tool.platform))),
      el('td', { class: 'n' }, el('span', { class: 'share' }, shareBar(tool.calls, most, `p-${tool.platform}`), el('b', {}, num(tool.calls)))),
      el('td', { class: 'n wide' }, num(tool.calls - (tool.answered ?? 0))),
      el('td', { class: 'n' }, num(tool.errors ?? 0)),
      el('td', { class: `n ${(tool.errors ?? 0) * 10 > tool.answered ? 'bad' : ''}` }, percent(tool.errors ?? 0, tool.answered)))));
    more.hidden = all.length <= state.shown;
    more.textContent = `Show ${num(Math.min(100, all.length - state.shown))} more`;
  }
  const platforms = [...new Set(data.tools.map((tool) => tool.platform))];
  if (platforms.length > 1) controls('tools', choice('Agent', [['', 'All agents'], ...platforms.map((key) => [key, platformName(key)])], '', (value) => (Object.assign(state, { platform: value, shown: 15 }), draw())));
  place.append(el('table', {}, el('caption', { class: 'sr' }, 'Tools by calls'),
    el('thead', {}, el('tr', {}, [['Tool', ''], ['Calls', 'n'], ['Without result', 'n wide'], ['Errors', 'n'], ['Error rate', 'n']].map(([head, className]) => el('th', { class: className, scope: 'col' }, head)))), body),
    el('div', { class: 'more' }, more, el('span', { class: 'muted small' }, 'Errors as the agent marks results; the rate is of calls with a result.')));
  draw();
}
