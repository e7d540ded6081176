// Go's net/http with golang-jwt and gorilla/sessions. JWT_KEY is the PEM of the public key (ES256).
package main

import (
	"crypto/rand"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/sessions"
)

func random(size int) []byte {
	bytes := make([]byte, size)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return bytes
}

func main() {
	port := flag.Int("port", 8080, "where to serve")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	key, err := jwt.ParseECPublicKeyFromPEM([]byte(os.Getenv("JWT_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer("https://id.example"),
		jwt.WithAudience("shop"), jwt.WithExpirationRequired())
	store := sessions.NewCookieStore(random(32), random(32))

	mux := http.NewServeMux()
	mux.HandleFunc("GET /none", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "anna") })
	mux.HandleFunc("GET /jwt", func(w http.ResponseWriter, r *http.Request) {
		token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		claims := jwt.RegisteredClaims{}
		_, err := parser.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return key, nil })
		if !found || err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, claims.Subject)
	})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		session, _ := store.Get(r, "session")
		session.Values["name"] = "anna"
		if err := session.Save(r, w); err != nil {
			log.Fatal(err)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /session", func(w http.ResponseWriter, r *http.Request) {
		session, _ := store.Get(r, "session")
		name, _ := session.Values["name"].(string)
		if name == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, name)
	})

	go func() {
		terminate := make(chan os.Signal, 1)
		signal.Notify(terminate, syscall.SIGTERM)
		<-terminate
		os.Exit(0)
	}()
	log.Fatal(http.ListenAndServe("127.0.0.1:"+strconv.Itoa(*port), mux))
}
