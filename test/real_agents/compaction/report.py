"""The comparison of platforms, from observations: Markdown for a repository, HTML for a browser."""

import html
import statistics
from collections import defaultdict


def share(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def rows_of(observations):
    """One row a platform and scenario, and one for each platform over all of its scenarios."""
    groups = defaultdict(list)
    for seen in observations:
        groups[(seen.platform, seen.scenario_name.rsplit('-', 1)[0])].append(seen)
        groups[(seen.platform, 'all')].append(seen)
    return dict(sorted(groups.items(), key=lambda entry: (entry[0][0], entry[0][1] == 'all', entry[0][1])))


def tables_of(observations):
    """Title, explanation, head and rows of each table."""
    rows = rows_of(observations)
    kept, lost = [], defaultdict(lambda: defaultdict(list))
    for (platform, scenario), seen in rows.items():
        context = [v for one in seen for v in one.platform_behavior.get('context_holds', {}).values()]
        pack = [v for one in seen for v in one.data_preserved.values()]
        kept.append(
            [
                platform,
                scenario,
                len(seen),
                f'{sum(one.compaction_occurred for one in seen)}/{len(seen)}',
                ', '.join(sorted({one.compaction_trigger or '–' for one in seen})),
                f'{share(context):.2f}',
                f'{share(pack):.2f}',
                f'{share(one.context_quality for one in seen):.2f}',
                f'{sum(one.conversation_continuity for one in seen)}/{len(seen)}',
                f'{share(one.extraction_completeness for one in seen):.2f}',
                round(statistics.mean(one.platform_behavior.get('context_after', 0) for one in seen)),
            ]
        )
        if scenario == 'all':
            for one in seen:
                for kind, found in one.data_preserved.items():
                    lost[platform][kind].append(found)
    kinds = sorted({kind for found in lost.values() for kind in found})
    tools = sorted({tool for seen in observations for tool in seen.query_performance_ms})
    speed = []
    for (platform, scenario), seen in rows.items():
        if scenario == 'all':
            speed.append(
                [
                    platform,
                    *[
                        f'{statistics.median(one.query_performance_ms[tool] for one in seen if tool in one.query_performance_ms):.1f}'
                        for tool in tools
                    ],
                ]
            )
    how = []
    for (platform, scenario), seen in rows.items():
        if scenario == 'all':
            behaviour = seen[-1].platform_behavior
            changes = defaultdict(set)
            for one in seen:
                for path, change in one.storage_changes.items():
                    changes[change].add(path.rsplit('/', 1)[-1].rsplit('.', 1)[-1])
            how.append(
                [
                    platform,
                    behaviour.get('version', ''),
                    behaviour.get('keeps_beside_the_summary', ''),
                    '; '.join(f"{change}: {', '.join('.' + e for e in sorted(ends))}" for change, ends in sorted(changes.items()))
                    or 'nothing',
                ]
            )
    return [
        (
            'What is known after a compaction',
            "Share of the planted facts. Own context: what the platform's next request holds, its summary and what it keeps verbatim; "
            "the summary is the stand-in model's, by one rule for all. Pack: resume_context in 2,000 tokens. Quality: context and pack together. "
            'Continues: runs in which goal, constraint, open error and next step are known.',
            [
                'platform',
                'scenario',
                'runs',
                'compacted',
                'trigger',
                'own context',
                'pack',
                'quality',
                'continues',
                'completeness',
                'tokens of the context',
            ],
            kept,
        ),
        (
            'Facts in the pack, by kind',
            'Share over all scenarios.',
            ['platform', *kinds],
            [[platform, *[f'{share(found[kind]):.2f}' for kind in kinds]] for platform, found in sorted(lost.items())],
        ),
        ('How fast the tools answer', 'Median of the calls, milliseconds, on a store with one session.', ['platform', *tools], speed),
        (
            'How it was observed',
            'Version, what stays beside the summary, and what changed on disk by the compaction.',
            ['platform', 'version', 'keeps', 'storage'],
            how,
        ),
    ]


def markdown(observations, failures, title):
    out = [f'# {title}', '']
    for name, explained, head, rows in tables_of(observations):
        out += [f'## {name}', '', explained, '', '| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)]
        out += ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows] + ['']
    if failures:
        out += ['## Runs that failed', '', *[f'* {failure}' for failure in failures], '']
    return '\n'.join(out)


def page(observations, failures, title):
    cells = lambda tag, row: ''.join(f'<{tag}>{html.escape(str(cell))}</{tag}>' for cell in row)
    parts = []
    for name, explained, head, rows in tables_of(observations):
        body = ''.join(f"<tr{' class=all' if 'all' in row[:2] else ''}>{cells('td', row)}</tr>" for row in rows)
        parts.append(
            f"<h2>{html.escape(name)}</h2><p>{html.escape(explained)}</p><div><table><tr>{cells('th', head)}</tr>{body}</table></div>"
        )
    if failures:
        parts.append('<h2>Runs that failed</h2><ul>' + ''.join(f'<li>{html.escape(failure)}</li>' for failure in failures) + '</ul>')
    style = (
        'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color-scheme:light dark}'
        'div{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.2rem .6rem;border-bottom:1px solid #8886;text-align:left;font-variant-numeric:tabular-nums}'
        '.all td{font-weight:600}'
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{html.escape(title)}</title>"
        f"<style>{style}</style><h1>{html.escape(title)}</h1>{''.join(parts)}</html>\n"
    )
