// A button that cycles through system, light and dark. The choice is stored if the browser allows it.
{
  const root = document.documentElement;
  const button = document.getElementById('theme');
  const names = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };
  const order = Object.keys(names);
  let chosen = 'system';
  try {
    chosen = localStorage.getItem('memd-theme') ?? 'system';
  } catch {} // a page opened from a file may have no storage
  const apply = () => {
    if (!order.includes(chosen)) chosen = 'system';
    if (chosen === 'system') root.removeAttribute('data-theme');
    else root.dataset.theme = chosen;
    button.textContent = names[chosen];
  };
  button.addEventListener('click', () => {
    chosen = order[(order.indexOf(chosen) + 1) % order.length];
    apply();
    try {
      localStorage.setItem('memd-theme', chosen);
    } catch {}
  });
  apply();
}
