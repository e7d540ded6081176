// net/http and pgx with the routes of bench/harness/postgres.py.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"sort"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const rows, batchSize = 10_000, 20

type world struct {
	ID     int32 `json:"id"`
	Number int32 `json:"randomNumber"`
}

type fortune struct {
	ID      int32
	Message string
}

type item struct {
	ID       int32           `json:"id"`
	Name     string          `json:"name"`
	Category string          `json:"category"`
	Price    int32           `json:"price"`
	Quantity int32           `json:"quantity"`
	Active   bool            `json:"active"`
	Tags     json.RawMessage `json:"tags"`
	Rating   rating          `json:"rating"`
}

type rating struct {
	Score int32 `json:"score"`
	Count int32 `json:"count"`
}

var pool *pgxpool.Pool
var page = template.Must(template.New("fortunes").Parse(
	`<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>{{range .}}<tr><td>{{.ID}}</td><td>{{.Message}}</td></tr>{{end}}</table></body></html>`))

const selectWorld = "select id, randomnumber from world where id = $1"

func randomID() int32 { return rand.Int32N(rows) + 1 }

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}

func single(w http.ResponseWriter, r *http.Request) {
	var one world
	err := pool.QueryRow(r.Context(), selectWorld, randomID()).Scan(&one.ID, &one.Number)
	answer(w, one, err)
}

func read(ctx context.Context) ([]world, error) {
	batch := &pgx.Batch{}
	for range batchSize {
		batch.Queue(selectWorld, randomID())
	}
	results := pool.SendBatch(ctx, batch)
	defer results.Close()
	worlds := make([]world, batchSize)
	for i := range worlds {
		if err := results.QueryRow().Scan(&worlds[i].ID, &worlds[i].Number); err != nil {
			return nil, err
		}
	}
	return worlds, nil
}

func queries(w http.ResponseWriter, r *http.Request) {
	worlds, err := read(r.Context())
	answer(w, worlds, err)
}

func updates(w http.ResponseWriter, r *http.Request) {
	worlds, err := read(r.Context())
	if err != nil {
		answer(w, nil, err)
		return
	}
	sort.Slice(worlds, func(i, j int) bool { return worlds[i].ID < worlds[j].ID })
	ids, numbers := make([]int32, batchSize), make([]int32, batchSize)
	for i := range worlds {
		worlds[i].Number = randomID()
		ids[i], numbers[i] = worlds[i].ID, worlds[i].Number
	}
	_, err = pool.Exec(r.Context(), "update world set randomnumber = v.n from (select unnest($1::int[]) as i, unnest($2::int[]) as n) as v where world.id = v.i", ids, numbers)
	answer(w, worlds, err)
}

func fortunes(w http.ResponseWriter, r *http.Request) {
	found, err := pool.Query(r.Context(), "select id, message from fortune")
	if err != nil {
		answer(w, nil, err)
		return
	}
	all, err := pgx.CollectRows(found, pgx.RowToStructByPos[fortune])
	if err != nil {
		answer(w, nil, err)
		return
	}
	all = append(all, fortune{0, "Additional fortune added at request time."})
	sort.Slice(all, func(i, j int) bool { return all[i].Message < all[j].Message })
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page.Execute(w, all)
}

func number(r *http.Request, name string, fallback int) int {
	if value, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil {
		return value
	}
	return fallback
}

func items(w http.ResponseWriter, r *http.Request) {
	limit := min(max(number(r, "limit", 50), 1), 50)
	found, err := pool.Query(r.Context(), "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where price between $1 and $2 limit $3",
		number(r, "min", 10), number(r, "max", 50), limit)
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer found.Close()
	all := []item{}
	for found.Next() {
		var one item
		if err = found.Scan(&one.ID, &one.Name, &one.Category, &one.Price, &one.Quantity, &one.Active, &one.Tags, &one.Rating.Score, &one.Rating.Count); err != nil {
			answer(w, nil, err)
			return
		}
		all = append(all, one)
	}
	answer(w, map[string]any{"items": all, "count": len(all)}, nil)
}

func main() {
	port := flag.Int("port", 0, "")
	threads := flag.Int("threads", 1, "")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 8
	if pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		log.Fatal(err)
	}
	for path, handler := range map[string]http.HandlerFunc{"/db": single, "/queries": queries, "/updates": updates, "/fortunes": fortunes, "/async-db": items} {
		http.HandleFunc(path, handler)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() { <-signals; os.Exit(0) }()
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), nil))
}
