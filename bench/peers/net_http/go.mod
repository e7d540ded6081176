module tern/bench/net_http

go 1.22
