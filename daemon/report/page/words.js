// Names, numbers and times as all pages show them.

// `agents`, their names by key, comes before this file; their colours are the classes p-KEY.
const agentName = (key) => agents[key] ?? key;

// Of a new tab's time to its first list, the first use of Intl takes more than all else that scripts do: it is not used
// before money is shown.
const num = (n) => String(n ?? 0).replace(/\B(?=(\d{3})+$)/g, ',');
function short(n) {
  let [scaled, unit] = [n ?? 0, 0];
  while (unit < 4 && Math.abs(scaled) >= 999.95) [scaled, unit] = [scaled / 1000, unit + 1];
  return `${Math.round(scaled * 10) / 10}${['', 'K', 'M', 'B', 'T'][unit]}`;
}
const counted = (n, word, words = `${word}s`) => `${num(n)} ${n === 1 ? word : words}`;

// Times of the reader's zone.
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const wallTime = (at) => new Date(at - at.getTimezoneOffset() * 60_000).toISOString();
const timeOf = (time) => (time ? wallTime(new Date(time)).slice(11, 16) : '');
const isoDay = (time) => (time ? wallTime(new Date(time)).slice(0, 10) : '');
const longDay = (at) => `${weekdays[at.getDay()]}, ${at.getDate()} ${months[at.getMonth()]} ${at.getFullYear()}`;
const dayOf = (time) => (time ? longDay(new Date(time)) : 'Without a time');
