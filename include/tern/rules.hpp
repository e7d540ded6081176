// Rules on the members of structs and on parameters: tern::Rules<T> and what it is made of.
#pragma once

#include <tern/json/rules.hpp>
