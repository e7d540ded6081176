"""The costs of a program: compile time, size on disk, memory at rest and for each idle connection."""
import os
import resource
import tempfile

from harness.common import ROOT, Server, build, note, run
from harness.statistics import median

IDLE_CONNECTIONS = 10_000


def get(connection):
    connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    received = b""
    while b"Hello, World!" not in received:
        piece = connection.recv(4096)
        if not piece:
            raise RuntimeError("the server closed a connection")
        received += piece


def idle_connections():
    """At rest, total and private; and for each idle kept-alive connection that has been served once."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    count = min(IDLE_CONNECTIONS, limit[1] - 200)
    server = Server("bench-server")
    warm = server.connect()
    get(warm)
    at_rest = server.memory("VmRSS")
    before = server.memory("RssAnon")
    connections = []
    for _ in range(count):
        connections.append(server.connect())
        get(connections[-1])
    after = server.memory("RssAnon")
    for connection in connections:
        connection.close()
    server.stop()
    return at_rest, before, count, (after - before) / count


def at_rest_without_components():
    folder = ROOT / "build/plain"
    note("building bench-server without TLS, HTTP/2, zlib and Redis")
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTERN_BUILD_EXAMPLES=OFF",
        "-DTERN_BUILD_TESTS=OFF", "-DTERN_BUILD_BENCH=ON",
        *(f"-DTERN_{component}=OFF" for component in ("TLS", "HTTP2", "ZLIB", "REDIS")))
    run("cmake", "--build", folder, "--target", "bench-server")
    server = Server(folder / "bin/bench-server")
    get(server.connect())
    found = server.memory("VmRSS")
    server.stop()
    return found


def preprocessed_lines(text):
    done = run("g++", "-std=c++23", "-E", "-P", "-Iinclude", "-x", "c++", "-", input=text)
    return done.stdout.count("\n")


def compile_seconds(text):
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run("g++", "-std=c++23", "-O2", "-c", "-Iinclude", "-x", "c++", "-", "-o", os.path.join(folder, "out.o"), input=text)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def stripped_size(program):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "stripped")
        run("strip", "-o", out, f"build/bench/bin/{program}")
        return os.path.getsize(out)


def measure():
    build("hello", "bench-server")
    # As a user would write it: without the flags of the examples.
    hello = '#include <tern/tern.hpp>\nint main() {\n  tern::App app;\n' \
            '  app.get("/hello", [] { return "Hello, World!"; });\n  return app.run({.port = 8080});\n}\n'
    baseline = "#include <string>\n#include <vector>\nint main() {}\n"
    note("compiling")
    pairs = [(compile_seconds(hello), compile_seconds(baseline)) for _ in range(7)]
    seconds = median([pair[0] for pair in pairs])
    ratio = median([pair[0] / pair[1] for pair in pairs])
    example = (ROOT / "examples/hello.cpp").read_text()
    note(f"opening {IDLE_CONNECTIONS} connections")
    at_rest, own, count, per_connection = idle_connections()
    return [
        ("a hello program: preprocessed lines", f"{preprocessed_lines(hello):,}"),
        ("`<string>` and `<vector>` alone", f"{preprocessed_lines(baseline):,}"),
        ("`examples/hello.cpp`, with its flags", f"{run_lines(example):,}"),
        ("a hello program: CPU time to compile, -O2", f"{seconds:.2f} s"),
        ("as a multiple of `<string>` and `<vector>` alone", f"{ratio:.1f}"),
        ("`hello`, release build, statically linked to Tern, stripped", f"{stripped_size('hello') / 1024:,.0f} KiB"),
        ("resident memory at rest, one loop", f"{at_rest / 1024 / 1024:.1f} MiB"),
        ("of it anonymous memory (`RssAnon`), without pages of programs and libraries", f"{own / 1024 / 1024:.1f} MiB"),
        ("resident memory at rest, built without TLS, HTTP/2, zlib and Redis", f"{at_rest_without_components() / 1024 / 1024:.1f} MiB"),
        (f"memory of an idle connection, at {count:,}", f"{per_connection:,.0f} bytes"),
    ]


def run_lines(text):
    done = run("g++", "-std=c++23", "-E", "-P", "-Iinclude", "-Iexamples", "-x", "c++", "-", input=text)
    return done.stdout.count("\n")
