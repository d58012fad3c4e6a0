#!/usr/bin/env python3
"""Writes what a release consists of as CycloneDX 1.5: sbom.py VERSION <sources.tsv"""

import json
import sys
import urllib.parse


def component(name, version, licence, sha256, path):
    expression = {"expression": licence} if " " in licence else {"license": {"id": licence}}
    return {
        "type": "library",
        "bom-ref": name,
        "name": name,
        "version": version,
        "licenses": [expression],
        "purl": f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?arch=source",
        "externalReferences": [
            {
                "type": "distribution",
                "url": f"http://deb.debian.org/{path}",
                "hashes": [{"alg": "SHA-256", "content": sha256}],
            }
        ],
    }


rows = [line.rstrip("\n").split("\t") for line in sys.stdin if not line.startswith("#")]
memd = {"type": "application", "bom-ref": "memd", "name": "memd", "version": sys.argv[1], "licenses": [{"license": {"id": "MIT"}}]}
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": memd},
    "components": [component(*row) for row in rows],
    "dependencies": [{"ref": "memd", "dependsOn": [row[0] for row in rows]}],
}
json.dump(document, sys.stdout, indent=1)
print()
