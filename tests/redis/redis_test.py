"""Several server processes that a real Redis joins: redis_test.py SERVER [CHAT]. Skipped (77) without redis-server."""

import os
import signal
import sys
import unittest

from processes import REDIS, Redis, Server, WebSocket, reserved_port, until

SERVER = sys.argv[1]
CHAT = sys.argv[2] if len(sys.argv) > 2 else None
JOINED = "joins the servers of 'test'"


class RedisBus(unittest.TestCase):
    def redis(self, *arguments):
        redis = Redis(*arguments)
        self.addCleanup(redis.stop)
        return redis

    def server(self, *flags):
        server = Server(SERVER, *flags)
        self.addCleanup(self.end, server)
        return server

    def end(self, server):
        if not server.process.stderr.closed:
            self.assertEqual(server.stop(), 0, server.lines)

    def pair(self, redis, *flags):
        servers = [self.server("--redis", str(redis.port), *flags) for _ in range(2)]
        for server in servers:
            server.line(JOINED)
        return servers

    def subscriber(self, server, topics):
        client = WebSocket(server, "/topics/" + topics.replace("#", "%23"))
        self.addCleanup(client.close)
        self.assertEqual(client.hear(), "ready")
        return client

    def check_joined(self, one, two):
        """What is published on each reaches the subscribers on both, once."""
        clients = [self.subscriber(server, "joined") for server in (one, two)]
        for number, server in enumerate((one, two)):
            self.assertEqual(server.publish("joined", f"text {number}".encode()), "Sent")
            for client in clients:
                self.assertEqual(client.hear(), f"text {number}")

    def test_every_subscriber_of_every_server_gets_it_once_and_in_order(self):
        one, two = self.pair(self.redis())
        here, there = self.subscriber(one, "room/7"), self.subscriber(two, "room/7")
        wild, all_of_them, other = (self.subscriber(two, topics) for topics in ("room/+", "#", "room/8"))
        self.assertEqual(one.publish("room/7", b"hello"), "Sent")
        self.assertEqual(one.publish("room/8", b"the end"), "Sent")
        for client in (wild, all_of_them):
            self.assertEqual([client.hear(), client.hear()], ["hello", "the end"])
        self.assertEqual(other.hear(), "the end")
        one.publish("room/7", b"again", times=1000)
        wanted = ["hello"] + [f"{i} again" for i in range(1000)]
        for client in (here, there):
            self.assertEqual([client.hear() for _ in wanted], wanted)
        self.check_joined(one, two)

    def test_bytes_topics_and_contents_are_kept(self):
        one, two = self.pair(self.redis())
        here, there = self.subscriber(one, "#"), self.subscriber(two, "#")
        contents = [b"\0\xff\r\n*1\r\n", b"", bytes(range(256)) * 4000]
        for content in contents:
            one.publish("any/\u20ac".encode().hex(), content, "publish-binary")
            self.assertEqual(here.hear(), content)
            self.assertEqual(there.hear(), content)
        one.publish("text", "\u20ac \U0001f600".encode())
        self.assertEqual(there.hear(), "\u20ac \U0001f600")

    def test_a_websocket_publishes_to_all_but_itself(self):
        one, two = self.pair(self.redis())
        speaker, here, there = self.subscriber(one, "said"), self.subscriber(one, "said"), self.subscriber(two, "said")
        speaker.say("hello")
        self.assertEqual(here.hear(), "hello")
        self.assertEqual(there.hear(), "hello")
        two.publish("said", b"the end")
        self.assertEqual(speaker.hear(), "the end")

    def test_redis_is_killed_and_comes_back(self):
        redis = self.redis()
        one, two = self.pair(redis)
        here, there = self.subscriber(one, "room"), self.subscriber(two, "room")
        redis.kill()
        one.line("is lost (")
        two.line("is lost (")
        self.assertEqual(one.publish("room", b"meanwhile"), "Queued")
        self.assertEqual(here.hear(), "meanwhile")
        one.line("is not available (Connection refused)")
        self.assertTrue(redis.start())
        for server in (one, two):
            self.assertIn("again, after", server.line(JOINED, 2))
        one.publish("room", b"and now")
        self.assertEqual(here.hear(), "and now")
        # What was queued is sent as well, unless the other server came back later.
        self.assertIn(there.hear(), ("meanwhile", "and now"))
        self.check_joined(one, two)
        for server in (one, two):
            self.assertEqual(server.count("is lost"), 1)
            self.assertLessEqual(server.count("is not available"), 1)

    def test_servers_start_without_redis(self):
        redis = self.redis()
        redis.kill()
        one, two = (self.server("--redis", str(redis.port)) for _ in range(2))
        for server in (one, two):
            server.line("is not available (Connection refused)")
        here = self.subscriber(one, "room")
        self.assertEqual(one.publish("room", b"alone"), "Queued")
        self.assertEqual(here.hear(), "alone")
        self.assertTrue(redis.start())
        for server in (one, two):
            server.line(JOINED)
        self.check_joined(one, two)

    def test_a_wrong_password_is_logged_once(self):
        redis = self.redis("--requirepass", "right")
        one = self.server("--redis", str(redis.port), "--password", "wrong")
        self.assertIn("(WRONGPASS", one.line("is not available"))
        none = self.server("--redis", str(redis.port))
        self.assertIn("(NOAUTH", none.line("is not available"))
        here = self.subscriber(one, "room")
        self.assertEqual(one.publish("room", b"alone"), "Queued")
        self.assertEqual(here.hear(), "alone")
        two, three = self.pair(redis, "--password", "right")
        self.check_joined(two, three)
        self.assertEqual(one.count("WRONGPASS"), 1)  # although it was tried often meanwhile

    def test_a_user_needs_both_channels(self):
        redis = self.redis("--user", "default", "on", "nopass", "~*", "&*", "+@all",
                           "--user", "all", "on", ">secret", "&test:*", "+publish", "+subscribe",
                           "--user", "deaf", "on", ">secret", "resetchannels", "+publish", "+subscribe",
                           "--user", "dumb", "on", ">secret", "&test:*", "+subscribe")
        for user in ("deaf", "dumb"):
            server = self.server("--redis", str(redis.port), "--user", user, "--password", "secret")
            self.assertIn("(NOPERM", server.line("is not available"))
        one, two = self.pair(redis, "--user", "all", "--password", "secret")
        self.check_joined(one, two)

    def test_a_unix_socket(self):
        redis = self.redis()
        one, two = (self.server("--unix", redis.path) for _ in range(2))
        for server in (one, two):
            server.line(JOINED)
        self.check_joined(one, two)

    def test_a_socket_that_is_not_there(self):
        one = self.server("--unix", "/nowhere/redis")
        self.assertIn("No such file or directory", one.line("is not available"))

    def test_connections_that_redis_closes_are_made_again(self):
        redis = self.redis()
        one, two = self.pair(redis)
        for kind, times in (("pubsub", 2), ("normal", 3)):
            redis.command("CLIENT", "KILL", "TYPE", kind)
            for server in (one, two):
                server.line(JOINED, times)
        self.check_joined(one, two)

    def test_a_subscriber_that_redis_finds_too_slow(self):
        redis = self.redis("--client-output-buffer-limit", "pubsub", "8mb", "0", "0")
        one, two = self.pair(redis)
        two.process.send_signal(signal.SIGSTOP)
        flood = b"x" * 1_000_000
        until(lambda: redis.command("PUBLISH", "test:publications", flood) != ":2")
        two.process.send_signal(signal.SIGCONT)
        two.line("is lost (")
        two.line(JOINED, 2)
        # The other hears all of it, too, and may have been too slow for that.
        until(lambda: redis.listeners() == 2 and {one.publish("is", b""), two.publish("is", b"")} == {"Sent"})
        self.check_joined(one, two)

    def test_a_full_queue_drops_and_counts(self):
        redis = self.redis()
        one, two = self.pair(redis, "--queue", "10000")
        here = self.subscriber(one, "room")
        redis.kill()
        one.line("is lost")
        self.assertEqual(one.publish("room", b"x" * 4000), "Queued")
        self.assertEqual(one.publish("room", b"x" * 4000), "Queued")
        self.assertEqual(one.publish("room", b"x" * 4000), "Dropped")
        self.assertEqual(one.publish("room", b"x" * 4000), "Dropped")
        self.assertEqual(one.publish("room", b"x"), "Queued")
        self.assertEqual([len(here.hear()) for _ in range(5)], [4000, 4000, 4000, 4000, 1])
        one.line("the queue of publications to Redis is full")
        self.assertTrue(redis.start())
        one.line("has room again; 2 publications did not reach other servers")
        two.line(JOINED, 2)
        self.assertEqual(one.count("the queue of publications to Redis is full"), 1)
        self.check_joined(one, two)

    def test_redis_that_hangs_is_noticed(self):
        redis = self.redis()
        one, two = self.pair(redis, "--ping", "300")
        here = self.subscriber(one, "room")
        redis.process.send_signal(signal.SIGSTOP)
        self.assertIn("no answer for 300 ms", one.line("is lost"))
        two.line("is lost")
        self.assertEqual(one.publish("room", b"alone"), "Queued")
        self.assertEqual(here.hear(), "alone")
        redis.process.send_signal(signal.SIGCONT)
        for server in (one, two):
            server.line(JOINED, 2)
        self.check_joined(one, two)

    def test_strangers_on_the_channel_are_ignored(self):
        redis = self.redis()
        one, two = self.pair(redis)
        for message in (b"hello", b"", b"\1\0" + b"x" * 16 + b"\xff\xff\xff\xff"):
            self.assertEqual(redis.command("PUBLISH", "test:publications", message), ":2")
        one.line("is not from a server")
        self.check_joined(one, two)
        self.assertEqual(one.count("is not from a server"), 1)

    def test_what_is_published_at_the_end_is_sent(self):
        one, two = self.pair(self.redis())
        there = self.subscriber(two, "last")
        self.assertEqual(one.stop(), 0)
        self.assertEqual(there.hear(), "words")

    def test_a_server_stops_while_redis_hangs(self):
        redis = self.redis()
        one, _ = self.pair(redis)
        redis.process.send_signal(signal.SIGSTOP)
        self.addCleanup(os.kill, redis.process.pid, signal.SIGCONT)
        one.publish("room", b"without subscribers")
        self.assertEqual(one.stop(), 0)

    @unittest.skipUnless(CHAT and os.path.exists(CHAT), "without the example")
    def test_several_chats_are_one(self):
        redis = self.redis()
        one, two = (Server(CHAT, "--redis", f"127.0.0.1:{redis.port}") for _ in range(2))
        self.addCleanup(self.end, one)
        self.addCleanup(self.end, two)
        ann = WebSocket(one, "/rooms/attic?name=ann")
        self.addCleanup(ann.close)
        self.assertIn('"Joined","name":"ann"', ann.hear())
        bob = WebSocket(two, "/rooms/attic?name=bob")
        self.addCleanup(bob.close)
        self.assertIn('"Joined","name":"bob"', ann.hear())
        ann.say('{"text":"hello?"}')
        self.assertIn('"name":"ann","text":"hello?"', ann.hear())
        while '"name":"ann","text":"hello?"' not in bob.hear():  # he may hear first that they have joined
            pass

    def test_a_port_without_a_server(self):
        reservation = reserved_port()
        self.addCleanup(reservation.close)
        one = self.server("--redis", str(reservation.getsockname()[1]))
        one.line("is not available (Connection refused)")


if __name__ == "__main__":
    if REDIS is None:
        print("skipped: redis-server is not installed (script/bootstrap test)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
