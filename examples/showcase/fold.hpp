// Text as people search for it: without the difference of upper and lower case, and of accents. "cote" finds
// "Côte d'Ivoire".
#pragma once

#include <string>
#include <string_view>

namespace showcase {

std::string fold(std::string_view text);

}  // namespace showcase
