source "$(dirname "$0")/serve.bash"

expect 200 '0.470004' '/calc?value=0.6'
expect 200 '-0.693147' '/calc?value=-0.5'
expect_like 422 value /calc
expect_like 422 value '/calc?value=much'
expect 200 'Hello, World!' /hello

finish
