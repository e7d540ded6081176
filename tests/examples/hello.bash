source "$(dirname "$0")/serve.bash"

expect 200 'Hello, World!' /hello
expect_type 'text/plain; charset=utf-8'
expect_status 200 /hello --head
expect_field 'content-length: 13'
expect_status 404 /nothing
expect_status 405 /hello --data x
expect_field 'allow: GET'

finish
