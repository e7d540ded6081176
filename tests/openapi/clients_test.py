"""The OpenAPI document of a service under spectral, and the clients that openapi-typescript and oapi-codegen generate of it:
compiled, and used against the service by clients/NAME.ts and clients/NAME.go. Skipped (77) where these cannot be had.

usage: clients_test.py SCRIPT_OPENAPI_CLIENTS NAME PROGRAM [ARGUMENTS…]
"""

import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

GET_TOOLS, NAME, *COMMAND = sys.argv[1:]
HERE = pathlib.Path(__file__).parent / "clients"
SKIPPED = 77


def start():
    server = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if found := re.search(r"127\.0\.0\.1:(\d+)", line):
            return server, "http://127.0.0.1:" + found.group(1)
    raise RuntimeError("the server did not start")


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(" ".join(map(str, command)), "->", done.returncode)
    if done.returncode != 0:
        print(done.stdout[-10_000:], done.stderr[-5_000:])
    return done.returncode == 0


def lint(tools, folder):
    """No error and no warning of the recommended rules."""
    (folder / "spectral.yaml").write_text('extends: ["spectral:oas"]\n')
    return run(folder, tools / "node_modules/.bin/spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint",
               "openapi.json")


def use_typescript(tools, folder, address):
    programs = tools / "node_modules/.bin"
    (folder / "node_modules").symlink_to(tools / "node_modules")
    (folder / "package.json").write_text('{"type":"module"}')
    shutil.copy(HERE / f"{NAME}.ts", folder / "use.ts")
    return (run(folder, programs / "openapi-typescript", "openapi.json", "--output", "schema.d.ts",
                "--default-non-nullable=false") and
            run(folder, programs / "tsc", "--strict", "--noUncheckedIndexedAccess", "--target", "es2022", "--module", "nodenext",
                "--types", "node", "use.ts") and
            run(folder, "node", "use.js", address))


def use_go(tools, folder, address):
    module = folder / "go"
    (module / "client").mkdir(parents=True)
    for name in ("go.mod", "go.sum"):
        shutil.copy(tools / "go" / name, module / name)
    shutil.copy(HERE / f"{NAME}.go", module / "main.go")
    return (run(folder, tools / "go/bin/oapi-codegen", "-generate", "types,client", "-package", "client", "-o",
                module / "client/client.go", "openapi.json") and
            run(module, "go", "vet", "./...") and run(module, "go", "build", "-o", "use", ".") and
            run(module, module / "use", address))


def main():
    found = subprocess.run([GET_TOOLS], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        print(found.stderr)
        sys.exit(SKIPPED)
    tools = pathlib.Path(found.stdout.strip())
    server, address = start()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with urllib.request.urlopen(address + "/openapi.json", timeout=30) as response:
                (folder / "openapi.json").write_bytes(response.read())
            results = [lint(tools, folder), use_typescript(tools, folder, address), use_go(tools, folder, address)]
        server.send_signal(signal.SIGTERM)
        sys.exit(0 if server.wait(60) == 0 and all(results) else 1)
    finally:
        server.kill()


if __name__ == "__main__":
    main()
