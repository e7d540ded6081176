"""Every subcommand and option of tern is in the manual page and in the completion of each shell.

    documented_test.py TERN PACKAGING
"""
import pathlib
import re
import subprocess
import sys


def help_of(*words):
    return subprocess.run([sys.argv[1], *words, "--help"], check=True, capture_output=True, text=True).stdout


def main():
    packaging = pathlib.Path(sys.argv[2])
    manual = (packaging / "man/tern.1").read_text().replace("\\-", "-")
    bash, zsh, fish = ((packaging / "completion" / name).read_text() for name in ("tern", "_tern", "tern.fish"))
    subcommands = re.findall(r"^  ([a-z]+) {2,}", help_of().partition("Subcommands:")[2], re.M)
    assert {"new", "dev", "migrate", "bench"} <= set(subcommands), subcommands
    missing = []
    for name in subcommands:
        section = re.search(rf"^\.SH OPTIONS OF {name.upper()}$(.*?)(?=^\.SH)", manual, re.M | re.S)
        in_bash = re.search(rf"^    {name}\) words=\"(.*)\" ;;$", bash, re.M)
        in_zsh = re.search(rf"^    {name}\)(.*?);;$", zsh, re.M | re.S)
        in_fish = "\n".join(line for line in fish.splitlines() if re.search(rf"__tern_in( [a-z]+)* {name}\b", line))
        options = re.findall(r"^  (?:-\w,)?--([a-z0-9-]+)", help_of(name).partition("Options:")[2], re.M)
        assert "help" in options, name
        for option in sorted(set(options) - {"help"}):
            if not section or f"--{option}" not in section.group(1):
                missing.append(f"manual: {name} --{option}")
            if not in_bash or f"--{option}" not in in_bash.group(1).split():
                missing.append(f"bash: {name} --{option}")
            if not in_zsh or not re.search(rf"--{option}\b", in_zsh.group(1)):
                missing.append(f"zsh: {name} --{option}")
            if f"-l {option} " not in in_fish:
                missing.append(f"fish: {name} --{option}")
        if f"tern {name}" not in manual or f"'{name}:" not in zsh or f"-a {name} " not in fish or f" {name} " not in bash.replace('"', " "):
            missing.append(f"somewhere: {name}")
    sys.exit("not documented:\n  " + "\n  ".join(missing) if missing else 0)


main()
