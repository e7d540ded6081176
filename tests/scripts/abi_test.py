#!/usr/bin/env python3
"""script/abi: in a small tree with a library of its own. Installs abigail-tools where it is missing."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = ("script/abi", "script/bootstrap")
BUILD = """cmake_minimum_required(VERSION 3.25)
project(tern LANGUAGES CXX)
add_library(tern SHARED tern.cpp)
target_include_directories(tern PRIVATE include)
set_target_properties(tern PROPERTIES SOVERSION 7)
install(TARGETS tern)
install(DIRECTORY include DESTINATION .)
"""
HEADER = """#pragma once
namespace tern {
class Inside;
template <class T>
struct Twice {
  [[gnu::noinline]] explicit Twice(T from) : value(from + from) {}
  T value;
};
enum class Level { Low };
struct Options {
  int port;
};
class Store {
 public:
  virtual ~Store();
  virtual void put(const Options& options);
  Inside* inside;
};
void serve(const Options& options, Level level);
}
"""
SOURCE = """#include <tern/tern.hpp>
namespace tern {
class Inside {
 public:
  int value;
};
Store::~Store() { delete inside; }
void Store::put(const Options& options) { inside->value = Twice(options.port).value; }
void serve(const Options&, Level) {}
}
"""


class Abi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = pathlib.Path(folder.name)
        for name, text in ({"CMakeLists.txt": BUILD, "include/tern/tern.hpp": HEADER, "tern.cpp": SOURCE, ".gitignore": "/build\n"} |
                           {name: (ROOT / name).read_text() for name in FILES}).items():
            path = cls.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name in FILES:
            (cls.tree / name).chmod(0o755)
        cls.git("init", "--quiet", "--initial-branch=main")
        cls.git("config", "user.name", "A")
        cls.git("config", "user.email", "a@example.org")
        cls.git("add", "--all")
        cls.git("commit", "--quiet", "-m", "base")
        cls.git("tag", "-a", "-m", "base", "v0.7.0")

    @classmethod
    def git(cls, *arguments):
        subprocess.run(["git", *arguments], cwd=cls.tree, check=True, capture_output=True)

    def compare(self, *changes):
        """What script/abi says of a commit with CHANGES, each a file, a text in it, and its replacement."""
        for name, old, new in changes:
            path = self.tree / name
            self.assertEqual(path.read_text().count(old), 1, old)
            path.write_text(path.read_text().replace(old, new))
        self.git("commit", "--quiet", "--allow-empty", "--all", "-m", "change")
        done = subprocess.run(["script/abi"], cwd=self.tree, capture_output=True, text=True)
        self.git("reset", "--quiet", "--hard", "v0.7.0")
        return done.returncode, done.stdout.splitlines()[-1:], done.stderr

    def is_compatible(self, what, *changes):
        self.assertEqual(self.compare(*changes), (0, [what], ""))

    def is_refused(self, *changes):
        self.assertEqual(self.compare(*changes), (1, ["libtern: incompatible, and still libtern.so.7: build/abi/libtern.txt"], ""))

    def test_nothing(self):
        self.is_compatible("libtern: no change", ("tern.cpp", "serve(const Options&, Level) {}", "serve(const Options& options, Level) { (void)options; }"))

    def test_a_type_of_the_sources(self):
        self.is_compatible("libtern: no change", ("tern.cpp", "  int value;", "  long value;\n  long more;"))

    def test_an_enumerator(self):
        self.is_compatible("libtern: no change", ("include/tern/tern.hpp", "{ Low }", "{ Low, High }"))

    def test_an_instance_of_a_template(self):
        self.is_compatible("libtern: no change", ("tern.cpp", "Twice(options.port).value", "options.port"))

    def test_a_function_that_is_inline_now(self):
        self.is_refused(("include/tern/tern.hpp", "void serve(", "inline void serve("), ("include/tern/tern.hpp", "Level level);", "Level) { (void)options; }"),
                        ("tern.cpp", "void serve(const Options&, Level) {}", ""))

    def test_a_new_function(self):
        self.is_compatible("libtern: additions: build/abi/libtern.txt", ("include/tern/tern.hpp", "void serve(", "void stop();\nvoid serve("),
                           ("tern.cpp", "void serve(", "void stop() {}\nvoid serve("))

    def test_a_function_that_is_gone(self):
        self.is_refused(("include/tern/tern.hpp", "void serve(const Options& options, Level level);", ""), ("tern.cpp", "void serve(const Options&, Level) {}", ""))

    def test_a_parameter(self):
        self.is_refused(("include/tern/tern.hpp", "Level level)", "Level level, int backlog)"), ("tern.cpp", "Level)", "Level, int)"))

    def test_a_new_member(self):
        self.is_refused(("include/tern/tern.hpp", "int port;", "int port;\n  int backlog;"))

    def test_a_members_type(self):
        self.is_refused(("include/tern/tern.hpp", "int port;", "unsigned short port;"))

    def test_a_virtual_function(self):
        self.is_refused(("include/tern/tern.hpp", "  virtual void put(", "  virtual void get();\n  virtual void put("), ("tern.cpp", "void serve(", "void Store::get() {}\nvoid serve("))

    def test_another_soname(self):
        self.assertEqual(self.compare(("include/tern/tern.hpp", "int port;", "int port;\n  int backlog;"), ("CMakeLists.txt", "SOVERSION 7", "SOVERSION 8")),
                         (0, ["libtern: incompatible, and libtern.so.8 where it was libtern.so.7"], ""))


if __name__ == "__main__":
    unittest.main()
