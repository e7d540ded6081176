# The command tern as a user calls it: texts, exit statuses, a project, a served folder, the routes of a program.
#   command_line.bash TERN PROGRAM HAS_SQLITE HAS_HTTP2 HAS_TLS
# PROGRAM serves /openapi.json.
set -euo pipefail
tern=$(realpath "$1")
program=$(realpath "$2")
has_sqlite=$3
has_http2=$4
has_tls=$5
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*" >&2; exit 1; }
# expect STATUS PATTERN ARGUMENTS…: the output of both streams has the pattern
expect() {
  local wanted=$1 pattern=$2 status=0
  shift 2
  "$tern" "$@" >output 2>&1 || status=$?
  [ $status = "$wanted" ] || fail "tern $*: status $status instead of $wanted: $(cat output)"
  grep -qE -- "$pattern" output || fail "tern $*: no '$pattern' in: $(cat output)"
}

expect 0 '^tern [0-9]+\.[0-9]+\.[0-9]+$' --version
expect 0 'new .*Write a new project' --help
expect 0 'websocket  a chat' new --help
expect 2 'subcommand is required'
expect 2 'there is no subcommand nwe, but new, .*bench' nwe shop
expect 2 'there is no option --halp' --halp
expect 2 'name is required' new
expect 2 'lower-case letters, digits and hyphens only' new 'my shop'
expect 2 'not in \{minimal,rest,web,websocket\}' new shop --template php
expect 2 'not in \{sqlite,postgres\}' new shop --db oracle
expect 2 'only the template rest has a database' new shop --template web --db sqlite
expect 0 '^  cd shop$' new shop --template web
grep -qx 'project(shop VERSION 0.1.0 LANGUAGES CXX)' shop/CMakeLists.txt || fail "the project has another name"
[ -f shop/templates/home.mustache ] || fail "the web project has no templates"
[ -f shop/.github/workflows/ci.yml ] || fail "hidden files are missing"
expect 1 'tern: shop exists, and is not an empty folder' new shop
if grep -q $'\033' output; then fail "there are colours in a file"; fi

expect 2 'PROGRAM is required' routes
expect 1 'cannot run ./nothing' routes ./nothing
expect 1 'true does not print its routes' routes true
expect 0 '^GET +/books/\{id\} +book$' routes "$program"
expect 0 '^POST +/books$' routes "$program"
expect 0 '^GET +/ +host admin\.example$' routes "$program"
expect 1 'false ends before it answers' openapi false
expect 1 'answers /nowhere with 404' openapi --path /nowhere "$program"
expect 1 'has no document at /spec' openapi --path /spec "$program"
expect 0 '"title": ?"Shelves"' openapi "$program" Shelves
python3 -c 'import json; json.load(open("output"))' || fail "tern openapi prints no JSON"

expect 2 'Directory does not exist' serve nowhere
expect 2 'there is no file shop/none.html' serve shop --spa none.html
expect 2 'Value 65536 not in range 0 to 65535' serve shop --port 65536
expect 2 'requires --certificate' serve shop --key "$tern"
# serve_shop [OPTION]…: sets `server` and `address`
serve_shop() {
  "$tern" serve shop --port 0 --threads 1 "$@" >out 2>err &
  server=$!
  for _ in $(seq 600); do
    address=$(sed -n 's/.*serving \(127\.0\.0\.1:[0-9]*\).*/\1/p' err)
    [ -z "$address" ] || return 0
    kill -0 $server 2>/dev/null || fail "tern serve has ended: $(cat out err)"
    sleep 0.05
  done
  fail "tern serve does not serve: $(cat out err)"
}
stop_server() {
  kill -INT $server
  wait $server || fail "tern serve ends with $? after SIGINT"
  server=
}

serve_shop
[ "$(curl -fsS "http://$address/src/app.hpp")" = "$(cat shop/src/app.hpp)" ] || fail "a file is not served"
curl -fsS "http://$address/" | grep -q 'CMakeLists.txt' || fail "the folder is not listed"
[ "$(curl -s -o listing -w '%{http_code}' "http://$address/.gitignore")" = 404 ] || fail "a hidden file is served"

expect 2 'url is required' bench
expect 2 'has another scheme' bench ftp://localhost/
expect 2 'a field is "Name: value"' bench "http://$address/" -H nothing
expect 2 'duration' bench "http://$address/" -d soon
expect 2 'duration: 0 is not more than 0' bench "http://$address/" -d 0s
expect 2 'rate: -5 is not more than 0' bench "http://$address/" --rate -5
expect 0 '^requests +[1-9]' bench "http://$address/CMakeLists.txt" -c 2 -d 200ms -H 'X-Test: 1'
grep -qE '^statuses +2xx [0-9]+$' output || fail "tern bench counts no statuses: $(cat output)"
if grep -q $'\033' output; then fail "there are colours in a file"; fi
expect 0 '^statuses +4xx [0-9]+$' bench "http://$address/nothing" -c 1 -d 100ms
expect 0 '' bench "http://$address/CMakeLists.txt" -c 2 -d 300ms --rate 100 --json
python3 -c '
import json
report = json.load(open("output"))
assert 30 <= report["requests"] <= 31, report
assert report["status_2xx"] == report["requests"] and report["errors"] == report["unanswered"] == 0, report
assert 0 < report["latency_microseconds"]["p50"] <= report["latency_microseconds"]["max"], report
' || fail "tern bench --json: $(cat output)"
stop_server
expect 1 'Connection refused' bench "http://$address/" -c 1

expect 2 'is neither a DNS name nor an address' cert https://localhost
expect 2 'not in range 1 to 825' cert --days 0
if [ "$has_tls" = 1 ]; then
  expect 0 'curl --cacert dev-cert/ca.pem https://localhost:8080/' cert --days 7
  end=$(openssl x509 -in dev-cert/cert.pem -noout -enddate)
  grep -q "for localhost, 127.0.0.1, ::1; valid until $(date -u -d "${end#*=}" +%F)" output || fail "tern cert: $(cat output)"
  openssl x509 -in dev-cert/cert.pem -noout -checkend $((7 * 86400 - 600)) >/dev/null || fail "tern cert: it ends too soon"
  if openssl x509 -in dev-cert/cert.pem -noout -checkend $((7 * 86400 + 600)) >/dev/null; then fail "tern cert: it ends too late"; fi
  openssl verify -x509_strict -purpose sslserver -CAfile dev-cert/ca.pem dev-cert/cert.pem >verified || fail "openssl verify: $(cat verified)"
  openssl x509 -in dev-cert/cert.pem -noout -text >text
  grep -q 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1$' text || fail "tern cert: other names: $(cat text)"
  grep -q 'NIST CURVE: P-256' text || fail "tern cert: another key: $(cat text)"
  for key in dev-cert/key.pem dev-cert/ca-key.pem; do [ "$(stat -c %a $key)" = 600 ] || fail "the mode of $key"; done
  expect 1 'tern: dev-cert/cert.pem exists; --force replaces it' cert
  expect 0 'the authority, as before' cert --force
  expect 1 'does not sign for one of the names' cert example.org --out other --ca dev-cert
  [ ! -e other ] || fail "tern cert has written what it refused"
  expect 0 'https://www.shop.example:8080/' cert '*.shop.example' -o shop-cert --ca shop-ca
  openssl verify -verify_hostname www.shop.example -CAfile shop-ca/ca.pem shop-cert/cert.pem >/dev/null || fail "a wildcard"
  if openssl verify -CAfile shop-ca/ca.pem dev-cert/cert.pem >/dev/null 2>&1; then fail "another authority is trusted"; fi

  serve_shop --certificate dev-cert/cert.pem --key dev-cert/key.pem
  for host in localhost 127.0.0.1; do
    [ "$(curl -fsS --cacert dev-cert/ca.pem "https://$host:${address##*:}/src/app.hpp")" = "$(cat shop/src/app.hpp)" ] ||
      fail "curl does not trust the authority"
  done
  if curl -fsS --cacert shop-ca/ca.pem "https://$address/" >/dev/null 2>&1; then fail "curl trusts another authority"; fi
  expect 1 'the certificate is not accepted' bench "https://$address/CMakeLists.txt" -c 1 -d 200ms
  expect 0 '^statuses +2xx [0-9]+$' bench "https://$address/CMakeLists.txt" -c 2 -d 300ms --insecure
  expect 2 'streams requires --http2' bench "https://$address/" --streams 2
  if [ "$has_http2" = 1 ]; then
    expect 2 'HTTP/2 has no field Connection' bench "https://$address/" -H 'Connection: close' --http2 --insecure
    expect 0 'HTTP/2 with 4 at a time' bench "https://$address/CMakeLists.txt" -c 2 -d 300ms --insecure --http2 -m 4
    grep -qE '^statuses +2xx [0-9]+$' output || fail "tern bench counts no statuses: $(cat output)"
    expect 1 'no HTTP/2|Connection reset' bench "http://$address/" -c 1 --http2  # to a port with TLS
  fi
  stop_server
else
  expect 1 'has no TLS' cert
fi

mkdir migrations
echo 'create table book (id integer primary key);' >migrations/0001_books.sql
echo 'create table loan (id integer primary key);' >migrations/0002_loans.sql
expect 2 'database is required' migrate
expect 2 'Directory does not exist' migrate sqlite:shop.db --folder nowhere
expect 2 'excludes' migrate sqlite:shop.db --status --to 1
expect 1 'there is no driver for mysql' migrate mysql://localhost/shop
if [ "$has_sqlite" = 1 ]; then
  expect 1 'there is no file shop.db' migrate sqlite:shop.db --status
  expect 0 '^done +0001_books.sql$' migrate sqlite:shop.db --to 1
  expect 1 '^pending +0002_loans.sql$' migrate sqlite:shop.db --status
  expect 0 '^done +0002_loans.sql$' migrate shop.db
  expect 0 '^nothing to do$' migrate sqlite:shop.db
  DATABASE_URL=sqlite:shop.db expect 0 '^done +0002_loans.sql +\(2[0-9]{3}-' migrate --status
  expect 1 '0002_loans.sql was run, and its number is above 1' migrate sqlite:shop.db --to 1
  echo '-- changed' >>migrations/0001_books.sql
  expect 1 '^changed +0001_books.sql' migrate sqlite:shop.db --status
  expect 1 '0001_books.sql has changed since it was run' migrate sqlite:shop.db
  rm migrations/0001_books.sql
  expect 1 '^missing +0001_books.sql' migrate sqlite:shop.db --status
  echo 'not a database, but text of some length that is none' >text.db
  expect 1 'tern: .*not a database' migrate text.db
fi

expect 2 'Directory does not exist' dev --source nowhere
expect 1 'there is no CMakeLists.txt in migrations: name the folder of the project by --source' dev --source migrations
echo "the command tern: as expected"
