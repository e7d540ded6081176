source "$(dirname "$0")/serve.bash"

expect 200 42 /twice/21
expect 200 4294967294 /twice/2147483647
expect_status 404 /twice/2147483648
expect_status 404 /twice/two
expect 200 3.75 /sum/1.5/2.25
expect 200 true /weekend/Sunday
expect 200 false /weekend/Friday
expect_status 404 /weekend/Someday

expect 200 'book number 1984' /books/1984
expect 200 'the book called Emma' /books/Emma
expect 200 'the book called Brave New World' /books/Brave%20New%20World

expect 200 "file 'a/b/c.txt'" /files/a/b/c.txt
expect 200 "file ''" /files/

expect 200 '{"q":"sea birds","tag":["arctic","tern"],"limit":5,"exact":true}' \
  '/search?q=sea+birds&tag=arctic&tag=tern&limit=5&exact=true'
expect_type application/json
expect 200 '{"q":"tern","tag":[],"limit":10,"exact":null}' '/search?q=tern'
expect_like 422 '"pointer":"q"' /search
expect_like 422 '"pointer":"limit"' '/search?q=tern&limit=many'
expect_type application/problem+json

expect 200 up /api/v1/status
expect_field 'x-api: v1'
expect_like 403 'this needs the key' /api/v1/admin/status
expect_field 'x-api: v1'
expect 200 'up, for administrators' /api/v1/admin/status --header 'X-Key: sesame'
expect_field 'x-api: v1'

finish
