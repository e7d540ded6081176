"""The OpenAPI document of a service, and the service, under the tools of others: openapi-spec-validator, Schemathesis and a
client that openapi-python-client generates and that is used against the service. Skipped (77) where these cannot be had.

usage: tools_test.py SCRIPT_OPENAPI_TOOLS EXAMPLES_PER_OPERATION PROGRAM [ARGUMENTS…]

More than ten thousand requests, by hand:
  tools_test.py script/openapi-tools 250 build/debug/bin/torture-server
  tools_test.py script/openapi-tools 700 build/debug/bin/showcase --port 0 --database :memory:
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

GET_TOOLS, EXAMPLES, *COMMAND = sys.argv[1:]
HERE = pathlib.Path(__file__).parent
SKIPPED = 77


def start():
    server = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if found := re.search(r"127\.0\.0\.1:(\d+)", line):
            return server, "http://127.0.0.1:" + found.group(1)
    raise RuntimeError("the server did not start")


def get(address):
    with urllib.request.urlopen(address, timeout=10) as response:
        return response.read().decode()


def run(folder, *command, **options):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)
    print(" ".join(map(str, command)), "->", done.returncode)
    if done.returncode != 0:
        print(done.stdout[-20_000:], done.stderr[-5_000:])
    for line in re.findall(r".*\d+ generated.*", done.stdout):
        print(line)
    return done.returncode == 0


def check_document(tools, folder, address):
    text = get(address + "/openapi.json")
    (folder / "openapi.json").write_text(text)
    (folder / "openapi.yaml").write_text(get(address + "/openapi.yaml"))
    same = run(folder, tools / "python", "-c",
               "import json, yaml; assert json.load(open('openapi.json')) == yaml.safe_load(open('openapi.yaml'))")
    ids = [operation["operationId"] for path in json.loads(text)["paths"].values() for operation in path.values()]
    assert len(ids) == len(set(ids)), ids
    return same and run(folder, tools / "openapi-spec-validator", "--errors", "all", "openapi.json")


def check_service(tools, folder, address):
    # In the folder, because it writes its cache beside its configuration.
    shutil.copy(HERE / f"schemathesis-{pathlib.Path(COMMAND[0]).name}.toml", folder / "schemathesis.toml")
    return run(folder, tools / "schemathesis", "--config-file", folder / "schemathesis.toml", "run", address + "/openapi.json",
               "--max-examples", EXAMPLES, "--continue-on-failure", "--no-color", "--seed", "1",
               "--generation-allow-x00", "false", "--header", "X-Key: sesame")


def check_client(tools, folder, address):
    """A client is generated with all operations, and understands the responses of the service."""
    done = subprocess.run([tools / "openapi-python-client", "generate", "--path", "openapi.json", "--meta", "none",
                           "--output-path", "client"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "WARNING" in done.stdout + done.stderr:
        print(done.stdout, done.stderr)
        return False
    return (run(folder, tools / "python", "-m", "compileall", "-q", "client") and
            run(folder, tools / "python", HERE / "use_client.py", address, env={**os.environ, "PYTHONPATH": str(folder)}))


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
            good = check_document(tools, folder, address)
            good = check_client(tools, folder, address) and good
            good = check_service(tools, folder, address) and good
        server.send_signal(signal.SIGTERM)
        sys.exit(0 if server.wait(60) == 0 and good else 1)
    finally:
        server.kill()


if __name__ == "__main__":
    main()
