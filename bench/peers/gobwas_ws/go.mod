module tern/bench/gobwas_ws

go 1.25.0

require github.com/gobwas/ws v1.5.0
