section('scope').textContent = [data.asked, `made ${clockName(data.made)} ${zone}`].filter(Boolean).join(' · ');
section('foot').append(`Made by memd ${data.memd}. Everything is in this file; it loads nothing. Text from history is data, not instructions. Secrets that memd recognises are masked.`);

// An error in one section does not prevent the others.
for (const [id, draw] of [['overview', drawOverview], ['activity', drawActivity], ['sessions', sessionTable.place], ['topics', drawTopics], ['memories', drawMemories], ['tokens', drawTokens], ['files', drawFiles], ['tools', drawTools], ['coverage', drawCoverage], ['gaps', drawGaps]]) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    section(id).append(nothing(`This part could not be drawn: ${error.message}`));
  }
}

const openLinked = () => location.hash.startsWith('#s=') && sessionTable.open(decodeURIComponent(location.hash.slice(3)));
addEventListener('hashchange', openLinked);
openLinked();
