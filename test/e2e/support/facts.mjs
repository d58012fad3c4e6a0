// Checks that the text of an answer states the facts of its structured form.

// Replaces control and direction characters as the text does (schemas/harmless.hpp).
const harmless = (text) =>
  text
    .replace(/\r\n/g, '\n')
    .replace(/[\0-\x08\x0b-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/\x7f/g, '\u2421')
    .replace(/[\x80-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
const oneLine = (text) => harmless(text).replace(/‹/g, '<').split(/\s+/).filter(Boolean).join(' ');
const shown = 60; // characters of a long string that must be in the text

// Scalars of the structured form that the text may omit, and why.
const leftOut = [
  [/^est_tokens$/, 'the size of the structured form'],
  [/^freshness\[\]/, 'looked at below'],
  [/\.matches\[\]/, 'places in a snippet'],
  [/^next$/, 'a text that says more goes on from its own end'],
  [/^chronological_summary$/, 'told session by session'],
  [/^platform_summary$/, 'told in a sentence'],
];

function* scalars(value, path) {
  if (Array.isArray(value)) for (const item of value) yield* scalars(item, `${path}[]`);
  else if (value && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) yield* scalars(item, path ? `${path}.${key}` : key);
  else yield [path, value];
}

// Values that the text splits: the notice, over its start and its end, and summaries, to whose lines the text adds.
const pieces = (path, value) => (path === 'notice' ? value.split(/(?<=\.) /) : path === 'summary' ? value.split('\n') : [value]);

function states(text, line, value) {
  // The text may omit empty values, zero and booleans.
  if (!value || value === true) return true;
  if (typeof value === 'number') {
    const hundredths = [Math.floor(value * 100), Math.ceil(value * 100)].map((n) => (n / 100).toFixed(2));
    const forms = Number.isInteger(value) ? [String(value)] : [String(value), ...hundredths];
    return forms.some((form) => new RegExp(`(?<![\\d.])${form.replace('.', '\\.')}(?!\\d)`).test(text));
  }
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:/.test(value)) return text.includes(value.slice(0, 10)) && text.includes(value.slice(11, 16)); // the date may be in a heading
  // The text may be longer than the value before it is cut; a cut within a code block closes the block.
  return line.includes(oneLine(oneLine(value).slice(0, shown).replace(/…( `*)?$/, '')));
}

const counted = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;

// Returns the paths of the facts that `text` lacks.
export function missingFacts(structured, text) {
  const missing = [];
  const line = oneLine(text);
  for (const [path, value] of scalars(structured, ''))
    if (!leftOut.some(([pattern]) => pattern.test(path)) && !pieces(path, value).every((one) => states(text, line, one)))
      missing.push(`${path}: ${JSON.stringify(value).slice(0, 80)}`);
  for (const { platform, sources_behind: files, bytes_behind: bytes } of structured.freshness ?? [])
    if (files > 0 && !text.includes(`${platform} is behind by ${counted(bytes, 'byte')} in ${counted(files, 'file')}`)) missing.push(`freshness of ${platform}`);
  return missing;
}
