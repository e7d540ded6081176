"""The documents that the examples publish: each is valid for openapi-spec-validator. Skipped (77) where it cannot be had.

usage: documents_test.py SCRIPT_OPENAPI_TOOLS PROGRAM…      a PROGRAM may have arguments behind it, in the same text
"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

GET_TOOLS, *PROGRAMS = sys.argv[1:]
SKIPPED = 77


def fetch_document(program, folder):
    """The document of a program, run in a folder, which then has to stop cleanly."""
    server = subprocess.Popen([*program.split(), "--port", "0"], cwd=folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if found := re.search(r"serving (127\.0\.0\.1:\d+)", line):
                break
        else:
            raise RuntimeError(program + " does not serve")
        with urllib.request.urlopen(f"http://{found.group(1)}/openapi.json", timeout=30) as response:
            document = response.read().decode()
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0, program
        return document
    finally:
        server.kill()


def main():
    tools = subprocess.run([GET_TOOLS], capture_output=True, text=True, check=False)
    if tools.returncode != 0:
        print(tools.stderr)
        sys.exit(SKIPPED)
    validator = pathlib.Path(tools.stdout.strip()) / "openapi-spec-validator"
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for program in PROGRAMS:
            document = fetch_document(program, folder)
            assert json.loads(document)["paths"], program
            files.append(pathlib.Path(folder) / (pathlib.Path(program.split()[0]).name + ".json"))
            files[-1].write_text(document)
        sys.exit(subprocess.run([validator, "--errors", "all", *files], check=False).returncode)


if __name__ == "__main__":
    main()
