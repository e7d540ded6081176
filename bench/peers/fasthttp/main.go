// fasthttp with the routes of ../README.md; it has no router.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/valyala/fasthttp"
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

func text(ctx *fasthttp.RequestCtx, content string) {
	ctx.SetContentType("text/plain")
	ctx.SetBodyString(content)
}

func writeJSON(ctx *fasthttp.RequestCtx, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(content)
}

func hello(ctx *fasthttp.RequestCtx) {
	text(ctx, "Hello, World!")
}

func jsonPost(ctx *fasthttp.RequestCtx) {
	var o order
	if err := json.Unmarshal(ctx.PostBody(), &o); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
		return
	}
	writeJSON(ctx, greeting{"Hello, " + o.Name + "!", item{o.Name, o.Value, 2 * o.Value}})
}

func upload(ctx *fasthttp.RequestCtx) {
	stream := ctx.RequestBodyStream()
	if stream == nil {
		text(ctx, strconv.Itoa(len(ctx.PostBody())))
		return
	}
	size, err := io.Copy(io.Discard, stream)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
		return
	}
	text(ctx, strconv.FormatInt(size, 10))
}

func calc(ctx *fasthttp.RequestCtx) {
	value, err := ctx.QueryArgs().GetUfloat("value")
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
		return
	}
	sum, sign := 0.0, 1.0
	for n := 1; n <= 5_000_000; n++ {
		sum += sign * math.Pow(value, float64(n)) / float64(n)
		sign = -sign
	}
	text(ctx, strconv.FormatFloat(sum, 'g', -1, 64))
}

func passOn(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) { next(ctx) }
}

var behindThree = passOn(passOn(passOn(hello)))

func get(ctx *fasthttp.RequestCtx) {
	switch path := string(ctx.Path()); path {
	case "/":
		hello(ctx)
	case "/json":
		writeJSON(ctx, message{"Hello, World!"})
	case "/calc":
		calc(ctx)
	case "/behind-three":
		behindThree(ctx)
	default:
		id, found := strings.CutPrefix(path, "/user/")
		if !found {
			ctx.NotFound()
			return
		}
		text(ctx, id)
	}
}

func post(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Path()) {
	case "/json":
		jsonPost(ctx)
	case "/echo":
		ctx.SetContentType("application/octet-stream")
		ctx.SetBody(ctx.PostBody())
	case "/upload":
		upload(ctx)
	default:
		ctx.NotFound()
	}
}

func serve(ctx *fasthttp.RequestCtx) {
	switch {
	case ctx.IsGet():
		get(ctx)
	case ctx.IsPost():
		post(ctx)
	default:
		ctx.Error("", fasthttp.StatusMethodNotAllowed)
	}
}

func main() {
	port := flag.Int("port", 8080, "where to serve")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	head := flag.Int("head", 4096, "the largest request head; each connection has a buffer of this size")
	stream := flag.Bool("stream", false, "give the content to the handler as it comes")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	go func() {
		terminate := make(chan os.Signal, 1)
		signal.Notify(terminate, syscall.SIGTERM)
		<-terminate
		os.Exit(0)
	}()
	server := fasthttp.Server{
		Handler: serve, ReadBufferSize: *head, MaxRequestBodySize: 16 << 20, StreamRequestBody: *stream}
	log.Fatal(server.ListenAndServe("127.0.0.1:" + strconv.Itoa(*port)))
}
