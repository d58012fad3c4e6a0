// Files and tools: tables with bars.

const Share = ({ n, most, className = '' }) => html`<span class="share"><span class="track" aria-hidden="true"><i class=${className} style=${{ width: `${(100 * n) / most}%` }}></i></span><b>${num(n)}</b></span>`;

// The project directory of a file: the shortest working directory of its sessions that contains the file.
function projectDirectory({ data }, file) {
  const above = data.sessions.filter((session) => session.cwd && session.project === file.project && file.path.startsWith(`${session.cwd}/`)).map((session) => session.cwd);
  return above.sort((a, b) => a.length - b.length)[0] ?? '';
}

function TouchedFiles({ model }) {
  const { data, sums } = model;
  const [project, setProject] = useState('');
  const all = data.files.filter((file) => !project || file.project === project);
  const [shown, more] = useFirst(all, 20);
  const touches = (file) => (file.reads ?? 0) + (file.edits ?? 0) + (file.mentions ?? 0);
  const most = Math.max(1, ...all.map(touches));
  const projects = [...new Set(data.files.map((file) => file.project).filter(Boolean))].sort();
  const controls = projects.length > 1 && choice('Project', [['', 'All projects'], ...projects.map((name) => [name, name])], project, setProject);
  return html`<${Part} id="files" title="Files touched most" controls=${controls}>
    ${data.files.length === 0 ? nothing('No agent touched a file.') : html`
    <${Table} caption="Files touched most" heads=${[['File', ''], ['Project', 'wide small text'], ['Touched', 'n'], ['Edits', 'n'], ['Reads', 'n wide'], ['Lines', 'n wide'], ['Sessions', 'n wide']]}
      rows=${shown.map((file) => [html`<${PathName} path=${file.path} base=${projectDirectory(model, file)} />`, file.project ?? '', html`<${Share} n=${touches(file)} most=${most} />`, num(file.edits), num(file.reads), linesChanged(file), num(file.sessions)])} />
    <div class="more">${more}<span class="muted small">${num(data.files.length)} of ${counted(sums.files, 'file')} are listed.</span></div>`}
  </${Part}>`;
}

function Tools({ model: { data } }) {
  const [platform, setPlatform] = useState('');
  const all = data.tools.filter((tool) => !platform || tool.platform === platform);
  const [shown, more] = useFirst(all, 15);
  const most = Math.max(1, ...all.map((tool) => tool.calls));
  const platforms = [...new Set(data.tools.map((tool) => tool.platform))];
  const controls = platforms.length > 1 && choice('Agent', [['', 'All agents'], ...platforms.map((key) => [key, agentName(key)])], platform, setPlatform);
  const rate = (tool) => html`<span class=${(tool.errors ?? 0) * 10 > tool.answered ? 'bad' : ''}>${percent(tool.errors ?? 0, tool.answered)}</span>`;
  return html`<${Part} id="tools" title="Tools" controls=${controls}>
    ${data.tools.length === 0 ? nothing('No tool was called.') : html`
    <${Table} caption="Tools by calls" heads=${[['Tool', ''], ['Calls', 'n'], ['Without result', 'n wide'], ['Errors', 'n'], ['Error rate', 'n']]}
      rows=${shown.map((tool) => [html`${text(tool.tool || '(not named)')}<span class="where muted small"><${Dot} agent=${tool.platform} />${agentName(tool.platform)}</span>`,
        html`<${Share} n=${tool.calls} most=${most} className="p-${tool.platform}" />`, num(tool.calls - (tool.answered ?? 0)), num(tool.errors), rate(tool)])} />
    <div class="more">${more}<span class="muted small">Errors as the agent marks results; the rate is of calls with a result.</span></div>`}
  </${Part}>`;
}
