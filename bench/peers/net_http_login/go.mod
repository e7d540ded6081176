module tern/bench/net_http_login

go 1.25.0

require (
	github.com/golang-jwt/jwt/v5 v5.3.1
	github.com/gorilla/sessions v1.4.0
)

require github.com/gorilla/securecookie v1.1.2
