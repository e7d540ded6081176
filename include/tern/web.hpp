// The component tern::web: what serves pages and protects them.
#pragma once

#include <tern/web/address_filter.hpp>
#include <tern/web/allowed_hosts.hpp>
#include <tern/web/cache.hpp>
#include <tern/web/cache_control.hpp>
#include <tern/web/compress.hpp>
#include <tern/web/concurrency_limit.hpp>
#include <tern/web/cors.hpp>
#include <tern/web/cross_origin_protection.hpp>
#include <tern/web/decompress.hpp>
#include <tern/web/embedded.hpp>
#include <tern/web/etag.hpp>
#include <tern/web/file.hpp>
#include <tern/web/files.hpp>
#include <tern/web/form_result.hpp>
#include <tern/web/if_match.hpp>
#include <tern/web/key_ring.hpp>
#include <tern/web/local_redirect.hpp>
#include <tern/web/maintenance.hpp>
#include <tern/web/memory_store.hpp>
#include <tern/web/rate_limit.hpp>
#include <tern/web/request_ids.hpp>
#include <tern/web/secret_cookie.hpp>
#include <tern/web/security_headers.hpp>
#include <tern/web/templates.hpp>
#include <tern/web/webhook_signature.hpp>
