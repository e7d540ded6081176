// The component tern::web: what serves pages and protects them.
#pragma once

#include <tern/web/cache_control.hpp>
#include <tern/web/compress.hpp>
#include <tern/web/decompress.hpp>
#include <tern/web/file.hpp>
#include <tern/web/files.hpp>
