"""Two processes of the example visits share counts and a rate limit: visits_test.py PROGRAM. Skipped (77) without
redis-server."""

import json
import sys
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from processes import PATIENCE, REDIS, Redis, Server, until

PROGRAM = sys.argv[1]


def ask(server, path, method="GET"):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


class Visits(unittest.TestCase):
    def setUp(self):
        self.redis = Redis()
        self.addCleanup(self.redis.stop)
        self.servers = [Server(PROGRAM, "--redis-socket", self.redis.path) for _ in range(2)]
        for server in self.servers:
            self.addCleanup(self.end, server)

    def end(self, server):
        self.assertEqual(server.stop(), 0, server.lines)

    def visit(self, number):
        status, answer = ask(self.servers[number % 2], "/pages/home", "POST")
        self.assertEqual(status, 200)
        return answer["visits"]

    def test_both_count_together(self):
        with ThreadPoolExecutor(20) as clients:
            counts = sorted(clients.map(self.visit, range(200)))
        self.assertEqual(counts, list(range(1, 201)))
        for server in self.servers:
            self.assertEqual(ask(server, "/top"), (200, [{"page": "home", "visits": 200}]))

    def test_both_have_one_limit(self):
        with ThreadPoolExecutor(20) as clients:
            statuses = list(clients.map(lambda number: ask(self.servers[number % 2], "/top")[0], range(60)))
        allowed = statuses.count(200)
        self.assertEqual(allowed + statuses.count(429), 60)
        self.assertGreaterEqual(allowed, 20)
        self.assertLess(allowed, 40)  # one token returns in three seconds; two limits would be 40

    def test_redis_goes_away_and_comes_back(self):
        self.visit(0)
        self.visit(1)
        self.redis.kill()
        for server in self.servers:
            until(lambda: ask(server, "/pages/home", "POST")[0] == 503)
            status, problem = ask(server, "/pages/home", "POST")
            self.assertEqual((status, problem["status"]), (503, 503))
            self.assertNotIn("Connection", problem["detail"])
            self.assertEqual(ask(server, "/top")[0], 503)  # allowed by the server's own limit
        self.assertTrue(self.redis.start())
        for server in self.servers:
            until(lambda: ask(server, "/pages/home", "POST")[0] == 200)


if __name__ == "__main__":
    if REDIS is None:
        print("skipped: redis-server is not installed (script/bootstrap test)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
