// Middleware that answers 503 while the service is being maintained.
#pragma once

#include <tern/app/middleware.hpp>
#include <tern/base/duration.hpp>

#include <string>
#include <vector>

namespace tern {

namespace web {
class MaintenanceSwitch;
}

struct MaintenanceOptions {
  bool active = false;                // from the start
  Seconds retry_after = Seconds(60);  // Retry-After of the 503
  std::string detail = "the service is being maintained: try again later";
  // Who and what is served nevertheless. Addresses as in AddressFilterOptions; paths as patterns, in which '*' is any
  // text: "/health", "/admin/*".
  std::vector<std::string> allowed_addresses = {};
  std::vector<std::string> allowed_paths = {};
};

// For an app, a group or a route. A handle: copies switch the same, from any thread.
//
//   tern::Maintenance maintenance({.allowed_paths = {"/health", "/admin/*"}});
//   app.use(maintenance);
//   app.put("/admin/maintenance", [maintenance] { maintenance.begin(); });
//   app.del("/admin/maintenance", [maintenance] { maintenance.end(); });
//
// Requests whose handlers run when it begins are served to their end. Allowed paths are protected by middleware of
// their own, as ever.
class Maintenance {
public:
  Maintenance() : Maintenance(MaintenanceOptions()) {}
  // Throws SetupError for a retry_after that is not from 1 second to a day, for what is no address and no network, and
  // for a path that does not begin with '/'.
  explicit Maintenance(MaintenanceOptions options);
  Maintenance(const Maintenance& other) noexcept;
  Maintenance& operator=(const Maintenance& other) noexcept;
  ~Maintenance();

  void begin() const noexcept;
  void end() const noexcept;
  bool is_active() const noexcept;

  Reply operator()(Request& request, Next next) const;

private:
  web::MaintenanceSwitch* switch_;  // counts its owners
};

}  // namespace tern
