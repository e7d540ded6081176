// Go's net/http with the middleware of promhttp.
package main

import (
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func hello(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "Hello, World!")
}

// The duration by method and code, requests in flight, and the sizes of both contents: what Tern counts of a request.
func instrumented(route string, next http.Handler) http.Handler {
	labels := []string{"method", "code"}
	constant := prometheus.Labels{"route": route}
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "http_server_request_duration_seconds",
		Help: "Durations.", ConstLabels: constant, Buckets: prometheus.DefBuckets}, labels)
	received := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "http_server_request_body_size_bytes",
		Help: "Sizes.", ConstLabels: constant, Buckets: prometheus.ExponentialBuckets(100, 10, 7)}, labels)
	sent := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "http_server_response_body_size_bytes",
		Help: "Sizes.", ConstLabels: constant, Buckets: prometheus.ExponentialBuckets(100, 10, 7)}, labels)
	active := prometheus.NewGauge(prometheus.GaugeOpts{Name: "http_server_active_requests", Help: "In flight.",
		ConstLabels: constant})
	prometheus.MustRegister(duration, received, sent, active)
	return promhttp.InstrumentHandlerInFlight(active, promhttp.InstrumentHandlerDuration(duration,
		promhttp.InstrumentHandlerRequestSize(received, promhttp.InstrumentHandlerResponseSize(sent, next))))
}

func main() {
	port := flag.Int("port", 8080, "where to serve")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	observe := flag.String("observe", "nothing", "or metrics")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	mux := http.NewServeMux()
	var handler http.Handler = http.HandlerFunc(hello)
	if *observe != "nothing" {
		handler = instrumented("/", handler)
		mux.Handle("GET /metrics", promhttp.Handler())
	}
	mux.Handle("GET /{$}", handler)

	go func() {
		terminate := make(chan os.Signal, 1)
		signal.Notify(terminate, syscall.SIGTERM)
		<-terminate
		os.Exit(0)
	}()
	log.Fatal(http.ListenAndServe("127.0.0.1:"+strconv.Itoa(*port), mux))
}
