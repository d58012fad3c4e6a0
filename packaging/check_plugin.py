#!/usr/bin/env python3
"""Checks the shape of the Claude Code plugin: what Claude Code would refuse or silently pass over."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent / "claude-code-plugin"
KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
SOURCES = {"startup", "resume", "clear", "compact"}
MANIFEST_KEYS = {"name", "version", "description", "author", "homepage", "repository", "license", "keywords"}
problems = []


def check(holds, what):
    if not holds:
        problems.append(what)


def load(name):
    try:
        return json.loads((ROOT / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problems.append(f"{name}: {error}")
        return {}


manifest = load(".claude-plugin/plugin.json")
check(KEBAB.fullmatch(manifest.get("name", "")), "plugin.json: name has to be kebab-case")
built = re.search(r"project\(memd VERSION (\S+)", (ROOT.parent.parent / "CMakeLists.txt").read_text(encoding="utf-8"))
check(manifest.get("version") == built[1], "plugin.json: version is not that of CMakeLists.txt")
check(set(manifest) <= MANIFEST_KEYS, "plugin.json: unknown keys are passed over")

marketplace = load(".claude-plugin/marketplace.json")
check(KEBAB.fullmatch(marketplace.get("name", "")), "marketplace.json: name has to be kebab-case")
check(marketplace.get("owner", {}).get("name"), "marketplace.json: owner.name is required")
entries = marketplace.get("plugins", [])
check([e.get("name") for e in entries] == [manifest.get("name")], "marketplace.json: the one plugin is the manifest's")
for entry in entries:
    source = entry.get("source", "")
    check(source.startswith("./") and (ROOT / source).is_dir(), "marketplace.json: source has to be a folder from ./ on")

servers = load(".mcp.json").get("mcpServers", {})
check(servers.get("memd", {}).get("args") == ["--stdio"], ".mcp.json: has to run memd --stdio")

hooks = load("hooks/hooks.json").get("hooks", {})
# Events, and the values that their matchers may have.
EVENTS = {
    "SessionStart": SOURCES,
    "SubagentStart": {""},
    "UserPromptSubmit": {""},
    "PostToolUseFailure": {"Bash"},
}
check(set(hooks) == set(EVENTS), "hooks.json: the events are " + ", ".join(EVENTS))
for event, groups in hooks.items():
    for group in groups:
        named = set(group.get("matcher", "").split("|"))
        check(named <= EVENTS.get(event, set()), f"hooks.json: the matcher of {event} names what it has not")
        for hook in group.get("hooks", []):
            check(hook.get("type") == "command", "hooks.json: a hook is a command")
            check(hook.get("command", "").endswith("|| true"), "hooks.json: a hook must not fail")
            check(0 < hook.get("timeout", 0) <= 10, "hooks.json: a hook has a timeout in seconds")

for skill in ROOT.glob("skills/*/SKILL.md"):
    head = re.match(r"---\nname: (.+)\ndescription: (.+)\n---\n", skill.read_text(encoding="utf-8"))
    check(head, f"{skill.name}: front matter with name and description")
    if head:
        check(head[1] == skill.parent.name, f"{skill.parent.name}: the skill is named like its folder")
        check(len(head[2]) <= 1024, f"{skill.parent.name}: the description is longer than 1,024 characters")

rule = (ROOT.parent / "clients" / "cursor-rule.mdc").read_text(encoding="utf-8")
check(re.match(r"---\ndescription: .+\nalwaysApply: (true|false)\n---\n", rule), "cursor-rule.mdc: front matter")

for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
