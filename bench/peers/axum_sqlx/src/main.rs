// axum and sqlx with the routes of bench/harness/postgres.py. Arguments: port, threads.
use axum::extract::{Query, State};
use axum::response::Html;
use axum::routing::get;
use axum::{Json, Router};
use rand::Rng;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::Row;
use tokio::signal::unix::{signal, SignalKind};

const ROWS: i32 = 10_000;
const BATCH: usize = 20;

#[derive(Serialize)]
struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

#[derive(Serialize)]
struct Rating {
    score: i32,
    count: i32,
}

#[derive(Serialize)]
struct Item {
    id: i32,
    name: String,
    category: String,
    price: i32,
    quantity: i32,
    active: bool,
    tags: sqlx::types::Json<Box<serde_json::value::RawValue>>, // passed on
    rating: Rating,
}

#[derive(Serialize)]
struct Items {
    count: usize,
    items: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(default)]
struct Range {
    min: i32,
    max: i32,
    limit: i64,
}

impl Default for Range {
    fn default() -> Self {
        Range { min: 10, max: 50, limit: 50 }
    }
}

fn random_id() -> i32 {
    rand::thread_rng().gen_range(1..=ROWS)
}

async fn read(pool: &PgPool) -> World {
    let (id, random_number) = sqlx::query_as("select id, randomnumber from world where id = $1")
        .bind(random_id())
        .fetch_one(pool)
        .await
        .unwrap();
    World { id, random_number }
}

async fn read_all(pool: &PgPool) -> Vec<World> {
    futures_util::future::join_all((0..BATCH).map(|_| read(pool))).await
}

async fn single(State(pool): State<PgPool>) -> Json<World> {
    Json(read(&pool).await)
}

async fn queries(State(pool): State<PgPool>) -> Json<Vec<World>> {
    Json(read_all(&pool).await)
}

async fn updates(State(pool): State<PgPool>) -> Json<Vec<World>> {
    let mut worlds = read_all(&pool).await;
    worlds.sort_by_key(|world| world.id);
    for world in &mut worlds {
        world.random_number = random_id();
    }
    let ids: Vec<i32> = worlds.iter().map(|world| world.id).collect();
    let numbers: Vec<i32> = worlds.iter().map(|world| world.random_number).collect();
    sqlx::query("update world set randomnumber = v.n from (select unnest($1::int[]) as i, unnest($2::int[]) as n) as v where world.id = v.i")
        .bind(ids)
        .bind(numbers)
        .execute(&pool)
        .await
        .unwrap();
    Json(worlds)
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

async fn fortunes(State(pool): State<PgPool>) -> Html<String> {
    let mut all: Vec<(i32, String)> = sqlx::query_as("select id, message from fortune").fetch_all(&pool).await.unwrap();
    all.push((0, "Additional fortune added at request time.".to_string()));
    all.sort_by(|a, b| a.1.cmp(&b.1));
    let mut page = String::from("<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>");
    for (id, message) in &all {
        page.push_str("<tr><td>");
        page.push_str(&id.to_string());
        page.push_str("</td><td>");
        escape(&mut page, message);
        page.push_str("</td></tr>");
    }
    page.push_str("</table></body></html>");
    Html(page)
}

async fn items(State(pool): State<PgPool>, Query(range): Query<Range>) -> Json<Items> {
    let rows = sqlx::query("select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where price between $1 and $2 limit $3")
        .bind(range.min)
        .bind(range.max)
        .bind(range.limit.clamp(1, 50))
        .fetch_all(&pool)
        .await
        .unwrap();
    let items: Vec<Item> = rows
        .iter()
        .map(|row| Item {
            id: row.get(0),
            name: row.get(1),
            category: row.get(2),
            price: row.get(3),
            quantity: row.get(4),
            active: row.get(5),
            tags: row.get(6),
            rating: Rating { score: row.get(7), count: row.get(8) },
        })
        .collect();
    Json(Items { count: items.len(), items })
}

async fn serve(port: u16) {
    let pool = PgPoolOptions::new().max_connections(8).connect(&std::env::var("DATABASE_URL").unwrap()).await.unwrap();
    let app = Router::new()
        .route("/db", get(single))
        .route("/queries", get(queries))
        .route("/updates", get(updates))
        .route("/fortunes", get(fortunes))
        .route("/async-db", get(items))
        .with_state(pool);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let mut terminated = signal(SignalKind::terminate()).unwrap();
    axum::serve(listener, app).with_graceful_shutdown(async move { terminated.recv().await; }).await.unwrap();
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(serve(arguments[1].parse().unwrap()));
}
