"""Measures a workload. Contenders alternate within each round, so that noise of the machine affects all of them."""
import contextlib
import pathlib
import tempfile

from harness import processes
from harness.common import note
from harness.contenders import Failed, Running
from harness.requests import REQUESTS, WrongAnswer, ask

WARM_UP = 1  # seconds, once for each contender


class Measured:
    """The results of one contender in a workload."""

    def __init__(self, contender):
        self.contender, self.samples, self.failure = contender, [], None
        self.at_rest, self.answer, self.server, self.end = 0, 0, None, None

    def result(self):
        return {"name": self.contender.name, "samples": self.samples, "failure": self.failure, "end": self.end,
                "at_rest": self.at_rest, "is_floor": self.contender.is_floor, "is_tern": self.contender.is_tern}


def begin(workload, measured, folder):
    contender = measured.contender
    log = pathlib.Path(folder, f"{contender.name}.access") if workload.access_log and not contender.is_floor else None
    measured.server = Running(contender, workload.routes, log)
    measured.answer = ask(measured.server.port, REQUESTS[workload.request], contender.is_floor)
    measured.at_rest = processes.memory(measured.server.pids(), "VmRSS")
    workload.client.run(measured.server, workload.request, WARM_UP, measured.answer)


def take_sample(workload, measured, seconds):
    server = measured.server
    if server.process.poll() is not None:
        raise Failed(f"ended by itself with {server.process.returncode}: {server.last_words()}")
    with processes.MemoryWatch(server.pids()) as watch:
        sample = workload.client.run(server, workload.request, seconds, measured.answer)
    if not sample["requests"]:
        raise Failed("answered nothing")
    measured.samples.append(sample | {"memory": watch.max})


def stop(measured):
    """Right after the load. An unclean exit is part of the result."""
    try:
        measured.server.stop()
    except Failed as error:
        measured.end = str(error)
        note(f"  {measured.contender.name}: {error}")


@contextlib.contextmanager
def failure_of(measured):
    """A contender that fails is excluded from the rest of the workload; the report names the reason."""
    try:
        yield
    except (Failed, WrongAnswer, OSError) as error:
        measured.failure = str(error)
        note(f"  {measured.contender.name}: {error}")
        if measured.server:
            measured.server.kill()


def measure(workload, contenders, rounds, seconds):
    """{the workload's parameters, and the results of each contender}"""
    taking_part = [each for each in contenders if serves(workload, each)]
    all_of_them = [Measured(each) for each in taking_part]
    note(f"{workload.name}: {workload.what}; " + ", ".join(each.contender.name for each in all_of_them))
    with tempfile.TemporaryDirectory() as folder:
        try:
            for measured in all_of_them:
                with failure_of(measured):
                    begin(workload, measured, folder)
            for number in range(rounds):
                note(f"  round {number + 1} of {rounds}")
                turn = all_of_them[number % len(all_of_them):] + all_of_them[:number % len(all_of_them)]
                for measured in turn:
                    if measured.failure:
                        continue
                    with failure_of(measured):
                        take_sample(workload, measured, seconds)
                        if number + 1 == rounds:
                            stop(measured)
        finally:
            for measured in all_of_them:
                if measured.server:
                    measured.server.kill()
    return {"workload": workload.name, "what": workload.what, "rate": workload.rate, "rounds": rounds,
            "seconds": workload.client.duration(seconds), "request": workload.request,
            "client": " ".join(workload.client.command("PORT", workload.request, seconds, "BYTES")),
            "results": [each.result() for each in all_of_them],
            "without": [each.name for each in contenders if each not in taking_part]}


def serves(workload, contender):
    needs = workload.needs - {"access_log"} if contender.is_floor else workload.needs
    return needs <= contender.supports
