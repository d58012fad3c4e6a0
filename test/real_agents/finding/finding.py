#!/usr/bin/env python3
"""Prints which requests find the right tool of memd through the tool searches of three clients.

Claude Code, Codex and Qwen Code show a model no tool of a server until it searches. This is no run of these programs:
their rules are rebuilt here from what was read of them in November 2026 (Claude Code: terms against parts of the name,
the hint and the description, 5 results; Codex: BM25 over name, title, description and arguments, 8 results; Qwen Code:
terms without stop words against name, server and description, 5 results). The request itself is the query.
With --qwen the search of an installed Qwen Code itself is asked, too (qwen.mjs).

Usage: finding.py MEMD [--company FILE] [--qwen PACKAGE] [--misses]; FILE: name and description of other tools,
tab-separated; PACKAGE: .../node_modules/@qwen-code/qwen-code."""

import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STOP = set("a an and are at be can could did do does for from how i in is it me my of on or please should that the "
           "these this those to was were what which with would you".split())
ENGLISH = STOP | set("about after again all am any as because been before being below between both but by down during "
                     "each few further had has have having he her here hers him his if into its itself just more most "
                     "no nor not now off once only other our out over own same she so some such than their them then "
                     "there they through too under until up very we when where who whom why will your".split())


def tools_of(memd):
    with tempfile.TemporaryDirectory() as folder:
        asked = [{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}}}]
        run = subprocess.run([memd, "--home", folder, "--data-dir", folder + "/data", "--stdio", "--standalone"],
                             input="".join(json.dumps(a) + "\n" for a in asked), capture_output=True, text=True,
                             timeout=120, check=True)
    for tool in json.loads(run.stdout.splitlines()[0])["result"]["tools"]:
        meta = tool.get("_meta", {})
        yield {"name": tool["name"], "server": "memd", "title": tool.get("title", ""),
               "description": tool["description"], "arguments": list(tool["inputSchema"].get("properties", {})),
               "hint": meta.get("anthropic/searchHint", ""), "always": meta.get("anthropic/alwaysLoad", False)}


def company_of(file):
    for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines():
        server, name, description = line.split("\t")
        yield {"name": name, "server": server, "title": "", "description": description, "arguments": [], "hint": "",
               "always": False}


def has_word(term, text):
    return re.search(r"(?<!\w)" + re.escape(term) + r"(?!\w)", text) is not None


def best(tools, score, most):
    scored = sorted(((score(t), i) for i, t in enumerate(tools)), key=lambda s: (-s[0], s[1]))
    return [tools[i]["name"] for s, i in scored[:most] if s > 0]


def claude_code(tools, request):
    terms = request.lower().split()

    def score(tool):
        full = (tool["server"] + " " + tool["name"].replace("_", " ")).lower()
        parts, points = full.split(), 0
        for term in terms:
            if term in parts:
                points += 12
            elif any(term in part for part in parts):
                points += 6
            elif term in full and points == 0:
                points += 3
            points += 4 if has_word(term, tool["hint"].lower()) else 0
            points += 2 if has_word(term, tool["description"].lower()) else 0
        return points

    loaded = [t["name"] for t in tools if t["always"]]
    return loaded + best([t for t in tools if not t["always"]], score, 5)


def stem(word):
    for end in ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "ly", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[:len(word) - len(end)] + ("y" if end in ("ies", "ied") else "")
    return word


def words(text):
    return [stem(w) for w in re.findall(r"[a-z0-9]+", text.lower()) if w not in ENGLISH]


def codex(tools, request):
    texts = [words(" ".join([t["server"], t["name"], t["name"].replace("_", " "), t["title"], t["description"],
                             *[a.replace("_", " ") for a in t["arguments"]]])) for t in tools]
    counts = [collections.Counter(t) for t in texts]
    average = sum(map(len, texts)) / len(texts)
    asked = words(request)

    def score(i):
        points = 0.0
        for word in asked:
            known = sum(1 for c in counts if word in c)
            rarity = math.log(1 + (len(texts) - known + 0.5) / (known + 0.5))
            times = counts[i][word]
            points += rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(texts[i]) / average))
        return points

    places = {id(t): i for i, t in enumerate(tools)}
    return best(tools, lambda t: score(places[id(t)]), 8)


def qwen(tools, request):
    terms = [t for t in (re.sub(r"^[^\w.+#-]+|[^\w.+#-]+$", "", w) for w in request.lower().split())
             if len(t) > 1 and t not in STOP]

    def score(tool):
        name, points = ("mcp__" + tool["server"] + "__" + tool["name"]).lower(), 0
        for term in terms:
            points += 12 if name.endswith("_" + term) else 6 if term in name else 0
            points += 4 if term in ("mcp", tool["server"]) else 0
            points += 2 if term in tool["description"].lower() else 0
        return points

    return best(sorted(tools, key=lambda t: t["server"] + t["name"]), score, 5)


def qwen_itself(package, tools, requests):
    """Returns a function like the three above."""
    asked = {"tools": tools, "requests": [request for _, request, _ in requests]}
    run = subprocess.run(["node", HERE / "qwen.mjs", package], input=json.dumps(asked), capture_output=True, text=True,
                         timeout=300, check=True)
    found = dict(zip(asked["requests"], json.loads(run.stdout)))
    return lambda _, request: found[request]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("memd")
    options.add_argument("--company", default=str(HERE / "company.tsv"))
    options.add_argument("--qwen")
    options.add_argument("--misses", action="store_true")
    options = options.parse_args()
    tools = list(tools_of(options.memd)) + list(company_of(options.company))
    lines = (HERE / "requests.tsv").read_text(encoding="utf-8").splitlines()
    requests = [line.split("\t") for line in lines if not line.startswith("#")]
    print(f"{len(tools)} tools; requests that find a right one, by half (b was kept aside when most words were chosen)")
    clients = {"claude_code": claude_code, "codex": codex, "qwen": qwen}
    if options.qwen:
        clients["qwen itself"] = qwen_itself(options.qwen, tools, requests)
    for name, client in clients.items():
        found = collections.Counter()
        for half, request, right in requests:
            reached = client(tools, request)
            if set(reached) & set(right.split("|")):
                found[half] += 1
            elif options.misses:
                print(f"  {name} {half}: {request!r} found {', '.join(reached)}")
        total = collections.Counter(half for half, _, _ in requests)
        print(f"{name}: " + ", ".join(f"{half} {found[half]} of {total[half]}" for half in sorted(total)))


if __name__ == "__main__":
    main()
