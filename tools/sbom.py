#!/usr/bin/env python3
"""Prints a bill of materials as SPDX 2.3 in JSON: Tern, and the libraries that it links, with their licences and the versions
of this machine.

usage: sbom.py VERSION TIME [ARCHIVE]
  TIME     seconds since 1970, so that the result can be made again byte by byte
  ARCHIVE  the source archive, whose checksum is stated
"""
import datetime
import hashlib
import json
import pathlib
import subprocess
import sys

# Package of Debian: name, licence, the option that needs it ("" for none).
LIBRARIES = {
    "libsimdjson-dev": ("simdjson", "Apache-2.0", ""),
    "libre2-dev": ("RE2", "BSD-3-Clause", ""),
    "libspdlog-dev": ("spdlog", "MIT", ""),
    "libfmt-dev": ("fmt", "MIT", ""),
    "libssl-dev": ("OpenSSL", "Apache-2.0", "TERN_TLS"),
    "libnghttp2-dev": ("nghttp2", "MIT", "TERN_HTTP2"),
    "zlib1g-dev": ("zlib", "Zlib", "TERN_ZLIB"),
    "libbrotli-dev": ("Brotli", "MIT", "TERN_WEB"),
    "libzstd-dev": ("zstd", "BSD-3-Clause OR GPL-2.0-only", "TERN_WEB"),
    "libargon2-dev": ("Argon2", "CC0-1.0 OR Apache-2.0", "TERN_WEB"),
    "libcrypt-dev": ("libxcrypt", "LGPL-2.1-or-later", "TERN_WEB"),
    "libtomlplusplus-dev": ("toml++", "MIT", "TERN_CONFIG"),
    "libhiredis-dev": ("hiredis", "BSD-3-Clause", "TERN_REDIS"),
    "libsqlite3-dev": ("SQLite", "blessing", "TERN_SQLITE"),
    "libpq-dev": ("libpq", "PostgreSQL", "TERN_POSTGRES"),
    "libcli11-dev": ("CLI11", "BSD-3-Clause", "TERN_COMMAND"),
}


def installed(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 and done.stdout else "NOASSERTION"


def main():
    version, time = sys.argv[1], int(sys.argv[2])
    created = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    tern = {
        "SPDXID": "SPDXRef-tern", "name": "tern", "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "LIBRARY",
    }
    if len(sys.argv) > 3:
        archive = pathlib.Path(sys.argv[3])
        tern["packageFileName"] = archive.name
        tern["checksums"] = [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(archive.read_bytes()).hexdigest()}]
    packages, relations = [tern], [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-tern"}]
    for package, (name, licence, option) in LIBRARIES.items():
        identifier = f"SPDXRef-{package}"
        found = installed(package)
        packages.append({
            "SPDXID": identifier, "name": name, "versionInfo": found, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            **({"comment": f"needed with the option {option}"} if option else {}),
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{package}" + (f"@{found.replace(':', '%3A').replace('+', '%2B')}" if found != "NOASSERTION" else "")}],
        })
        relations.append({"spdxElementId": "SPDXRef-tern", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": identifier})
    digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tern-{version}",
        "documentNamespace": f"https://tern.invalid/spdx/tern-{version}-{digest[:16]}",
        "creationInfo": {"created": created, "creators": ["Tool: tern-sbom"]},
        "packages": packages, "relationships": relations,
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
