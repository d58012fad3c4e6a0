#!/usr/bin/env python3
"""Makes the files of a release for Homebrew, MCP bundles, the MCP registry and npm. See README.md beside it."""

import argparse
import hashlib
import pathlib
import platform
import re
import stat
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def project_version():
    return re.search(r"project\(memd VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def rendered(name, values):
    text = (HERE / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    left = re.search(r"@[A-Z_0-9]+@", text)
    if left:
        raise SystemExit(f"render.py: {name}: nothing is known of {left[0]}")
    return text


def write_bundle(path, manifest, program):
    """A zip that is the same, byte for byte, for the same contents."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data, mode in (
            ("manifest.json", manifest.encode(), 0o644),
            ("server/memd", program.read_bytes(), 0o755),
        ):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | mode) << 16
            bundle.writestr(entry, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", required=True, help="where the files of the release are")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/install/daemon/memd")
    parser.add_argument("--source", type=pathlib.Path, help="the source archive of the release, for its SHA-256")
    arguments = parser.parse_args()
    out = arguments.out
    (out / "npm").mkdir(parents=True, exist_ok=True)
    values = {
        "VERSION": project_version(),
        "BASE_URL": arguments.base_url.rstrip("/"),
        "SYSTEM": f"{platform.system().lower()}-{platform.machine()}",
        "SOURCE_SHA256": sha256(arguments.source) if arguments.source else "0" * 64,
    }
    manifest = rendered("manifest.json.in", values)
    bundle = out / f"memd-{values['VERSION']}-{values['SYSTEM']}.mcpb"
    write_bundle(bundle, manifest, arguments.program)
    values["BUNDLE_SHA256"] = sha256(bundle)
    (out / "manifest.json").write_text(manifest, encoding="utf-8")
    (out / "server.json").write_text(rendered("server.json.in", values), encoding="utf-8")
    (out / "memd.rb").write_text(rendered("memd.rb.in", values), encoding="utf-8")
    (out / "npm/package.json").write_text(rendered("npm/package.json.in", values), encoding="utf-8")
    (out / "npm/memd-mcp.js").write_bytes((HERE / "npm/memd-mcp.js").read_bytes())


main()
