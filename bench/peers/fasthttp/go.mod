module tern/bench/fasthttp

go 1.25.0

require github.com/valyala/fasthttp v1.74.0
