// Go's http.FileServer for the folder FILES; with CERTIFICATE and KEY over TLS, with HTTP/2.
package main

import (
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
)

func main() {
	port := flag.Int("port", 8080, "where to serve")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	go func() {
		terminate := make(chan os.Signal, 1)
		signal.Notify(terminate, syscall.SIGTERM)
		<-terminate
		os.Exit(0)
	}()
	address := "127.0.0.1:" + strconv.Itoa(*port)
	files := http.FileServer(http.Dir(os.Getenv("FILES")))
	if certificate := os.Getenv("CERTIFICATE"); certificate != "" {
		log.Fatal(http.ListenAndServeTLS(address, certificate, os.Getenv("KEY"), files))
	}
	log.Fatal(http.ListenAndServe(address, files))
}
