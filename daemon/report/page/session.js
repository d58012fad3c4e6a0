{
  const button = document.getElementById('unfold');
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', `${open}`);
    button.textContent = open ? 'Fold all' : 'Unfold all';
    for (const details of document.querySelectorAll('details')) details.open = open;
  });
  // Marks words where they stand. A browser without highlights only hides the other turns.
  const mark = (turns, words) => {
    const most = 5000;
    const found = globalThis.Highlight ? new Highlight() : null;
    for (const turn of found && words.length ? turns : []) {
      const texts = document.createTreeWalker(turn, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { data } = texts.currentNode;
        const text = data.toLowerCase();
        if (text.length !== data.length) continue; // places would be others
        for (const word of words)
          for (let at = text.indexOf(word); at >= 0 && found.size < most; at = text.indexOf(word, at + word.length)) {
            const range = new Range();
            range.setStart(texts.currentNode, at);
            range.setEnd(texts.currentNode, at + word.length);
            found.add(range);
          }
      }
    }
    if (found) CSS.highlights.set('found', found);
  };
  // Only turns with all words are shown; what contains one of them is unfolded.
  document.getElementById('find').addEventListener('input', ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const turn of document.querySelectorAll('.exchange')) {
      const text = turn.textContent.toLowerCase();
      turn.hidden = !words.every((word) => text.includes(word));
    }
    for (const details of document.querySelectorAll('.exchange:not([hidden]) details'))
      details.open = words.some((word) => details.textContent.toLowerCase().includes(word));
    mark(document.querySelectorAll('.exchange:not([hidden])'), words);
  });
}
