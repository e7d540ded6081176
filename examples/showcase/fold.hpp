// Folds text for searches: removes case and accents. "cote" finds "Côte d'Ivoire".
#pragma once

#include <string>
#include <string_view>

namespace showcase {

std::string fold(std::string_view text);

}  // namespace showcase
