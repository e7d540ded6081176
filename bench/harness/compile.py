"""Compile time and size of a hello program, beside other C++ libraries."""
import os
import pathlib
import re
import resource
import tempfile

from harness.common import ROOT, build, note, run
from harness.statistics import median

ROUNDS = 5
FLAGS = ["-std=c++23", "-O2", "-DNDEBUG", "-Iinclude"]
# The libraries that each links, and the names of its own shared libraries.
LIBRARIES = {
    "tern": (["build/bench/libtern.a", "-lsimdjson", "-lre2", "-lfmt", "-lssl", "-lcrypto", "-lnghttp2", "-lz"],
             "simdjson|re2|fmt|ssl|crypto|nghttp2|libz"),
    "cpp_httplib": (["-lcpp-httplib"], "httplib|ssl|crypto|brotli|libz"),
    "beast": ([], "boost"),
    "poco": (["-lPocoUtil", "-lPocoNet", "-lPocoFoundation"], "Poco|pcre|expat|libz"),
}
PACKAGES = ["libcpp-httplib-dev", "libboost1.81-dev", "libpoco-dev"]


def source(name):
    return f"bench/compile/{name}.cpp"


def user_seconds(name, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run("g++", *FLAGS, "-c", source(name), "-o", f"{folder}/{name}.o")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def sizes(name, folder):
    """Bytes of the stripped program, and of the shared libraries that come with its library."""
    libraries, own = LIBRARIES[name]
    out = f"{folder}/{name}"
    run("g++", f"{out}.o", *libraries, "-lpthread", "-s", "-o", out)
    shared = [pathlib.Path(path) for path in re.findall(r"=> (\S+)", run("ldd", out).stdout)]
    return os.path.getsize(out), sum(path.stat().st_size for path in shared if re.search(own, path.name))


def table():
    run("script/bootstrap", "bench", *PACKAGES)
    build("tern")
    with tempfile.TemporaryDirectory() as folder:
        seconds = {name: [] for name in LIBRARIES}
        for number in range(ROUNDS):
            note(f"compiling, round {number + 1} of {ROUNDS}")
            for name in LIBRARIES:
                seconds[name].append(user_seconds(name, folder))
        lines = ["| hello with | preprocessed lines | user CPU to compile, -O2 | of Tern's | stripped | its shared libraries |",
                 "| --- | ---: | ---: | ---: | ---: | ---: |"]
        for name in LIBRARIES:
            preprocessed = run("g++", *FLAGS, "-E", "-P", source(name)).stdout.count("\n")
            program, shared = sizes(name, folder)
            ratio = median([one / other for one, other in zip(seconds[name], seconds["tern"])])
            lines.append(f"| {name} | {preprocessed:,} | {median(seconds[name]):.2f} s | {ratio:.1f} | {program / 1024:,.0f} KiB | "
                         f"{shared / 1024:,.0f} KiB |")
    return "\n".join(lines) + "\n"
