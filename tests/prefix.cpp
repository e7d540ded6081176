// Empty: its target precompiles the headers that most tests include (CMakeLists.txt).
