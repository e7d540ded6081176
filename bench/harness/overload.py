"""What load shedding does at twice the load that can be carried."""
import subprocess

from harness import common
from harness.contenders import BINARIES


def table():
    common.build("bench-overload")
    return subprocess.run([str(BINARIES / "bench-overload")], check=True, capture_output=True, text=True).stdout
