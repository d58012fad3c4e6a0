{
  const button = document.getElementById('unfold');
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', `${open}`);
    button.textContent = open ? 'Fold all' : 'Unfold all';
    for (const details of document.querySelectorAll('details')) details.open = open;
  });
}
