#!/usr/bin/env python3
"""Makes the files of a release for package managers of its tarballs. See README.md beside it."""

import argparse
import base64
import gzip
import hashlib
import io
import json
import pathlib
import re
import stat
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VERSION = re.search(r"project\(memd VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
SUMMARY = "Memory for coding agents: one store, any agent, over MCP"

# What others call a target: npm's os and cpu, Python's platform, Nix's system.
TARGETS = {
    "linux-x86_64": ("linux", "x64", "manylinux2014_x86_64.musllinux_1_1_x86_64", "x86_64-linux"),
    "linux-arm64": ("linux", "arm64", "manylinux2014_aarch64.musllinux_1_1_aarch64", "aarch64-linux"),
    "macos-arm64": ("darwin", "arm64", "macosx_13_0_arm64", "aarch64-darwin"),
    "macos-x86_64": ("darwin", "x64", "macosx_13_0_x86_64", "x86_64-darwin"),
}


def rendered(name, values):
    text = (HERE / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    left = re.search(r"@[A-Z_0-9]+@", text)
    if left:
        raise SystemExit(f"render.py: {name}: nothing is known of {left[0]}")
    return text


def files_in(tarball):
    """The program, and what it reads from ../lib/memd beside it, by path below the prefix."""
    with tarfile.open(tarball) as archive:
        wanted = [member for member in archive.getmembers() if re.search("/bin/memd$|/lib/memd/.", member.name)]
        files = {member.name.split("/", 1)[1]: archive.extractfile(member).read() for member in wanted}
    return files.pop("bin/memd"), sorted(files.items())


def write_zip(path, files):
    """A zip that is the same, byte for byte, for the same contents: (name, data, mode)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | mode) << 16
            bundle.writestr(entry, data)


def write_npm(path, files):
    """What `npm pack` would make."""
    with open(path, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name, data, mode in files:
                entry = tarfile.TarInfo(f"package/{name}")
                entry.size, entry.mode = len(data), mode
                archive.addfile(entry, io.BytesIO(data))


def write_wheel(out, platform, program, data):
    """A wheel whose script is the program, so that pip and uvx put it where commands are. The name memd is another's."""
    info = f"memd_mcp-{VERSION}.dist-info"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
    metadata = f"Metadata-Version: 2.1\nName: memd-mcp\nVersion: {VERSION}\nSummary: {SUMMARY}\nLicense: MIT\n\nmcp-name: dev.memd/memd\n"
    files = [
        (f"memd_mcp-{VERSION}.data/scripts/memd", program, 0o755),
        *((f"memd_mcp-{VERSION}.data/data/{name}", content, 0o644) for name, content in data),
        ("memd_mcp.py", (HERE / "memd_mcp.py").read_bytes(), 0o644),
        (f"{info}/entry_points.txt", b"[console_scripts]\nmemd-mcp = memd_mcp:main\n", 0o644),
        (f"{info}/METADATA", metadata.encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: memd\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644),
        (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
        (f"{info}/licenses/third-party.txt", (ROOT / "packaging/third-party.txt").read_bytes(), 0o644),
    ]
    record = ""
    for name, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))
    write_zip(out / f"memd_mcp-{VERSION}-py3-none-{platform}.whl", files)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", required=True, help="where the files of the release will be")
    parser.add_argument("--dist", required=True, type=pathlib.Path, help="where its tarballs are")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    tarballs = {target: arguments.dist / f"memd-{VERSION}-{target}.tar.gz" for target in TARGETS}
    tarballs = {target: path for target, path in tarballs.items() if path.exists()}
    if not tarballs:
        raise SystemExit(f"render.py: {arguments.dist} has no memd-{VERSION}-TARGET.tar.gz")
    values = {"VERSION": VERSION, "BASE_URL": arguments.base_url.rstrip("/")}
    registry, platforms = [], {}
    for target in TARGETS:
        values[f"SHA256_{target.upper().replace('-', '_')}"] = "0" * 64
    for target, path in tarballs.items():
        system, cpu, wheel, _ = TARGETS[target]
        program, data = files_in(path)
        beside = [(name, content, 0o644) for name, content in data]
        values[f"SHA256_{target.upper().replace('-', '_')}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        bundle = out / f"memd-{VERSION}-{target}.mcpb"
        manifest = rendered("manifest.json.in", {**values, "SYSTEM": system})
        write_zip(bundle, [("manifest.json", manifest.encode(), 0o644), ("server/memd", program, 0o755), *beside])
        registry.append({
            "registryType": "mcpb",
            "identifier": f"{values['BASE_URL']}/{bundle.name}",
            "version": VERSION,
            "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
            "transport": {"type": "stdio"},
        })
        name = f"memd-mcp-{system}-{cpu}"
        package = {"name": name, "version": VERSION, "description": f"The program of memd-mcp for {target}", "license": "MIT",
                   "os": [system], "cpu": [cpu], "files": ["bin", "lib"]}
        write_npm(out / f"{name}-{VERSION}.tgz", [("package.json", json.dumps(package, indent=2).encode(), 0o644),
                                                  ("bin/memd", program, 0o755), *beside])
        platforms[name] = VERSION
        write_wheel(out, wheel, program, data)
    registry.append({"registryType": "npm", "identifier": "memd-mcp", "version": VERSION, "transport": {"type": "stdio"}})
    registry.append({"registryType": "pypi", "identifier": "memd-mcp", "version": VERSION, "runtimeHint": "uvx",
                     "transport": {"type": "stdio"}})
    values["PACKAGES"] = json.dumps(registry, indent=2)
    values["PLATFORMS"] = json.dumps(platforms)
    write_npm(out / f"memd-mcp-{VERSION}.tgz", [("package.json", rendered("npm/package.json.in", values).encode(), 0o644),
                                                ("memd-mcp.js", (HERE / "npm/memd-mcp.js").read_bytes(), 0o755)])
    for name in ("server.json", "memd.rb", "PKGBUILD", "flake.nix", "Dockerfile"):
        (out / name).write_text(rendered(f"{name}.in", values), encoding="utf-8")


main()
