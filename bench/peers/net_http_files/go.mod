module tern/bench/net_http_files

go 1.22
