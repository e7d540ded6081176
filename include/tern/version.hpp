// The version of the library, for programs that support several. The build reads it from here.
#pragma once

#define TERN_VERSION_MAJOR 0
#define TERN_VERSION_MINOR 2
#define TERN_VERSION_PATCH 0

// 10000 times the major, 100 times the minor version, and the patch: 1.2.3 is 10203.
#define TERN_VERSION (TERN_VERSION_MAJOR * 10000 + TERN_VERSION_MINOR * 100 + TERN_VERSION_PATCH)
