"""h2spec in strict mode against a running bench-server: h2spec_test.py BENCH_SERVER SCRIPT_H2SPEC. Skipped (77) where h2spec
cannot be had."""

import re
import signal
import subprocess
import sys

SERVER, GET_H2SPEC = sys.argv[1:3]
SKIPPED = 77


def main():
    found = subprocess.run([GET_H2SPEC], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        print(found.stderr)
        sys.exit(SKIPPED)
    # Its answers to what is no HTTP/2 are not those of HTTP/1.1, and its path takes content.
    server = subprocess.Popen([SERVER, "--port", "0", "--threads", "2", "--http2", "only"], stderr=subprocess.PIPE, text=True)
    try:
        port = re.search(r"serving 127\.0\.0\.1:(\d+) with 2 loops", server.stderr.readline()).group(1)
        spec = subprocess.run([found.stdout.strip(), "--strict", "-h", "127.0.0.1", "-p", port, "-P", "/echo", "-o", "10"],
                              capture_output=True, text=True, timeout=300, check=False)
        print(spec.stdout, spec.stderr)
        failed = re.search(r"^(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed$", spec.stdout, re.MULTILINE)
        good = spec.returncode == 0 and failed and int(failed[1]) >= 146 and failed[3] == failed[4] == "0"
        server.send_signal(signal.SIGTERM)
        sys.exit(0 if good and server.wait(60) == 0 else 1)
    finally:
        server.kill()
        server.stderr.close()


main()
