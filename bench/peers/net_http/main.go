// Go's net/http with the routes of ../README.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
)

type message struct {
	Message string `json:"message"`
}

type order struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

type item struct {
	Name   string `json:"name"`
	Value  int64  `json:"value"`
	Double int64  `json:"double"`
}

type greeting struct {
	Greeting string `json:"greeting"`
	Item     item   `json:"item"`
}

func text(w http.ResponseWriter, content string) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, content)
}

func writeJSON(w http.ResponseWriter, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(content)
}

func hello(w http.ResponseWriter, _ *http.Request) {
	text(w, "Hello, World!")
}

func user(w http.ResponseWriter, r *http.Request) {
	text(w, r.PathValue("id"))
}

func jsonPost(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	writeJSON(w, greeting{"Hello, " + o.Name + "!", item{o.Name, o.Value, 2 * o.Value}})
}

func echo(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength < 0 || r.ContentLength > 16<<20 {
		http.Error(w, "a Content-Length of at most 16 MiB is needed", http.StatusBadRequest)
		return
	}
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

func upload(w http.ResponseWriter, r *http.Request) {
	size, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text(w, strconv.FormatInt(size, 10))
}

func calc(w http.ResponseWriter, r *http.Request) {
	value, err := strconv.ParseFloat(r.URL.Query().Get("value"), 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sum, sign := 0.0, 1.0
	for n := 1; n <= 5_000_000; n++ {
		sum += sign * math.Pow(value, float64(n)) / float64(n)
		sign = -sign
	}
	text(w, strconv.FormatFloat(sum, 'g', -1, 64))
}

func passOn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

func main() {
	port := flag.Int("port", 8080, "where to serve")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", hello)
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, message{"Hello, World!"}) })
	mux.HandleFunc("POST /json", jsonPost)
	mux.HandleFunc("GET /user/{id}", user)
	mux.HandleFunc("POST /echo", echo)
	mux.HandleFunc("POST /upload", upload)
	mux.HandleFunc("GET /calc", calc)
	mux.Handle("GET /behind-three", passOn(passOn(passOn(http.HandlerFunc(hello)))))
	for n := range 300 {
		mux.HandleFunc(fmt.Sprintf("GET /route%d/{id}/details", n), user)
	}

	go func() {
		terminate := make(chan os.Signal, 1)
		signal.Notify(terminate, syscall.SIGTERM)
		<-terminate
		os.Exit(0)
	}()
	log.Fatal(http.ListenAndServe("127.0.0.1:"+strconv.Itoa(*port), mux))
}
