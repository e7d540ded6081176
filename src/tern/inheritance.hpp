// Listening sockets that a process finds when it starts: those of systemd (sd_listen_fds(3)), or of a predecessor.
#pragma once

#include "net/inherited_socket.hpp"
#include "transport/listener_config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct Inheritance {
  std::vector<net::InheritedSocket> sockets = {};
  net::Descriptor predecessor = {};  // which waits for a byte from us
};

// Takes them from the environment, from which they are removed: once in a process. Throws SetupError for descriptors
// that are no listening sockets. Not while other threads use the environment.
Inheritance take_inheritance();

// Gives each socket to the listener of its name (FileDescriptorName=), or else of its address. Of the others, those of
// systemd belong to the main listener, which is the first one; those of a predecessor are closed: the configuration has
// changed.
void give_to_listeners(Inheritance& inheritance, std::vector<transport::ListenerConfig>& listeners);

// For a successor: the variable of its environment, when `sockets` descriptors from 3 on are followed by that of
// Inheritance::predecessor. `names` has colons between them.
std::string handover_variable(std::size_t sockets, std::string_view names);
// Whether a variable of the environment is about this process alone.
bool is_of_one_process(std::string_view variable);

}  // namespace tern
