// Says what a saved page is about, and that it is whole.
function describeSaved(data, { clockName }, more = '') {
  document.getElementById('scope').textContent = [data.asked, `made ${clockName(data.made)} ${data.zone}`].filter(Boolean).join(' · ');
  document.getElementById('foot').textContent = `Made by memd ${data.memd}. Everything is in this file; it loads nothing. ${more}Secrets that memd recognises are masked.`;
}
