// The dashboard's page, which the build makes of dashboard/.
#pragma once

#include <string_view>

namespace tern::observe {

struct DashboardText {
  std::string_view page;  // with {{title}} and {{changes}}
  std::string_view style_sha256;
  std::string_view script_sha256;
};
extern const DashboardText dashboard_text;

}  // namespace tern::observe
