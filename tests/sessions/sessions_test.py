"""Two server processes share sessions: sessions_test.py PROGRAM. One class for each store; those of Redis and PostgreSQL
are skipped without their servers."""

import http.client
import json
import os
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "redis"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "examples"))
from postgres_process import Postgres, find_programs  # noqa: E402
from processes import PATIENCE, REDIS, Redis, Server, until  # noqa: E402

PROGRAM = sys.argv[1]


class Browser:
    """Keeps the cookie, and sends it to both servers."""

    def __init__(self, cookie=None):
        self.cookie = cookie

    def send(self, server, method, path):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        fields = {"Sec-Fetch-Site": "same-origin"}
        if self.cookie is not None:
            fields["Cookie"] = f"session={self.cookie}"
        connection.request(method, path, headers=fields)
        answer = connection.getresponse()
        content = answer.read()
        cookies = answer.headers.get_all("Set-Cookie", [])
        connection.close()
        for cookie in cookies:
            self.cookie = cookie.removeprefix("session=").split(";")[0] or None
        return answer.status, content

    def post(self, server, path):
        return self.send(server, "POST", path)[0]

    def basket(self, server):
        status, content = self.send(server, "GET", "/")
        return json.loads(content) if status == 200 else status


EMPTY = {"owner": "", "items": []}


class Sessions:
    """What holds for every store. The class of a store gives `flags`."""

    def start(self):
        self.servers = [Server(PROGRAM, *self.flags) for _ in range(2)]
        self.one, self.other = self.servers
        self.addCleanup(lambda: [self.end(server) for server in self.servers])

    def end(self, server):
        self.assertEqual(server.stop(), 0, server.lines)

    def test_login_on_one_is_used_on_the_other_and_logout_ends_both(self):
        ada = Browser()
        self.assertEqual(ada.post(self.one, "/items/7"), 204)
        before = ada.cookie
        self.assertEqual(ada.post(self.other, "/login/ada"), 200)
        self.assertNotEqual(ada.cookie, before)
        for server in self.servers:
            self.assertEqual(ada.basket(server), {"owner": "ada", "items": [7]})
            self.assertEqual(Browser(before).basket(server), EMPTY)  # a fixed session does not become the user's
        copy = ada.cookie
        self.assertEqual(ada.post(self.one, "/logout"), 204)
        self.assertIsNone(ada.cookie)
        for server in self.servers:
            self.assertEqual(Browser(copy).basket(server), EMPTY)
            self.assertEqual(Browser(copy).post(server, "/items/1"), 204)  # in a new session
            self.assertEqual(Browser(copy).basket(server), EMPTY)

    def test_writes_at_the_same_time_are_not_lost(self):
        ada = Browser()
        ada.post(self.one, "/login/ada")

        def add(item):
            while (status := Browser(ada.cookie).post(self.servers[item % 2], f"/items/{item}")) == 409:
                pass  # has lost against others again and again
            return status

        with ThreadPoolExecutor(8) as clients:
            statuses = set(clients.map(add, range(100)))
        self.assertEqual(statuses, {204})
        for server in self.servers:
            self.assertEqual(sorted(ada.basket(server)["items"]), list(range(100)))

    def test_logins_at_the_same_time_have_a_session_each(self):
        for _ in range(10):
            visitor = Browser()
            visitor.post(self.one, "/items/1")
            browsers = [Browser(visitor.cookie) for _ in range(4)]

            def log_in(number):
                return browsers[number].post(self.servers[number % 2], f"/login/user{number}")

            with ThreadPoolExecutor(4) as clients:
                self.assertEqual(set(clients.map(log_in, range(4))), {200})
            self.assertEqual(len({browser.cookie for browser in browsers}), 4)
            for number, browser in enumerate(browsers):
                self.assertEqual(browser.basket(self.servers[(number + 1) % 2])["owner"], f"user{number}")
            self.assertEqual(visitor.basket(self.one), EMPTY)

    def test_all_sessions_of_a_user_end_at_once(self):
        adas = [Browser() for _ in range(4)]
        for number, ada in enumerate(adas):
            self.assertEqual(ada.post(self.servers[number % 2], "/login/ada"), 200)
        ben = Browser()
        ben.post(self.one, "/login/ben")
        self.assertEqual(adas[0].post(self.other, "/logout-everywhere"), 204)
        for server in self.servers:
            for ada in adas:
                self.assertEqual(ada.basket(server), EMPTY)
            self.assertEqual(ben.basket(server)["owner"], "ben")
        again = Browser()
        again.post(self.one, "/login/ada")
        self.assertEqual(again.basket(self.other)["owner"], "ada")

    def test_sessions_outlive_a_server(self):
        ada = Browser()
        ada.post(self.one, "/login/ada")
        self.end(self.servers.pop(0))
        self.servers.append(Server(PROGRAM, *self.flags))
        self.assertEqual(ada.basket(self.servers[-1])["owner"], "ada")


class InSqlite(Sessions, unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.flags = ["--database", os.path.join(folder.name, "sessions.db")]
        self.start()


@unittest.skipIf(REDIS is None, "redis-server is not installed (script/bootstrap test)")
class InRedis(Sessions, unittest.TestCase):
    def setUp(self):
        self.redis = Redis()
        self.addCleanup(self.redis.stop)
        self.flags = ["--redis-socket", self.redis.path]
        self.start()

    def test_without_redis_only_requests_with_a_session_fail(self):
        ada = Browser()
        ada.post(self.one, "/login/ada")
        self.redis.kill()
        for server in self.servers:
            until(lambda: ada.basket(server) == 503)
            self.assertEqual(Browser().basket(server), EMPTY)
        self.assertTrue(self.redis.start())
        for server in self.servers:
            until(lambda: ada.basket(server) == EMPTY)  # this Redis has kept nothing


@unittest.skipIf(find_programs() is None, "PostgreSQL is not installed (script/bootstrap test)")
class InPostgres(Sessions, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.postgres = Postgres()
        cls.addClassCleanup(cls.postgres.remove)

    def setUp(self):
        self.flags = ["--postgres", self.postgres.url]
        self.start()

    def test_sessions_outlive_the_database_server(self):
        ada = Browser()
        ada.post(self.one, "/login/ada")
        self.postgres.kill()
        for server in self.servers:
            until(lambda: ada.basket(server) == 503)
            self.assertEqual(Browser().basket(server), EMPTY)
        self.postgres.start()
        for server in self.servers:
            until(lambda: ada.basket(server) == {"owner": "ada", "items": []})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
