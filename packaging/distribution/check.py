#!/usr/bin/env python3
"""Checks what render.py has made: what the MCP registry, clients of bundles, npm and Homebrew would refuse."""

import hashlib
import json
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import zipfile

OUT = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
problems = []

# The members of each file: type, and whether it is required. Others are rejected, as the published schemas do.
TEXT, LIST, DICT, FLAG = str, list, dict, bool
MANIFEST = {  # MCPB manifest 0.4
    "manifest_version": (TEXT, True), "name": (TEXT, True), "display_name": (TEXT, False), "version": (TEXT, True),
    "description": (TEXT, True), "long_description": (TEXT, False), "author": (DICT, True), "repository": (DICT, False),
    "homepage": (TEXT, False), "documentation": (TEXT, False), "support": (TEXT, False), "icon": (TEXT, False),
    "license": (TEXT, False), "keywords": (LIST, False), "server": (DICT, True), "tools": (LIST, False),
    "tools_generated": (FLAG, False), "prompts_generated": (FLAG, False), "compatibility": (DICT, False),
}
SERVER = {"type": (TEXT, True), "entry_point": (TEXT, True), "mcp_config": (DICT, True)}
MCP_CONFIG = {"command": (TEXT, True), "args": (LIST, False), "env": (DICT, False), "platform_overrides": (DICT, False)}
REGISTRY = {  # the registry's server.json, 2025-12-11
    "$schema": (TEXT, True), "name": (TEXT, True), "description": (TEXT, True), "version": (TEXT, True),
    "packages": (LIST, True), "repository": (DICT, False), "websiteUrl": (TEXT, False),
}
PACKAGE = {
    "registryType": (TEXT, True), "registryBaseUrl": (TEXT, False), "identifier": (TEXT, True), "version": (TEXT, True),
    "fileSha256": (TEXT, False), "runtimeHint": (TEXT, False), "transport": (DICT, True),
    "packageArguments": (LIST, False), "runtimeArguments": (LIST, False), "environmentVariables": (LIST, False),
}


def check(holds, what):
    if not holds:
        problems.append(what)
    return holds


def load(name, read):
    try:
        return json.loads(read())
    except (KeyError, OSError, ValueError) as error:
        problems.append(f"{name}: {error}")
        return {}


def has_shape(value, shape, where):
    for key, (kind, required) in shape.items():
        if key in value:
            check(isinstance(value[key], kind), f"{where}: {key} is no {kind.__name__}")
        else:
            check(not required, f"{where}: {key} is missing")
    for key in set(value) - set(shape):
        problems.append(f"{where}: {key} is not known")


def is_url(text):
    parts = urllib.parse.urlsplit(text)
    return parts.scheme == "https" and bool(parts.netloc)


version = re.search(r"project\(memd VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]

SYSTEMS = {"darwin": "macos", "linux": "linux"}
THIS_TARGET = f"{SYSTEMS.get(platform.system().lower())}-{platform.machine().replace('aarch64', 'arm64')}"


def check_bundle(bundle):
    with zipfile.ZipFile(bundle) as zipped, tempfile.TemporaryDirectory() as directory:
        manifest = load(bundle.name, lambda: zipped.read("manifest.json"))
        has_shape(manifest, MANIFEST, bundle.name)
        check(manifest.get("manifest_version") == "0.4", f"{bundle.name}: manifest_version is 0.4")
        check(manifest.get("version") == version, f"{bundle.name}: version is not that of CMakeLists.txt")
        check(manifest.get("author", {}).get("name"), f"{bundle.name}: author.name is missing")
        server = manifest.get("server", {})
        has_shape(server, SERVER, f"{bundle.name}: server")
        check(server.get("type") in ("node", "python", "binary", "uv"), f"{bundle.name}: server.type")
        has_shape(server.get("mcp_config", {}), MCP_CONFIG, f"{bundle.name}: mcp_config")
        check(set(manifest.get("compatibility", {}).get("platforms", [])) <= {"darwin", "linux", "win32"}, f"{bundle.name}: platforms")
        entry = zipped.getinfo(server.get("entry_point", ""))
        check(entry.external_attr >> 16 & 0o111 == 0o111, f"{bundle.name}: its program cannot be executed")
        if not bundle.stem.endswith(THIS_TARGET):
            return
        program = pathlib.Path(zipped.extract(entry, directory))
        program.chmod(0o700)
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        check(said.strip() == f"memd {version}", f"the bundle's program says {said!r}")


registry = load("server.json", (OUT / "server.json").read_text)
has_shape(registry, REGISTRY, "server.json")
name = registry.get("name", "")
check(re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", name) and 3 <= len(name) <= 200, "server.json: name")
check(1 <= len(registry.get("description", "")) <= 100, "server.json: description has 1 to 100 characters")
check(registry.get("version") == version, "server.json: version is not that of CMakeLists.txt")
for package in registry.get("packages", []):
    has_shape(package, PACKAGE, "server.json: package")
    check(package.get("transport", {}).get("type") == "stdio", "server.json: transport")
    if package.get("registryType") != "mcpb":
        continue
    check(is_url(package.get("identifier", "")), "server.json: a bundle is named by its address")
    bundle = OUT / pathlib.PurePosixPath(urllib.parse.urlsplit(package.get("identifier", "")).path).name
    if check(bundle.is_file(), f"server.json: {bundle.name} is not there"):
        digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
        check(package.get("fileSha256") == digest, f"server.json: fileSha256 is not that of {bundle.name}")
        check_bundle(bundle)

with tarfile.open(OUT / f"memd-mcp-{version}.tgz") as npm_files:
    names = npm_files.getnames()
    npm = load("package.json", npm_files.extractfile("package/package.json").read)
    check(re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,213}", npm.get("name", "")), "package.json: name")
    check(npm.get("version") == version, "package.json: version is not that of CMakeLists.txt")
    check(npm.get("mcpName") == name, "package.json: mcpName is the registry's name")
    for target in npm.get("bin", {}).values():
        check(f"package/{target}" in names, f"package.json: {target} is not there")
        script = npm_files.extractfile(f"package/{target}").read()
        check(script.startswith(b"#!/usr/bin/env node\n"), f"package.json: {target}")
        check(target in npm.get("files", []), f"package.json: {target} is not among its files")
    for other in npm.get("optionalDependencies", {}):
        check((OUT / f"{other}-{version}.tgz").is_file(), f"package.json: {other} is not there")

formula = (OUT / "memd.rb").read_text(encoding="utf-8")
check(re.search(r"^class Memd < Formula$", formula, re.M), "memd.rb: the class is named after the formula")
for field, pattern in (("desc", r".{1,79}"), ("url", r"https://\S+"), ("sha256", r"[0-9a-f]{64}"), ("license", r"MIT")):
    check(re.search(rf'^ +{field} "{pattern}"$', formula, re.M), f"memd.rb: {field}")
opened = len(re.findall(r"^\s*(?:class|def)\b|\bdo$", formula, re.M))
check(opened == len(re.findall(r"^\s*end$", formula, re.M)), "memd.rb: a block has no end")

for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
