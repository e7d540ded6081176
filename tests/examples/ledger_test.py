#!/usr/bin/env python3
"""The ledger under fire: clients that transfer and repeat, a server that is killed again and again. At the end, no money
is lost or made, each acknowledged transfer is there once, and the balances are what the transfers say.

  ledger_test.py PROGRAM [--postgres] [--seconds N] [--clients N] [--seed N]

With --postgres, the database is killed, too.
"""
import argparse
import collections
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import postgres_process

ACCOUNTS = 20
BALANCE = 1000


class Server:
    """The ledger on one port, which is started again after it was killed."""

    def __init__(self, program, folder, database):
        self.command = [program, "--threads", "2", "--database", database]
        self.folder = folder
        self.port = 0
        self.starts = 0
        self.log = open(pathlib.Path(folder, "log"), "w+")
        self.start()

    def start(self):
        self.log.seek(0)
        self.log.truncate()
        self.process = subprocess.Popen([*self.command, "--port", str(self.port)], cwd=self.folder, stdout=self.log,
                                        stderr=self.log)
        self.starts += 1
        while self.process.poll() is None:
            found = re.search(r"serving 127\.0\.0\.1:(\d+)", pathlib.Path(self.folder, "log").read_text())
            if found:
                self.port = int(found[1])
                return
            time.sleep(0.01)
        raise RuntimeError("the ledger does not start: " + pathlib.Path(self.folder, "log").read_text())

    def kill(self):
        self.process.kill()
        self.process.wait()


class Client:
    def __init__(self, server):
        self.server = server
        self.connection = None

    def ask(self, method, path, content=None, key=None):
        """Status and JSON. Raises OSError or HTTPException without an answer."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        fields = {"Content-Type": "application/json"}
        if key:
            fields["Idempotency-Key"] = key
        try:
            self.connection.request(method, path, content and json.dumps(content), fields)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise
        return answer.status, json.loads(text)

    def pages(self, path):
        after = 0
        patience = time.monotonic() + 20  # the server may not know yet that the database is back
        while after is not None:
            status, page = self.ask("GET", f"{path}?limit=500&after={after}")
            if status == 503 and time.monotonic() < patience:
                time.sleep(0.02)
                continue
            assert status == 200, page
            yield from page["items"]
            after = page["next"]


class Transfers(threading.Thread):
    """One client: a transfer is repeated with its key until there is an answer."""

    def __init__(self, server, seed, over):
        super().__init__(daemon=True)
        self.client = Client(server)
        self.random = random.Random(seed)
        self.over = over
        self.acknowledged = {}
        self.refused = self.repeated = 0
        self.faults = []

    def run(self):
        while not self.over.is_set():
            source, target = self.random.sample(range(1, ACCOUNTS + 1), 2)
            self.transfer(str(uuid.UUID(int=self.random.getrandbits(128))),
                          {"from": source, "to": target, "amount": self.random.randint(1, 400)})

    def transfer(self, key, wanted):
        while True:
            try:
                status, answer = self.client.ask("POST", "/transfers", wanted, key)
            except (OSError, http.client.HTTPException):
                status = 503
            if status == 201:
                self.acknowledged[key] = wanted
                # Some repeat what they know already.
                if self.random.random() < 0.1:
                    continue
                return
            if status == 409:
                self.refused += 1
                if key in self.acknowledged:
                    self.faults.append(f"{key} was acknowledged, and is refused now")
                return
            if status != 503:
                self.faults.append(f"{status}: {answer}")
                return
            if self.over.is_set():
                return
            self.repeated += 1
            time.sleep(0.005)


def check(server, threads):
    reader = Client(server)
    faults = [fault for thread in threads for fault in thread.faults]
    transfers = list(reader.pages("/transfers"))
    by_key = collections.Counter(transfer["key"] for transfer in transfers)
    faults += [f"{key} was made {count} times" for key, count in by_key.items() if count != 1]
    made = {transfer["key"]: transfer for transfer in transfers}
    for thread in threads:
        for key, wanted in thread.acknowledged.items():
            if key not in made:
                faults.append(f"{key} was acknowledged, and is missing")
            elif any(made[key][name] != value for name, value in wanted.items()):
                faults.append(f"{key} is {made[key]} instead of {wanted}")
    balances = {account["id"]: account["balance"] for account in reader.pages("/accounts")}
    if sum(balances.values()) != ACCOUNTS * BALANCE:
        faults.append(f"the sum is {sum(balances.values())} instead of {ACCOUNTS * BALANCE}")
    expected = dict.fromkeys(range(1, ACCOUNTS + 1), BALANCE)
    for transfer in transfers:
        expected[transfer["from"]] -= transfer["amount"]
        expected[transfer["to"]] += transfer["amount"]
    faults += [f"account {number} has {balances.get(number)}, and its transfers say {balance}"
               for number, balance in expected.items() if balances.get(number) != balance]
    if not transfers:
        faults.append("there are no transfers")
    return faults, len(transfers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    if options.postgres and not postgres_process.find_programs():
        print("PostgreSQL is not installed")
        sys.exit(77)
    options.seconds = options.seconds or (15 if options.postgres else 6)
    print(f"again: {sys.argv[0]} {options.program} --seconds {options.seconds:g} --seed {options.seed}" +
          (" --postgres" if options.postgres else ""), flush=True)
    chance = random.Random(options.seed)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database = None
        if options.postgres:
            database = postgres_process.Postgres()
            stack.callback(database.remove)
        server = Server(options.program.resolve(), folder, database.url if database else "ledger.db")
        try:
            for number in range(ACCOUNTS):
                Client(server).ask("POST", "/accounts", {"owner": f"client {number}", "balance": BALANCE})
            over = threading.Event()
            threads = [Transfers(server, chance.getrandbits(64), over) for _ in range(options.clients)]
            for thread in threads:
                thread.start()
            end = time.monotonic() + options.seconds
            kills = 0
            while time.monotonic() < end:
                time.sleep(chance.uniform(0.2, 1))
                kills += 1
                if database and chance.random() < 0.5:
                    database.kill()
                    time.sleep(chance.uniform(0, 0.3))
                    database.start()
                else:
                    server.kill()
                    server.start()
            over.set()
            for thread in threads:
                thread.join(60)
                if thread.is_alive():
                    sys.exit("a client hangs")
            faults, count = check(server, threads)
            acknowledged = sum(len(thread.acknowledged) for thread in threads)
            print(f"{kills} kills, {count} transfers, {acknowledged} acknowledged, "
                  f"{sum(thread.refused for thread in threads)} refused, "
                  f"{sum(thread.repeated for thread in threads)} repeated")
            server.process.send_signal(signal.SIGTERM)
            if server.process.wait(30) != 0:
                faults.append("the server does not stop cleanly")
        finally:
            server.kill()
        for fault in faults[:20]:
            print("FAILED:", fault)
        sys.exit(1 if faults else 0)


main()
