"""Metrics under Prometheus's own tools: promtool checks their names and texts, a Prometheus scrapes them, and every query of the
dashboard for Grafana has an answer. Skipped (77) where Prometheus is not installed.

usage: prometheus_test.py DASHBOARD PROGRAM

PROGRAM is the example `monitored`.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

DASHBOARD, PROGRAM = sys.argv[1:]
SKIPPED = 77
PATIENCE = 60  # seconds


def start():
    server = subprocess.Popen([PROGRAM, "--port", "0", "--admin-port", "0", "--threads", "2"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if found := re.search(r"serving (127\.0\.0\.1:\d+), (127\.0\.0\.1:\d+)", line):
            return server, found.group(1), found.group(2)
    raise RuntimeError("the server did not start")


def get(address, accept=None):
    request = urllib.request.Request(address, headers={"Accept": accept} if accept else {})
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read().decode()


def post(address, document):
    request = urllib.request.Request(address, json.dumps(document).encode(), {"Content-Type": "application/json"})
    try:
        urllib.request.urlopen(request, timeout=10).close()
    except urllib.error.HTTPError:
        pass


def use(public):
    for cents in (10, 350, 99999, "free"):
        post(f"http://{public}/orders", {"article": "tea", "cents": cents})
    host, port = public.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as peer:  # a fault, to be refused
        peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
        peer.recv(1000)


def check_text(text):
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    print("promtool check metrics ->", done.returncode, done.stdout, done.stderr)
    return done.returncode == 0 and not done.stdout and not done.stderr


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def unprivileged():
    os.setsid()
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


class Prometheus:
    def __init__(self, folder, target):
        self.address = f"127.0.0.1:{free_port()}"
        config = folder / "prometheus.yml"
        config.write_text("global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
                          f"scrape_configs: [{{job_name: tern, static_configs: [{{targets: ['{target}']}}]}}]\n")
        data = folder / "data"
        data.mkdir()
        for path in (folder, data):
            path.chmod(0o777)
        self.log = folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={data}",
                                             f"--web.listen-address={self.address}"], stdout=log, stderr=log,
                                            preexec_fn=unprivileged)

    def query(self, expression):
        address = f"http://{self.address}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            return json.loads(get(address))["data"]["result"]
        except urllib.error.HTTPError as error:
            if error.code == 503:  # it is starting
                return []
            raise RuntimeError(expression + ": " + error.read().decode()) from error
        except (urllib.error.URLError, ConnectionError):
            return []  # it has not started yet

    def end(self):
        self.process.kill()
        self.process.wait()


def expressions():
    for panel in json.loads(pathlib.Path(DASHBOARD).read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "1m").replace("$job", ".*").replace("$instance", ".*")


def await_results(prometheus, expression, public):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        results = prometheus.query(expression)
        if results and any(result["value"][1] != "NaN" for result in results):
            return results
        use(public)
        time.sleep(0.1)
    return []


# Those whose value may be no number: nothing has waited for the pool.
MAY_BE_NAN = {"Wait for the pool"}


def check_queries(prometheus, public):
    good = True
    if not await_results(prometheus, "up == 1", public):
        print("Prometheus cannot scrape:", prometheus.log.read_text())
        return False
    if not await_results(prometheus, 'sum(rate(shop_orders_total{kind="drink"}[1m])) > 0', public):
        print("the orders are not there")
        return False
    for title, expression in expressions():
        results = prometheus.query(expression) if title in MAY_BE_NAN else await_results(prometheus, expression, public)
        if not results:
            print(f"{title}: no result of {expression}")
            good = False
    return good


def main():
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        print("Prometheus is not installed")
        return SKIPPED
    server, public, admin = start()
    good = True
    try:
        use(public)
        text = get(f"http://{admin}/metrics")
        good = check_text(text) and good
        open_text = get(f"http://{admin}/metrics", "application/openmetrics-text")
        good = open_text.endswith("# EOF\n") and good
        with tempfile.TemporaryDirectory() as folder:
            prometheus = Prometheus(pathlib.Path(folder), admin)
            try:
                good = check_queries(prometheus, public) and good
            finally:
                prometheus.end()
    finally:
        server.send_signal(signal.SIGTERM)
        good = server.wait() == 0 and good
    return 0 if good else 1


sys.exit(main())
