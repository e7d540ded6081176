// Nothing by itself: its target compiles beforehand what most tests include (CMakeLists.txt).
