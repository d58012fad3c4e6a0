{
  const button = document.getElementById('unfold');
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', `${open}`);
    button.textContent = open ? 'Fold all' : 'Unfold all';
    for (const details of document.querySelectorAll('details')) details.open = open;
  });
  // Only turns with all words are shown; what contains one of them is unfolded.
  document.getElementById('find').addEventListener('input', ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const turn of document.querySelectorAll('.exchange')) {
      const text = turn.textContent.toLowerCase();
      turn.hidden = !words.every((word) => text.includes(word));
    }
    for (const details of document.querySelectorAll('.exchange:not([hidden]) details'))
      details.open = words.some((word) => details.textContent.toLowerCase().includes(word));
  });
}
