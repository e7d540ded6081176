// The options of a server in configurations: all may be missing, and each has a description.
#pragma once

#include <tern/app/options.hpp>
#include <tern/config/type.hpp>

namespace tern::configuration {

template <>
const Type& type_of<Options>();
template <>
const Type& type_of<Listener>();
template <>
const Type& type_of<TlsOptions>();
template <>
const Type& type_of<TlsCertificate>();
template <>
const Type& type_of<ProxyOptions>();
template <>
const Type& type_of<ServerLimits>();
template <>
const Type& type_of<Limits>();
template <>
const Type& type_of<Timeouts>();
template <>
const Type& type_of<Http2Options>();
template <>
const Type& type_of<PoolOptions>();
template <>
const Type& type_of<LogOptions>();

}  // namespace tern::configuration
