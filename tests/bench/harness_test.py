#!/usr/bin/env python3
"""The statistics of script/bench, its tables of requests and workloads, and the descriptions of the peers."""
import json
import pathlib
import random
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True
from harness import contenders, half_load, http2, machine, plots, report, requests, rotation, statistics, workloads  # noqa: E402: found by the line above


def pairs(random_numbers, ratio, noise, count=20):
    """Pairs of which the machine disturbs both alike, and each a little by itself."""
    made = []
    for _ in range(count):
        machine_now = random_numbers.uniform(1, 2)
        made.append((machine_now * random_numbers.gauss(1, noise), machine_now * ratio * random_numbers.gauss(1, noise)))
    return made


class Statistics(unittest.TestCase):
    def test_the_median_of_an_even_number_lies_between_the_two_in_the_middle(self):
        self.assertEqual(statistics.median([4, 1, 3, 2]), 2.5)
        self.assertEqual(statistics.median([3, 1, 2]), 2)

    def test_a_percentile_is_a_value_that_so_many_do_not_exceed(self):
        values = list(range(1, 1001))
        self.assertEqual([statistics.percentile(values, share) for share in (50, 99, 99.9, 100)], [500, 990, 999, 1000])
        self.assertEqual(statistics.percentile([7], 2.5), 7)

    def test_the_same_samples_do_not_differ(self):
        values = [random.Random(5).uniform(1, 2) for _ in range(20)]
        ratio, low, high, real = statistics.compare([(value, value) for value in values])
        self.assertEqual((ratio, low, high, real), (1, 1, 1, False))

    def test_a_tenth_is_found(self):
        ratio, low, high, real = statistics.compare(pairs(random.Random(1), 1.1, 0.03))
        self.assertTrue(real)
        self.assertLess(low, 1.1)
        self.assertGreater(high, 1.1)
        self.assertAlmostEqual(ratio, 1.1, delta=0.05)

    def test_where_nothing_differs_few_runs_say_otherwise(self):
        numbers = random.Random(2)
        wrong = 0
        for _ in range(100):
            ratios = [after / before for before, after in pairs(numbers, 1, 0.05)]
            low, high = statistics.bootstrap(ratios, times=400)
            wrong += not low <= 1 <= high
        self.assertLessEqual(wrong, 15)  # five are expected; the bootstrap of a median is a little narrow


class Tables(unittest.TestCase):
    def test_every_workload_has_a_request_and_asks_for_what_there_is(self):
        for workload in workloads.WORKLOADS:
            self.assertIn(workload.request, requests.REQUESTS)
            self.assertLessEqual(workload.needs, contenders.EVERYTHING | contenders.PROTOCOLS)
            self.assertTrue(workload.client.command(1, workload.request, 1, 1))

    def test_the_requests_are_as_long_as_their_descriptions_say(self):
        browser = requests.REQUESTS["browser"].bytes
        self.assertEqual(len(browser), 740)
        self.assertEqual(browser.count(b"\r\n"), 1 + 15 + 1)
        self.assertIn(b"a" * 65_536, requests.REQUESTS["large_head"].bytes)
        self.assertTrue(requests.REQUESTS["large_echo"].bytes.endswith(b"x" * 10_000_000))

    def test_peers_describe_themselves_as_their_readme_asks(self):
        for file in (ROOT / "bench/peers").glob("*/peer.json"):
            name, description = file.parent.name, json.loads(file.read_text())
            self.assertLessEqual({"description", "needs", "build", "version", "run", "supports", "note"}, set(description), name)
            self.assertLessEqual(set(description["supports"]), contenders.EVERYTHING | contenders.PROTOCOLS, name)
            self.assertIn("{port}", description["run"], name)

    def test_peers_of_the_workloads_differ_from_those_of_single_pages(self):
        self.assertLessEqual({"nginx", "h2o", "fasthttp_large_heads"}, set(contenders.peer_names()))
        self.assertTrue({"ws", "nghttpd"}.isdisjoint(contenders.peer_names()))
        self.assertEqual(contenders.peer_names("http2"), ["h2o", "nghttpd"])

    def test_the_server_has_a_core_for_itself_where_there_are_two(self):
        server, clients = machine.split({0})
        self.assertEqual((server, clients), ([0], [0]))
        server, clients = machine.split()
        self.assertTrue(set(server).isdisjoint(clients) or server == clients)


def result(name, cpu, rate=1000, **more):
    samples = [{"requests": rate, "seconds": 1, "errors": 0, "cpu": cpu * rate * scale, "memory": 1 << 20, "p50": 10, "p99": 20,
                "p99.9": 30, "max": 40} for scale in (1, 2, 3)]
    return {"name": name, "samples": samples, "failure": None, "end": None, "at_rest": 0, "is_floor": False, "is_tern": False} | more


class Reports(unittest.TestCase):
    def measured(self):
        return {"workload": "hello", "what": "`GET /`", "rate": None, "without": ["quiet"], "rounds": 3, "seconds": 1, "client": "wrk",
                "results": [result("peer", 4e-6, 500), result("tern", 2e-6, is_tern=True), result("floor", 1e-6, is_floor=True),
                            result("broken", 1e-6, failure="ended with 1")]}

    def test_the_ratio_to_the_floor_is_that_of_the_same_round(self):
        good, failed = report.rows_of(self.measured())
        self.assertEqual([row["name"] for row in good], ["floor", "tern", "peer"])
        for row, ratio in zip(good, (1, 2, 4)):
            self.assertAlmostEqual(row["of_floor"], ratio)
        self.assertEqual([row["name"] for row in failed], ["broken"])

    def test_failures_and_absences_are_named(self):
        text = report.section(self.measured())
        self.assertIn("broken failed: ended with 1", text)
        self.assertIn("Not taking part, for lack of what it asks for: quiet", text)

    def test_an_unclean_exit_is_named(self):
        measured = self.measured()
        measured["results"].append(result("last", 1e-6, end="ended with 9"))
        self.assertIn("At the end, last ended with 9.", report.table(measured))

    def test_results_of_older_days_are_removed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for day in ("2026-01-01", "2026-01-02"):
                (folder / day).mkdir()
                (folder / day / "hello.svg").touch()
                (folder / f"{day}.md").touch()
            report.remove_older(folder, "2026-01-02")
            self.assertEqual(sorted(path.name for path in folder.iterdir()), ["2026-01-02", "2026-01-02.md"])

    def test_a_missed_rate_is_named(self):
        text = report.table(self.measured() | {"rate": 1000})
        self.assertIn("Fewer than 1,000 a second were offered or answered: peer", text)

    def test_plots_are_well_formed_without_latencies(self):
        good, _ = report.rows_of(self.measured())
        for rows in (good, [row | {name: None for name in plots.DOTS} for row in good], []):
            xml.etree.ElementTree.fromstring(plots.of_workload("`GET /` & <more>", rows))


class Rotation(unittest.TestCase):
    def measured(self):
        """Of three rounds of which each was slower than the one before; `broken` fails in the second."""
        asked = []

        def take(server):
            asked.append(server)
            if asked.count("broken") == 2 and server == "broken":
                raise contenders.Failed("gone")
            slow = asked.count(server)
            return {"count": 100, "seconds": slow, "cpu": slow * (2e-4 if server == "peer" else 1e-4)}
        return asked, rotation.measure("what", {name: name for name in ("tern", "peer", "broken")}, take, 3)

    def test_the_first_of_a_round_differs_and_one_that_failed_is_out(self):
        asked, samples = self.measured()
        self.assertEqual(asked, ["tern", "peer", "broken", "peer", "broken", "tern", "tern", "peer"])
        self.assertEqual([len(samples[name] or []) for name in ("tern", "peer", "broken")], [3, 3, 0])

    def test_rows_have_medians_and_the_ratio_of_the_same_round(self):
        _, samples = self.measured()
        self.assertEqual(rotation.rows("echo", samples, "peer").splitlines(), [
            "| echo | **tern** | 50 | 2.00 µs | 0.50 |", "| echo | peer | 50 | 4.00 µs | 1.00 |", "| echo | broken | failed | – | – |"])
        self.assertIn("| – |", rotation.rows("echo", samples, "broken").splitlines()[0])

    def test_a_matrix_has_a_column_for_each_server(self):
        _, samples = self.measured()
        self.assertEqual(rotation.matrix([("echo", samples)]).splitlines(), [
            "| | **tern** | peer | broken |", "| --- | ---: | ---: | ---: |",
            "| echo | 2.00 µs (50/s) | 4.00 µs (50/s) | failed |"])

    def test_h2load_output_is_checked(self):
        output = """Cipher: TLS_AES_128_GCM_SHA256
requests: 29670 total, 29750 started, 29670 done, 29670 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 29670 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 1.10MB (1158138) total, 232.30KB (237880) headers (space savings 91.65%), 376.67KB (385710) data
"""
        self.assertEqual(http2.answered(output, "https", 80), 29_670)
        for right, wrong in (("29670 2xx", "29669 2xx"), ("0 errored", "1 errored"), ("(385710)", "(385709)"), ("(385710)", "(386751)"),
                             ("AES_128", "AES_256"), ("traffic", "")):
            with self.assertRaises(contenders.Failed, msg=wrong):
                http2.answered(output.replace(right, wrong), "https", 80)

    def test_latencies_are_shown_for_servers_that_sustain_the_rate(self):
        def taken(count, tail):
            return [{"count": count, "seconds": 1, "cpu": count * 3e-6, "p50": 10, "p99": 20, "p99.9": tail, "max": 40}] * 3
        tern, peer, slow = taken(1000, 100), taken(999, 300), taken(900, 1)
        self.assertEqual(half_load.row("tern", 2000, tern, 1000, tern),
                         "| **tern** | 2,000 | 1,000 | 10 µs | 20 µs | 100 µs | 40 µs | 1.00 | 3.00 µs |\n")
        self.assertIn("| 300 µs | 40 µs | 3.00 |", half_load.row("peer", 1500, peer, 1000, tern))
        self.assertEqual(half_load.row("slow", 900, slow, 1000, tern), "| slow | 900 | 900: below the rate |" + " – |" * 6 + "\n")
        self.assertIn("| – | 3.00 µs |", half_load.row("peer", 1500, peer, 1000, slow))
        self.assertIn("failed", half_load.row("broken", 1500, None, 1000, tern))


unittest.main()
