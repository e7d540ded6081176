"""Wapiti finds nothing in the guestbook, as a visitor who has signed in: scan_test.py SCRIPT_WAPITI PROGRAM. Skipped (77)
where Wapiti cannot be had."""

import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

GET_WAPITI, PROGRAM = sys.argv[1:]
SKIPPED = 77
# OWASP ZAP cannot be had beside it: of its packages, Maven Central has the core, which does not start without the add-ons, nor has rules.
# Not csrf: it takes a form without a checked token for open, but browsers say where a form comes from (guestbook_test.js).
MODULES = "backup,cookieflags,crlf,csp,exec,file,htaccess,http_headers,methods,permanentxss,redirect,sql,ssl,timesql,upload,xss,xxe"
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}  # otherwise each form is refused, and nothing behind it is tried


def signed_up(address):
    connection = http.client.HTTPConnection(address, timeout=30)
    connection.request("POST", "/sign-up", "name=scanner&password=correct+horse+battery",
                       {"Content-Type": "application/x-www-form-urlencoded", **SAME_SITE})
    answer = connection.getresponse()
    if answer.status != 303:
        raise AssertionError(f"signing up is answered by {answer.status}")
    return answer.headers["Set-Cookie"].split(";")[0]


def scanned(wapiti, address, folder):
    report = pathlib.Path(folder, "report.json")
    fields = {"Cookie": signed_up(address), **SAME_SITE}
    done = subprocess.run(
        [wapiti, "--url", f"http://{address}/", "--module", MODULES, "--format", "json", "--output", report,
         "--store-session", folder, "--store-config", folder, "--exclude", f"http://{address}/sign-out", "--scope", "domain",
         "--max-attack-time", "60", "--no-bugreport", "--verbose", "1",
         *[argument for name, value in fields.items() for argument in ("--header", f"{name}: {value}")]],
        capture_output=True, text=True, timeout=540, check=False)
    if done.returncode not in (0, 1) or not report.exists():
        raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])
    return json.loads(report.read_text())


def main():
    got = subprocess.run([GET_WAPITI], capture_output=True, text=True, check=False)
    if got.returncode != 0:
        print("skipped: Wapiti cannot be had:", got.stderr.strip().splitlines()[-1:])
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([PROGRAM, "--port", "0", "--database", f"{folder}/guestbook.db"], stderr=subprocess.PIPE, text=True)
        try:
            for line in server.stderr:
                if found := re.search(r"serving (127\.0\.0\.1:\d+)", line):
                    break
            report = scanned(got.stdout.strip(), found.group(1), folder)
        finally:
            server.send_signal(signal.SIGTERM)
            log = server.communicate(timeout=30)[1]
    pages = report["infos"]["crawled_pages_nbr"]
    findings = [f"{kind}: {each['method']} {each['path']} {each['info']}"
                for part in ("vulnerabilities", "anomalies") for kind, list_of_kind in report[part].items() for each in list_of_kind]
    print(f"{pages} pages", *findings, sep="\n")
    if findings:
        print(log[-2000:])
    return 1 if findings or pages < 4 or server.returncode != 0 else 0


sys.exit(main())
