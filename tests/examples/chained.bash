source "$(dirname "$0")/serve.bash"

expect 200 'Hello, World!' /hello
expect_type 'text/plain; charset=utf-8'
expect 201 'Hello, Ada!' /hello --data Ada
expect 204 '' /hello --request DELETE
expect_status 405 /hello --request PUT

expect_like 200 $'1 * 7 = 7\n2 * 7 = 14\n' /table/7
expect_like 200 $'10 * 7 = 70\nhalf of 7 is 3.5; even: false' /table/7
expect_like 200 $'10 * 2147483647 = 21474836470\n' /table/2147483647
expect_status 404 /table/seven

finish
