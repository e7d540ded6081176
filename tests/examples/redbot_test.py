"""REDbot finds nothing to warn of in the responses of a program: redbot_test.py SCRIPT_REDBOT PROGRAM PATH… Pages with the
assets that they link. Skipped (77) where REDbot cannot be had.
"""

import json
import re
import signal
import subprocess
import sys

GET_REDBOT, PROGRAM, *PATHS = sys.argv[1:]
SKIPPED = 77


def main():
    got = subprocess.run([GET_REDBOT], capture_output=True, text=True, check=False)
    if got.returncode != 0:
        print("skipped: REDbot cannot be had:", got.stderr.strip().splitlines()[-1:])
        return SKIPPED
    server = subprocess.Popen([PROGRAM, "--port", "0"], stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if found := re.search(r"serving (127\.0\.0\.1:\d+)", line):
                break
        complaints, seen = [], set()
        for path in PATHS:
            report = subprocess.run([got.stdout.strip(), "--assets", "--output-format", "har", f"http://{found.group(1)}{path}"],
                                    capture_output=True, text=True, check=True, timeout=60)
            for entry in json.loads(report.stdout)["log"]["entries"]:
                seen.add(entry["request"]["url"])
                complaints += [f"{entry['request']['url']}: {note['level']} {note['note_id']}: {note['summary']}"
                               for note in entry["_red_messages"] if note["level"] in ("WARN", "BAD")]
                if entry["response"]["status"] >= 500:
                    complaints.append(f"{entry['request']['url']}: {entry['response']['status']}")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(10)
    print(*sorted(seen), *complaints, sep="\n")
    return 1 if complaints or len(seen) <= len(PATHS) else 0


sys.exit(main())
