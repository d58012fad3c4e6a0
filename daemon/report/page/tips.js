// One tooltip for the page. Any element with data-tip shows it on hover and on focus.
{
  const tip = document.getElementById('tip');
  let shownAt = 0; // scroll position of the page
  const place = (box) => {
    const { width, height } = tip.getBoundingClientRect();
    const x = Math.min(Math.max(box.left + box.width / 2 - width / 2, 8), innerWidth - width - 8);
    const above = box.top - height - 8;
    tip.style.left = `${x}px`;
    tip.style.top = `${above < 8 ? box.bottom + 8 : above}px`;
  };
  const show = ({ target, pointerType, type }) => {
    const owner = pointerType === 'touch' || (type === 'focusin' && !target.matches(':focus-visible')) ? null : target.closest?.('[data-tip]');
    tip.hidden = !owner;
    if (!owner) return;
    tip.textContent = owner.dataset.tip;
    place(owner.getBoundingClientRect());
    shownAt = scrollY;
  };
  document.addEventListener('pointerover', show);
  document.addEventListener('focusin', show);
  document.addEventListener('focusout', () => (tip.hidden = true));
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && (tip.hidden = true));
  document.addEventListener('scroll', () => Math.abs(scrollY - shownAt) > 4 && (tip.hidden = true), { passive: true });
}
