// Middleware of tern::web around small handlers, as `script/bench middleware` measures it. JWT_KEY and JWT_PRIVATE_KEY
// are the PEMs of a pair of keys for ES256; without them there are no routes with tokens.
#include "bench_flags.hpp"

#include <tern/tern.hpp>
#include <tern/web.hpp>

#include <cstdlib>
#include <string>

namespace {

struct Visitor {
  std::string name;
};
struct Claims {
  std::string sub;
};

// The same claims as the peers check.
void add_tokens(tern::App& app, const std::string& key, const std::string& private_key) {
  const auto authentication = [&key](bool remembers) {
    tern::JwtRules rules{.issuer = "https://id.example", .audience = {"shop"}, .remembers_signatures = remembers};
    const tern::JwtVerifier verifier(tern::JwtKey::from_pem(tern::JwtAlgorithm::ES256, key), rules);
    return tern::Authentication<Claims>().jwt(verifier);
  };
  const auto subject = [](tern::Identity<Claims> caller) { return caller->sub; };
  app.get("/jwt", subject).use(authentication(true));
  app.get("/jwt-each", subject).use(authentication(false));
  const tern::JwtSigner signer(tern::JwtKey::from_pem(tern::JwtAlgorithm::ES256, private_key),
                               {.issuer = "https://id.example", .audience = "shop", .lifetime = tern::Seconds(86400)});
  app.get("/token", [signer] { return signer.sign(Claims{"anna"}); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Flags flags = bench::flags(argc, argv);
  tern::App app;
  const auto hello = [] { return "Hello, World!"; };
  app.get("/none", hello);  // paths of one length
  app.get("/head", hello).use(tern::SecurityHeaders());
  app.get("/name", hello).use(tern::RequestIds());
  app.get("/both", hello).use(tern::RequestIds()).use(tern::SecurityHeaders());

  const tern::Sessions<Visitor> sessions({.keys = tern::KeyRing({tern::KeyRing::generate()})});
  app.post("/login", [](tern::Session<Visitor> session) { session.login("7", {.name = "anna"}); }).use(sessions);
  app.get("/session", [](tern::Session<Visitor> session) { return session->name; }).use(sessions);

  const char* const key = std::getenv("JWT_KEY");
  const char* const private_key = std::getenv("JWT_PRIVATE_KEY");
  if (key != nullptr && private_key != nullptr) add_tokens(app, key, private_key);
  return app.run(flags.options);
}
