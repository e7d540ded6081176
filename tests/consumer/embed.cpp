// Prints the files of a folder that tern_embed() of an installed Tern has put into the program.
#include <embedded/pages.hpp>

#include <cstdio>
#include <string>

int main() {
  for (const auto& file : embedded::pages.files()) {
    std::puts((std::string(file.path) + ": " + std::string(*embedded::pages.content(file.path))).c_str());
  }
}
