"""What the gates share: which files the tree has, and how a gate reports."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files(*suffixes):
    """Every file that git tracks or would track, with one of the suffixes, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    found = (pathlib.PurePosixPath(name) for name in listed if name)
    return sorted(path for path in found if path.suffix in suffixes and (ROOT / path).is_file())


def report(gate, faults):
    """Ends the gate: prints every fault, and fails when there is one."""
    for fault in faults:
        print(fault)
    print(f"{gate}: {'failed' if faults else 'passed'}")
    sys.exit(1 if faults else 0)
